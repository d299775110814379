"""Folding: pooling the runs of a project, some hundred queries at a time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy.orm import Session

from app.domain.pooling import Hit, Item, pool
from app.domain.spans import Span
from app.pooling import store
from app.pooling.items import find_or_add_items, item_identity

QUERIES = 500
MAX_SHORT = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run to pool: its hits down to ``depth``, those down to ``pooled`` are in already."""

    run_id: int
    name: str
    depth: int
    pooled: int = 0


@dataclass(slots=True)
class Tally:
    """What a pool holds, added up query by query."""

    items: int = 0
    queries: int = 0
    gradable: int = 0
    added: int = 0
    hits: Counter[int] = field(default_factory=Counter)
    unique: Counter[int] = field(default_factory=Counter)
    short: list[tuple[int, str, int]] = field(default_factory=list)
    short_total: int = 0


@dataclass(frozen=True, slots=True)
class Old:
    """An item the pool has: its span, and the ranks at which each run found it."""

    item_id: int
    span: Span
    ranks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """One query's pool: the items, how many of them are old, and the old ones' ranks."""

    query_ref: int
    items: Sequence[Item]
    old: Sequence[Old]


class Folder:
    """Pools runs of one project; writes to a pool, or only counts without one."""

    def __init__(
        self,
        session: Session,
        project_id: int,
        wanted: Sequence[Wanted],
        *,
        pool_id: int | None = None,
        round_number: int = 1,
        write: bool = True,
    ) -> None:
        self._session = session
        self._project_id = project_id
        self._wanted = {each.name: each for each in wanted}
        self._names = {each.run_id: each.name for each in wanted}
        self._depth = max(each.depth for each in wanted)
        self._pool_id = pool_id
        self._round = round_number
        self._write = write
        self._unknown = store.unknown_versions(session, project_id)
        self.tally = Tally()

    def fold_all(self) -> Tally:
        """Pool every query of the project and return what the pool then holds."""
        refs = store.query_refs(self._session, self._project_id)
        for start in range(0, len(refs), QUERIES):
            part = refs[start : start + QUERIES]
            folded = list(self._fold_queries(part))
            if self._write and self._pool_id is not None:
                self._save(folded, self._pool_id)
        return self.tally

    def _fold_queries(self, refs: Sequence[int]) -> Iterator[Folded]:
        old = self._old_items(refs)
        found = store.hits_between(
            self._session, list(self._names), refs[0], refs[-1], self._depth
        )
        hits = {ref: list(rows) for ref, rows in groupby(found, key=lambda row: row[0])}
        for ref in refs:
            if ref in hits or ref in old:
                yield self._fold(ref, hits.get(ref, []), old.get(ref, []))

    def _fold(self, ref: int, rows: Sequence[store.HitRow], old: Sequence[Old]) -> Folded:
        rankings: dict[str, list[Hit]] = {name: [] for name in self._wanted}
        for _, run_id, _, version, whole, start, end, score in rows:
            span = self._span(version, start, end, whole=whole)
            rankings[self._names[run_id]].append(Hit(span, score or 0.0))
        made = pool(rankings, self._depth, existing=[each.span for each in old])
        folded = Folded(ref, made.items, old)
        self._count(folded)
        self.tally.short_total += len(made.short_lists)
        room = MAX_SHORT - len(self.tally.short)
        self.tally.short += [(ref, one.run, one.taken) for one in made.short_lists[:room]]
        return folded

    def _span(self, version: int, start: int, end: int, *, whole: bool) -> Span:
        if whole:
            return Span(str(version), 0, None if version in self._unknown else end, whole=True)
        return Span(str(version), start, end)

    def _old_items(self, refs: Sequence[int]) -> dict[int, list[Old]]:
        if self._pool_id is None:
            return {}
        ranks: dict[int, list[tuple[int, int]]] = {}
        for item_id, run_id, rank in store.members_of(self._session, self._pool_id, refs):
            ranks.setdefault(item_id, []).append((run_id, rank))
        old: dict[int, list[Old]] = {}
        for ref, item_id, version, whole, start, end in store.pooled_items(
            self._session, self._pool_id, refs
        ):
            span = self._span(version, start, end, whole=whole)
            old.setdefault(ref, []).append(Old(item_id, span, tuple(ranks.get(item_id, ()))))
        return old

    def _count(self, folded: Folded) -> None:
        tally = self.tally
        tally.items += len(folded.items)
        tally.queries += 1
        tally.added += len(folded.items) - len(folded.old)
        for place, item in enumerate(folded.items):
            tally.gradable += int(item.span.doc_id) not in self._unknown
            ranks = self._ranks(folded, place, item)
            tally.hits.update(run_id for run_id, _ in ranks)
            runs = {run_id for run_id, _ in ranks}
            if len(runs) == 1:
                tally.unique[runs.pop()] += 1

    def _ranks(self, folded: Folded, place: int, item: Item) -> list[tuple[int, int]]:
        """Return (run, rank) of everything an item stands for, old and new."""
        before = folded.old[place].ranks if place < len(folded.old) else ()
        return [*before, *((self._wanted[m.run].run_id, m.rank) for m in self._new(item))]

    def _new(self, item: Item) -> list[Any]:
        return [each for each in item.members if each.rank > self._wanted[each.run].pooled]

    def _save(self, folded: Sequence[Folded], pool_id: int) -> None:
        fresh = [
            (item_identity(one.query_ref, int(item.span.doc_id), item.span), item)
            for one in folded
            for item in one.items[len(one.old) :]
        ]
        ids = find_or_add_items(
            self._session, self._project_id, {key: item.span.end or 0 for key, item in fresh}
        )
        rows = [self._pool_row(pool_id, ids[key], item) for key, item in fresh]
        store.add_pool_items(self._session, rows)
        members = [
            row for key, item in fresh for row in self._member_rows(pool_id, ids[key], item)
        ]
        changed: list[dict[str, int]] = []
        for one in folded:
            for place, (old, item) in enumerate(zip(one.old, one.items, strict=False)):
                if self._new(item):
                    members += self._member_rows(pool_id, old.item_id, item)
                    changed.append(_evidence(old.item_id, self._ranks(one, place, item)))
        store.add_members(self._session, members)
        store.update_evidence(self._session, pool_id, changed)

    def _pool_row(self, pool_id: int, item_id: int, item: Item) -> store.PoolItemRow:
        gradable = int(item.span.doc_id) not in self._unknown
        best, runs = item.members[0].rank, len(item.runs)
        return pool_id, item_id, gradable, best, runs, self._round

    def _member_rows(self, pool_id: int, item_id: int, item: Item) -> Iterator[store.MemberRow]:
        for each in self._new(item):
            run, end = self._wanted[each.run].run_id, each.end or 0
            yield pool_id, item_id, run, each.rank, each.score, each.start, end


def _evidence(item_id: int, ranks: Sequence[tuple[int, int]]) -> dict[str, int]:
    return {
        "item": item_id,
        "best": min(rank for _, rank in ranks),
        "runs": len({run_id for run_id, _ in ranks}),
    }
