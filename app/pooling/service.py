"""Service of pooling: building a pool once, extending it, and reading it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.db import now
from app.domain.pooling import DEPTH as DEPTH
from app.errors import Conflict, Invalid, NotFound
from app.models import Pool, PoolRun, Project, Run
from app.pooling import store
from app.pooling.folding import Folder, Tally, Wanted
from app.pooling.items import find_or_add_items as find_or_add_items
from app.pooling.items import item_identity as item_identity
from app.pooling.store import ItemKey as ItemKey
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import service as retrieval

MAX_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class RunPart:
    """What one run brought: hits taken, and items that only it found, after folding."""

    hits: int
    unique: int


@dataclass(frozen=True, slots=True)
class ShortList:
    """A run that gave fewer hits than the depth asks for."""

    query_id: str
    run: str
    taken: int


@dataclass(frozen=True, slots=True)
class PoolReport:
    """What a pool holds: ``gradable`` + ``unknown`` = ``items``.

    ``unknown`` items are of documents whose text nobody has: counted, never graded.
    ``added`` came with this round. ``short`` names the first 50 of ``short_total`` lists.
    """

    items: int
    queries: int
    runs: dict[str, RunPart]
    gradable: int
    unknown: int
    added: int
    depth: int
    short_total: int
    short: tuple[ShortList, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what ``pool build --json`` prints, exactly these keys."""
        return {
            "items": self.items,
            "queries": self.queries,
            "runs": {name: asdict(part) for name, part in self.runs.items()},
        }

    def as_statistics(self) -> dict[str, Any]:
        """Return the report as it is kept with the pool."""
        return asdict(self) | {"short": [asdict(one) for one in self.short]}


def read_report(pool: Pool) -> PoolReport:
    """Return the figures kept with a pool."""
    kept = dict(pool.statistics)
    kept["runs"] = {name: RunPart(**part) for name, part in kept["runs"].items()}
    kept["short"] = tuple(ShortList(**one) for one in kept["short"])
    return PoolReport(**kept)


def find_pool(session: Session, project_id: int) -> Pool | None:
    """Return the project's pool, None where none was built."""
    return store.pool_of(session, project_id)


def pool_of(session: Session, project_id: int) -> Pool:
    """Return the project's pool or refuse."""
    pool = store.pool_of(session, project_id)
    if pool is None:
        raise NotFound("There is no pool yet. Build it: goldspan pool build PROJECT")
    return pool


def build(
    session: Session,
    project: Project,
    *,
    run_names: Sequence[str] | None = None,
    depth: int = DEPTH,
    dry_run: bool = False,
    by: int | None = None,
) -> PoolReport:
    """Build the pool: the union of the first ``depth`` hits of the runs, folded.

    Without names all complete runs are pooled. With ``dry_run`` it is only counted.

    Raises:
        Conflict: there is a pool; it is extended, never rebuilt.
        Invalid: a depth out of range, a run that is not complete, or no run at all.
        NotFound: no such run.
    """
    _check_depth(depth)
    if not dry_run:
        projects.lock(session, project.id)
    if store.pool_of(session, project.id) is not None:
        raise Conflict(
            "There is a pool already. It is never rebuilt, so that grades keep their items; "
            f"use extend: goldspan pool extend {project.slug}"
        )
    wanted = [Wanted(run.id, run.name, depth) for run in _choose(session, project, run_names)]
    if dry_run:
        tally = Folder(session, project.id, wanted, write=False).fold_all()
        return _report(session, project, wanted, tally, depth)
    pool = Pool(project_id=project.id, depth=depth)
    session.add(pool)
    session.flush()
    return _fill(session, project, pool, wanted, round_number=1, by=by)


def extend(
    session: Session,
    project: Project,
    *,
    run_names: Sequence[str] | None = None,
    depth: int | None = None,
    dry_run: bool = False,
    by: int | None = None,
) -> PoolReport:
    """Add runs to the pool, or take known ones deeper; items keep identity and grades.

    Without names all complete runs that are not in it are added. The depth is the pool's
    unless given. Nothing new to add changes nothing.

    Raises:
        NotFound: there is no pool, or no such run.
        Invalid: a depth out of range, or a run that is not complete.
    """
    if not dry_run:
        projects.lock(session, project.id)
    pool = pool_of(session, project.id)
    depth = _check_depth(pool.depth if depth is None else depth)
    pooled = store.pooled_runs(session, pool.id)
    chosen = _choose(session, project, run_names)
    if run_names is None and depth <= pool.depth:
        chosen = [run for run in chosen if run.id not in pooled]
    wanted = [
        Wanted(run.id, run.name, depth, pooled[run.id].depth if run.id in pooled else 0)
        for run in chosen
        if run.id not in pooled or pooled[run.id].depth < depth
    ]
    if not dry_run:
        store.note_known_texts(session, pool.id)
    if not wanted:
        return _refresh(session, pool, dry_run=dry_run)
    rounds = max((each.round for each in pooled.values()), default=0) + 1
    if dry_run:
        folder = Folder(session, project.id, wanted, pool_id=pool.id, write=False)
        return _report(session, project, wanted, folder.fold_all(), depth, pool)
    return _fill(session, project, pool, wanted, round_number=rounds, by=by)


def _check_depth(depth: int) -> int:
    if not 1 <= depth <= MAX_DEPTH:
        raise Invalid(f"The depth is 1 to {MAX_DEPTH:,} hits of each run, not {depth:,}.")
    return depth


def _choose(session: Session, project: Project, run_names: Sequence[str] | None) -> list[Run]:
    if not run_names:
        runs = retrieval.runs_done(session, project.id)
    else:
        names = dict.fromkeys(run_names)
        runs = [retrieval.run_by_name(session, project.id, name) for name in names]
    waiting = [run.name for run in runs if run.state != "done"]
    if waiting:
        raise Invalid(f"Not complete yet: {', '.join(waiting)}. Pool them when they are done.")
    if not runs:
        raise Invalid(
            "There are no complete runs to pool. Retrieve or import some first: "
            f"goldspan retrieve {project.slug}"
        )
    return runs


def _fill(
    session: Session,
    project: Project,
    pool: Pool,
    wanted: Sequence[Wanted],
    *,
    round_number: int,
    by: int | None,
) -> PoolReport:
    folder = Folder(session, project.id, wanted, pool_id=pool.id, round_number=round_number)
    tally = folder.fold_all()
    depth = max(each.depth for each in wanted)
    for each in wanted:
        session.merge(
            PoolRun(pool_id=pool.id, run_id=each.run_id, depth=depth, round=round_number)
        )
    report = _report(session, project, wanted, tally, depth, pool)
    pool.statistics = report.as_statistics()
    pool.depth = max(pool.depth, depth)
    if round_number > 1:
        pool.extended_at = now(session)
    verb = "pooled" if round_number == 1 else "extended the pool"
    what = f"{len(wanted)} runs to depth {depth}: {report.added} new passages"
    projects.record(session, project.id, verb, what, by=by)
    return report


def _refresh(session: Session, pool: Pool, *, dry_run: bool) -> PoolReport:
    """Return the kept figures where nothing is added, with what texts have come since."""
    kept = read_report(pool)
    if dry_run:
        return kept
    items, gradable = store.count_gradable(session, pool.id)
    statistics = kept.as_statistics() | {
        "gradable": gradable, "unknown": items - gradable, "added": 0,
    }  # fmt: skip
    pool.statistics = statistics
    session.flush()
    return read_report(pool)


def _report(
    session: Session,
    project: Project,
    wanted: Sequence[Wanted],
    tally: Tally,
    depth: int,
    pool: Pool | None = None,
) -> PoolReport:
    names = {run.id: run.name for run in retrieval.list_runs(session, project.id)}
    pooled = store.pooled_runs(session, pool.id) if pool is not None else {}
    order = dict.fromkeys([*pooled, *(each.run_id for each in wanted)])
    ids = {each.query_ref: each.query_id for each in queries.list_current(session, project.id)}
    return PoolReport(
        items=tally.items,
        queries=tally.queries,
        runs={names[run]: RunPart(tally.hits[run], tally.unique[run]) for run in order},
        gradable=tally.gradable,
        unknown=tally.items - tally.gradable,
        added=tally.added,
        depth=depth,
        short_total=tally.short_total,
        short=tuple(ShortList(ids[ref], run, taken) for ref, run, taken in tally.short),
    )


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """How many items a pool holds, and of how many the text is known."""

    items: int
    gradable: int


def counts(session: Session, project_id: int) -> PoolCounts | None:
    """Return the figures kept with the project's pool without scanning it, None without one."""
    pool = store.pool_of(session, project_id)
    if pool is None:
        return None
    report = read_report(pool)
    return PoolCounts(report.items, report.gradable)


def iterate_gradable(session: Session, pool: Pool) -> Iterator[tuple[int, int]]:
    """Stream (query_ref, item id) of the items whose text is known, by query and item."""
    return store.gradable_items(session, pool.id)
