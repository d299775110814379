"""Plans: which items want how many grades, worked out before anybody is asked."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from app.assignment import store_plans
from app.domain.assignment import SECONDS_PER_GRADE, Chosen, plan_blocks, plan_sample
from app.domain.sampling import Split, split_queries
from app.errors import Conflict, Invalid
from app.models import Plan, Project
from app.pooling import service as pooling
from app.projects import service as projects

DEFAULT_SAMPLE = 200
SEATS = 2
MAX_SEATS = 5
SEED = 1
GROUP = "group"
"""The tag whose queries stay together in dev or test: paraphrases, for example."""

Rest = Literal["smes", "judge"]


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """What a plan would ask for.

    ``sample`` items want ``seats`` grades each, ``rest`` items one of an SME, ``judged``
    items none. ``blocks`` are questions times seats; ``dev`` and ``test`` count the sampled
    items of each split; ``minutes`` is the price of all grades together.
    """

    sample: int
    seats: int
    rest: int
    judged: int
    grades: int
    blocks: int
    queries: int
    smes: int
    dev: int
    test: int
    seed: int
    minutes: int

    def as_json(self) -> dict[str, int]:
        """Return the figures under their names."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Draft:
    """The waves of a plan as values: items by query, and what is known of each sampled."""

    sample: Mapping[int, list[int]]
    chosen: Mapping[int, Chosen[int]]
    splits: Mapping[int, Split]
    rest: Mapping[int, list[int]]
    judged: int


def preview_plan(
    session: Session,
    project: Project,
    *,
    sample_size: int | None = None,
    seats: int = SEATS,
    seed: int = SEED,
    rest: Rest = "smes",
) -> PlanPreview:
    """Say what `make_plan` would ask for; stores nothing.

    Raises:
        Invalid: a size or number of seats out of range.
        NotFound: there is no pool.
        Conflict: everything in the pool is planned already.
    """
    draft = _draft(session, project, sample_size, seats, seed, rest)
    return _price(session, project, draft, seats, seed)


def make_plan(
    session: Session,
    project: Project,
    *,
    sample_size: int | None = None,
    seats: int = SEATS,
    seed: int = SEED,
    rest: Rest = "smes",
    by: int | None = None,
) -> list[Plan]:
    """Queue what the pool holds and return the waves made.

    The first time a validation sample is drawn: a seeded simple random sample of the
    gradable items (200, or all where there are fewer), with ``seats`` grades of different
    SMEs each and the chance of being drawn kept. Its queries are split into dev and test,
    under 72 all are test. Then the rest: items without an SME's grade, once each, unless
    the judge is to do them. Later calls queue only what ``pool extend`` brought.

    Raises:
        Invalid: a size or number of seats out of range.
        NotFound: there is no pool.
        Conflict: everything in the pool is planned already, or a second sample is asked for.
    """
    projects.lock(session, project.id)
    draft = _draft(session, project, sample_size, seats, seed, rest)
    preview = _price(session, project, draft, seats, seed)
    waves = []
    if draft.sample:
        waves.append(_add_wave(session, project, "validation", draft, preview))
    if draft.rest:
        waves.append(_add_wave(session, project, "primary", draft, preview))
    what = f"{preview.grades} grades of {preview.sample + preview.rest} passages"
    projects.record(session, project.id, "planned", what, by=by)
    return waves


def list_plans(session: Session, project_id: int) -> list[Plan]:
    """Return the waves of a project in order."""
    return store_plans.plans_of(session, project_id)


def has_judge(session: Session, project_id: int) -> bool:
    """Tell whether a judge could do the rest."""
    return store_plans.has_judge(session, project_id)


def _draft(
    session: Session,
    project: Project,
    sample_size: int | None,
    seats: int,
    seed: int,
    rest: Rest,
) -> _Draft:
    _check(sample_size, seats, seed)
    pool = pooling.pool_of(session, project.id)
    planned = set(store_plans.planned_items(session, project.id))
    gradable = {
        item: query
        for query, item in pooling.iterate_gradable(session, pool)
        if item not in planned
    }
    chosen = _draw(session, project, list(gradable), sample_size, seed)
    taken = {one.item: one for one in chosen}
    graded = set(store_plans.graded_items(session, project.id))
    left = [item for item in gradable if item not in taken and item not in graded]
    if not taken and not left:
        raise Conflict(
            "Everything in the pool is planned or graded already. Extend the pool first: "
            f"goldspan pool extend {project.slug}"
        )
    sample = _group(list(taken), gradable)
    return _Draft(
        sample=sample,
        chosen=taken,
        splits=_split(session, project.id, sample, seed),
        rest=_group(left, gradable) if rest == "smes" else {},
        judged=len(left) if rest == "judge" else 0,
    )


def _check(sample_size: int | None, seats: int, seed: int) -> None:
    if sample_size is not None and sample_size < 0:
        raise Invalid("A sample has 0 passages or more.")
    if not 1 <= seats <= MAX_SEATS:
        raise Invalid(f"A passage of the sample wants 1 to {MAX_SEATS} grades, not {seats}.")
    if not -(2**31) <= seed < 2**31:
        raise Invalid("The seed is a whole number of at most 31 bits.")


def _draw(
    session: Session, project: Project, items: list[int], size: int | None, seed: int
) -> list[Chosen[int]]:
    drawn = any(plan.kind == "validation" for plan in list_plans(session, project.id))
    if drawn and size:
        raise Conflict(
            "The validation sample is drawn already; a second draw would change who had "
            "which chance. Leave the sample out to queue what is new."
        )
    if drawn:
        return []
    return plan_sample(items, DEFAULT_SAMPLE if size is None else size, seed)


def _group(items: Sequence[int], queries: Mapping[int, int]) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = {}
    for item in sorted(items):
        grouped.setdefault(queries[item], []).append(item)
    return grouped


def _split(
    session: Session, project_id: int, sample: Mapping[int, list[int]], seed: int
) -> dict[int, Split]:
    known = store_plans.query_groups(session, project_id)
    groups = {known[ref][0]: _group_of(*known[ref]) for ref in sample}
    splits = split_queries(groups, seed)
    return {ref: splits[known[ref][0]] for ref in sample}


def _group_of(query_id: str, tags: Mapping[str, Any]) -> str:
    named = tags.get(GROUP)
    return f"tag {named}" if named else f"query {query_id}"


def _price(
    session: Session, project: Project, draft: _Draft, seats: int, seed: int
) -> PlanPreview:
    sample = sum(map(len, draft.sample.values()))
    rest = sum(map(len, draft.rest.values()))
    grades = sample * seats + rest
    dev = sum(len(items) for ref, items in draft.sample.items() if draft.splits[ref] == "dev")
    return PlanPreview(
        sample=sample,
        seats=seats,
        rest=rest,
        judged=draft.judged,
        grades=grades,
        blocks=len(draft.sample) * seats + len(draft.rest),
        queries=len(draft.sample.keys() | draft.rest.keys()),
        smes=store_plans.count_members(session, project.id, "sme"),
        dev=dev,
        test=sample - dev,
        seed=seed,
        minutes=-(-grades * SECONDS_PER_GRADE // 60),
    )


def _add_wave(
    session: Session,
    project: Project,
    kind: Literal["validation", "primary"],
    draft: _Draft,
    preview: PlanPreview,
) -> Plan:
    first = kind == "validation"
    plan = Plan(
        project_id=project.id,
        wave=len(list_plans(session, project.id)) + 1,
        kind=kind,
        seed=preview.seed,
        settings=preview.as_json(),
    )
    session.add(plan)
    session.flush()
    items = draft.sample if first else draft.rest
    planned = plan_blocks(items, preview.seats if first else 1, preview.seed)
    base = store_plans.last_position(session, project.id) + 1
    blocks = store_plans.add_blocks(
        session,
        plan.id,
        [
            {
                "project_id": project.id,
                "plan_id": plan.id,
                "query_ref": block.query,
                "seat": block.seat,
                "position": base + block.place,
                "state": "open",
                "reserved": False,
                "extra": False,
            }
            for block in planned
        ],
    )
    rows = [
        _slot_row(kind, blocks[block.query, block.seat], item, draft, block.query)
        for block in planned
        for item in block.items
    ]
    store_plans.add_slots(session, rows)
    return plan


def _slot_row(
    kind: str, block_id: int, item: int, draft: _Draft, query_ref: int
) -> dict[str, Any]:
    sampled = kind == "validation"
    return {
        "block_id": block_id,
        "item_id": item,
        "kind": kind,
        "token": secrets.token_urlsafe(16),
        "position": 0,
        "state": "open",
        "split": draft.splits[query_ref] if sampled else None,
        "inclusion": draft.chosen[item].inclusion if sampled else None,
    }
