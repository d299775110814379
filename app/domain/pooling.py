"""Pooling: the union of what several runs found, near-duplicates folded."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.spans import Span

DEPTH = 20
SAME_SPAN = 0.8

Key = tuple[str, int, int, bool]


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of a ranking; the span's doc_id is the caller's key of a document version."""

    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Member:
    """One hit kept as provenance of an item; ranks start at 1."""

    run: str
    rank: int
    score: float
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Item:
    """A span to be graded, and the hits it stands for, by rank and run."""

    span: Span
    members: tuple[Member, ...]

    @property
    def runs(self) -> frozenset[str]:
        """The runs that found it."""
        return frozenset(member.run for member in self.members)

    @property
    def only_run(self) -> str | None:
        """The run that alone found it, None where several or none did."""
        if not self.members:
            return None
        first = self.members[0].run
        if len(self.members) == 1:
            return first
        return first if all(member.run == first for member in self.members) else None


@dataclass(frozen=True, slots=True)
class ShortList:
    """A run that gave fewer hits than the depth asks for."""

    run: str
    taken: int
    depth: int

    def describe(self, query_id: str) -> str:
        """Say it as a person reads it."""
        return f"run {self.run}: {self.taken} of {self.depth} for {query_id}"


@dataclass(frozen=True, slots=True)
class Pool:
    """The items of one query: existing ones first, then new ones in folding order.

    ``hits`` counts the hits taken of each run, ``unique`` the items only that run found.
    """

    items: tuple[Item, ...]
    hits: Mapping[str, int]
    unique: Mapping[str, int]
    short_lists: tuple[ShortList, ...]


@dataclass(slots=True)
class _Candidate:
    span: Span
    members: list[Member] = field(default_factory=list)
    start: int = field(init=False)
    reach: int = field(init=False)

    def __post_init__(self) -> None:
        self.start, self.reach = self.span.start, self.span.reach

    def order(self) -> tuple[int, int, Key]:
        members = self.members
        if len(members) == 1:
            return members[0].rank, -1, self.span.order_key()
        best = min(member.rank for member in members)
        return best, -len({member.run for member in members}), self.span.order_key()


def pool(
    rankings: Mapping[str, Sequence[Hit]],
    depth: int = DEPTH,
    same_span: float = SAME_SPAN,
    existing: Iterable[Span] = (),
) -> Pool:
    """Pool the first ``depth`` hits of each run for one query.

    Exact duplicates are one item. Spans of one document with intersection / union of at
    least ``same_span`` fold greedily: candidates come by best rank over the runs, then
    number of runs (falling), then doc_id, start, end; each is compared with
    representatives only, existing ones first, and joins the one it shares most with. A
    whole document never folds with a span.

    Args:
        rankings: run name to its hits, in the run's order.
        depth: how many hits of each run are taken, where it has them.
        same_span: intersection / union (0 to 1) from which two spans are one item.
        existing: items the pool has already; all of them stay, in this order.
    """
    taken = {run: ranking[:depth] for run, ranking in rankings.items()}
    found = _fold(_collect(taken), [_Candidate(span) for span in existing], same_span)
    items = tuple(Item(each.span, _sort_members(each.members)) for each in found)
    return Pool(
        items,
        {run: len(hits) for run, hits in taken.items()},
        _count_unique(taken, items),
        tuple(
            ShortList(run, len(hits), depth) for run, hits in taken.items() if len(hits) < depth
        ),
    )


def _key(span: Span) -> Key:
    """Return a span's identity; a whole document is one, whatever its known length."""
    return (
        (span.doc_id, 0, 0, True)
        if span.whole
        else (span.doc_id, span.start, span.reach, False)
    )


def _collect(taken: Mapping[str, Sequence[Hit]]) -> list[_Candidate]:
    """Join exact duplicates, and put them in folding order."""
    candidates: dict[Key, _Candidate] = {}
    for run, hits in taken.items():
        for rank, hit in enumerate(hits, start=1):
            span = hit.span
            key = _key(span)
            candidate = candidates.get(key)
            if candidate is None:
                candidate = candidates[key] = _Candidate(span)
            candidate.members.append(Member(run, rank, hit.score, span.start, span.end))
    return sorted(candidates.values(), key=_Candidate.order)


def _fold(
    candidates: Iterable[_Candidate], existing: Sequence[_Candidate], same_span: float
) -> list[_Candidate]:
    found = list(existing)
    whole = {each.span.doc_id: each for each in found if each.span.whole}
    spans: dict[str, list[_Candidate]] = {}
    for each in found:
        if not each.span.whole:
            spans.setdefault(each.span.doc_id, []).append(each)
    for candidate in candidates:
        doc_id = candidate.span.doc_id
        if candidate.span.whole:
            home = whole.setdefault(doc_id, candidate)
        else:
            rivals = spans.setdefault(doc_id, [])
            home = _find_home(candidate, rivals, same_span)
            if home is candidate:
                rivals.append(candidate)
        if home is candidate:
            found.append(candidate)
        else:
            home.members.extend(candidate.members)
    return found


def _find_home(
    candidate: _Candidate, rivals: Iterable[_Candidate], same_span: float
) -> _Candidate:
    """Return the representative a candidate shares most with, or itself."""
    home, most = candidate, 0.0
    start, end = candidate.start, candidate.reach
    for rival in rivals:
        # Span.iou spelled out: this is the one inner loop of pooling.
        if rival.start >= end or rival.reach <= start:
            continue
        shared = min(end, rival.reach) - max(start, rival.start)
        share = shared / (end - start + rival.reach - rival.start - shared)
        if share >= same_span and share > most:
            home, most = rival, share
    return home


def _sort_members(members: list[Member]) -> tuple[Member, ...]:
    if len(members) > 1:
        members.sort(key=lambda member: (member.rank, member.run))
    return tuple(members)


def _count_unique(runs: Iterable[str], items: Iterable[Item]) -> dict[str, int]:
    counts = dict.fromkeys(runs, 0)
    for item in items:
        if item.only_run is not None:
            counts[item.only_run] += 1
    return counts


def leave_one_out(made: Pool) -> dict[str, tuple[Span, ...]]:
    """Return, for each run, the items that nobody would have found without it."""
    lost: dict[str, list[Span]] = {run: [] for run in made.hits}
    for item in made.items:
        if item.only_run is not None:
            lost[item.only_run].append(item.span)
    return {run: tuple(spans) for run, spans in lost.items()}


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """A pool over all its queries."""

    items: int
    queries: int
    hits: Mapping[str, int]
    unique: Mapping[str, int]
    short_lists: tuple[tuple[str, ShortList], ...]  # with the query id

    def as_json(self) -> dict[str, object]:
        """Return what ``pool build --json`` prints."""
        runs = {run: {"hits": self.hits[run], "unique": self.unique[run]} for run in self.hits}
        return {"items": self.items, "queries": self.queries, "runs": runs}


def summarize(pools: Iterable[tuple[str, Pool]]) -> PoolSummary:
    """Add up pools given as (query id, pool); a pool without items is no query."""
    items = queries = 0
    hits: Counter[str] = Counter()
    unique: Counter[str] = Counter()
    short: list[tuple[str, ShortList]] = []
    for query_id, made in pools:
        items += len(made.items)
        queries += bool(made.items)
        hits.update(made.hits)
        unique.update(made.unique)
        short.extend((query_id, each) for each in made.short_lists)
    return PoolSummary(items, queries, dict(hits), dict(unique), tuple(short))
