from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.assignment import service
from app.errors import Conflict, Invalid, NotFound
from app.models import Block, Project, Slot
from app.pooling import service as pooling
from tests.assignment.desk import give, next_card
from tests.factories import make_document, make_grader, make_project, make_query
from tests.pooling.runs import make_run


def make_pool(session: Session, *, queries: int = 4, items: int = 5) -> Project:
    project = make_project(session)
    hits = {
        make_query(session, project).id: [make_document(session, project) for _ in range(items)]
        for _ in range(queries)
    }
    make_run(session, project, "A", dict(hits))
    pooling.build(session, project)
    return project


def pooled(session: Session, project: Project) -> list[int]:
    pool = pooling.pool_of(session, project.id)
    return sorted(item for _, item in pooling.iterate_gradable(session, pool))


def slots_of(session: Session, project: Project, kind: str) -> list[Slot]:
    return list(
        session.scalars(
            select(Slot)
            .join(Block, Block.id == Slot.block_id)
            .where(Block.project_id == project.id, Slot.kind == kind)
            .order_by(Slot.id)
        )
    )


def test_a_plan_asks_twice_for_the_sample_and_once_for_the_rest(session: Session) -> None:
    project = make_pool(session)

    preview = service.preview_plan(session, project, sample_size=8)
    waves = service.make_plan(session, project, sample_size=8)

    sampled = slots_of(session, project, "validation")
    rest = slots_of(session, project, "primary")
    assert [wave.kind for wave in waves] == ["validation", "primary"]
    assert (preview.sample, preview.rest, preview.grades) == (8, 12, 28)
    assert (len(sampled), len(rest)) == (16, 12)
    assert {slot.inclusion for slot in sampled} == {8 / 20}
    assert {slot.split for slot in sampled} == {"test"}  # under 72 queries all are
    assert {slot.inclusion for slot in rest} == {None}
    assert not {slot.item_id for slot in sampled} & {slot.item_id for slot in rest}
    progress = service.progress(session, project.id)
    assert [(wave.wanted, wave.open) for wave in progress.waves] == [(16, 16), (12, 12)]


def test_the_same_seed_draws_the_same_sample(session: Session) -> None:
    project = make_pool(session)
    service.make_plan(session, project, sample_size=5, seed=3)
    drawn = {slot.item_id for slot in slots_of(session, project, "validation")}
    items = sorted(
        item
        for _, item in pooling.iterate_gradable(session, pooling.pool_of(session, project.id))
    )

    other = make_pool(session)
    service.make_plan(session, other, sample_size=5, seed=3)
    again = {slot.item_id for slot in slots_of(session, other, "validation")}
    others = sorted(
        item
        for _, item in pooling.iterate_gradable(session, pooling.pool_of(session, other.id))
    )

    assert [items.index(item) for item in sorted(drawn)] == [
        others.index(item) for item in sorted(again)
    ]


def test_from_72_queries_on_some_are_kept_for_tuning(session: Session) -> None:
    project = make_pool(session, queries=72, items=1)

    preview = service.preview_plan(session, project, sample_size=72)

    assert (preview.dev, preview.test) == (22, 50)


def test_a_judge_may_be_given_the_rest(session: Session) -> None:
    project = make_pool(session)

    service.make_plan(session, project, sample_size=8, rest="judge")

    assert slots_of(session, project, "primary") == []
    assert service.progress(session, project.id).wanted == 16


def test_what_an_sme_has_graded_elsewhere_is_not_asked_again(session: Session) -> None:
    project = make_pool(session, queries=1, items=2)
    sme = make_grader(session, project, "NIST")
    pool = pooling.pool_of(session, project.id)
    (_, item), _ = pooling.iterate_gradable(session, pool)
    card = service.card_of(session, item)
    rows = [
        service.JudgeGrade(item, 1, None, None, card.query_version_id, card.document_version_id)
    ]
    service.write_judge_grades(session, grader=sme, rows=rows)

    assert service.preview_plan(session, project, sample_size=0).rest == 1


def test_later_only_what_an_extension_brought_is_queued(session: Session) -> None:
    project = make_pool(session, queries=1, items=3)
    service.make_plan(session, project, sample_size=2)
    with pytest.raises(Conflict, match="planned or graded already"):
        service.make_plan(session, project)
    query_ref = slots_of(session, project, "validation")[0]
    ref = session.get_one(Block, query_ref.block_id).query_ref
    make_run(session, project, "B", {ref: [make_document(session, project)]})
    pooling.extend(session, project)

    with pytest.raises(Conflict, match="drawn already"):
        service.make_plan(session, project, sample_size=2)
    (wave,) = service.make_plan(session, project)

    assert (wave.wave, wave.kind) == (3, "primary")
    assert len(slots_of(session, project, "primary")) == 2


def test_two_smes_work_through_a_plan(session: Session) -> None:
    project = make_pool(session, queries=2, items=2)
    service.make_plan(session, project, sample_size=2)
    ada, bob = make_grader(session, project, "ada"), make_grader(session, project, "bob")

    for sme in (ada, bob):
        while service.next_slot(session, project_id=project.id, grader=sme):
            give(session, sme, next_card(session, sme), 1)

    progress = service.progress(session, project.id)
    assert (progress.graded, progress.open) == (6, 0)
    current = list(service.current_grades(session, project.id))
    sampled = [row for row in current if row.slot_kind == "validation"]
    assert {(row.split, row.inclusion) for row in sampled} == {("test", 0.5)}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"sample_size": -1}, "0 passages or more", id="a negative sample"),
        pytest.param({"seats": 0}, "1 to 5", id="no seats"),
        pytest.param({"seed": 2**40}, "31 bits", id="an endless seed"),
    ],
)
def test_a_plan_out_of_range_is_refused(
    session: Session, options: dict[str, Any], reason: str
) -> None:
    project = make_pool(session, queries=1, items=1)

    with pytest.raises(Invalid, match=reason):
        service.make_plan(session, project, **options)


def test_without_a_pool_there_is_no_plan(session: Session) -> None:
    with pytest.raises(NotFound, match="no pool"):
        service.preview_plan(session, make_project(session))


def test_the_order_of_cards_is_the_same_for_one_sme_and_another_for_another(
    session: Session,
) -> None:
    """V-041: all cards once, whoever asks, however often."""
    project = make_pool(session, queries=1, items=20)
    service.make_plan(session, project, sample_size=20)

    ada, bob = walk(session, project, "ada"), walk(session, project, "bob")

    assert sorted(ada) == sorted(bob) == sorted(set(ada))
    assert ada != bob


def walk(session: Session, project: Project, name: str) -> list[int]:
    """Return the items in the order of one SME's cards, looked at twice."""
    sme = make_grader(session, project, name)
    tokens: list[str] = []
    for _ in range(20):
        tokens.append(next_card(session, sme, tokens[-1] if tokens else None).token)
    places = [service.slot_view(session, grader=sme, token=each).place for each in tokens]
    assert places == list(range(1, 21))
    items = {slot.token: slot.item_id for slot in slots_of(session, project, "validation")}
    return [items[each] for each in tokens]
