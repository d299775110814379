import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import Conflict, Invalid, NotFound
from app.models import Item, Member, PoolItem
from app.pooling import service
from tests.factories import make_document, make_item, make_project, make_query
from tests.pooling.runs import make_run

LETTERS = "abcdefghijkl"


def test_a_pool_is_the_union_of_the_runs_and_knows_who_found_what(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    one, two, three = (make_document(session, project) for _ in range(3))
    make_run(session, project, "A", {query.id: [one, two]})
    make_run(session, project, "B", {query.id: [two, three]})

    report = service.build(session, project)

    assert report.as_json() == {
        "items": 3,
        "queries": 1,
        "runs": {"A": {"hits": 2, "unique": 1}, "B": {"hits": 2, "unique": 1}},
    }
    found = session.execute(
        select(Item.document_version_id, PoolItem.best_rank, PoolItem.run_count)
        .join(PoolItem, PoolItem.item_id == Item.id)
        .where(Item.project_id == project.id)
        .order_by(Item.document_version_id)
    ).all()
    assert [tuple(row) for row in found] == [(one.id, 1, 1), (two.id, 1, 2), (three.id, 2, 1)]
    assert (
        session.scalars(
            select(func.count())
            .select_from(Member)
            .join(Item, Item.id == Member.item_id)
            .where(Item.project_id == project.id)
        ).one()
        == 4
    )


def test_a_dry_run_counts_the_same_and_stores_nothing(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    make_run(session, project, "A", {query.id: [make_document(session, project)]})

    counted = service.build(session, project, dry_run=True)

    assert service.find_pool(session, project.id) is None
    assert counted == service.build(session, project)
    assert service.read_report(service.pool_of(session, project.id)) == counted


def test_only_the_first_hits_down_to_the_depth_are_taken(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    versions = [make_document(session, project) for _ in range(5)]
    make_run(session, project, "A", {query.id: versions})

    assert service.build(session, project, depth=3).items == 3


def test_a_run_with_fewer_hits_than_the_depth_is_named(session: Session) -> None:
    """V-071."""
    project = make_project(session)
    query = make_query(session, project, query_id="q1")
    versions = [make_document(session, project) for _ in range(3)]
    make_run(session, project, "A", {query.id: versions})
    make_run(session, project, "B", {query.id: versions[:1]})

    report = service.build(session, project, depth=3)

    assert report.short == (service.ShortList("q1", "B", 1),)


def test_overlapping_and_nested_spans_are_items_of_their_own(session: Session) -> None:
    """V-025."""
    project = make_project(session)
    query = make_query(session, project)
    version = make_document(session, project, LETTERS)
    places = [(version, 0, 10), (version, 0, 4), (version, 3, 8), (version, 6, 12)]
    make_run(session, project, "A", {query.id: places})

    assert service.build(session, project).items == 4


def test_touching_spans_stay_apart(session: Session) -> None:
    """V-026."""
    project = make_project(session)
    query = make_query(session, project)
    version = make_document(session, project, "abcdefgh")
    make_run(session, project, "A", {query.id: [(version, 0, 4), (version, 4, 8)]})

    assert service.build(session, project).items == 2


def test_an_item_is_query_document_start_and_end(session: Session) -> None:
    """V-027: ids that look like spans never collide with spans."""
    project = make_project(session)
    query = make_query(session, project)
    first = make_document(session, project, LETTERS, doc_id="d1")
    other = make_document(session, project, LETTERS, doc_id="d1:0-5")
    make_run(session, project, "A", {query.id: [(first, 0, 5)]})
    make_run(session, project, "B", {query.id: [(first, 0, 5)]})
    make_run(session, project, "C", {query.id: [(first, 5, 9)]})
    make_run(session, project, "D", {query.id: [other]})

    report = service.build(session, project)

    assert report.items == 3
    assert {name: part.unique for name, part in report.runs.items()} == {
        "A": 0, "B": 0, "C": 1, "D": 1,
    }  # fmt: skip


def test_documents_without_a_text_are_counted_and_never_queued(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    known, unknown = make_document(session, project), make_document(session, project, None)
    make_run(session, project, "A", {query.id: [unknown, known]})

    report = service.build(session, project)

    assert (report.items, report.gradable, report.unknown) == (2, 1, 1)
    pool = service.pool_of(session, project.id)
    gradable = [item for _, item in service.iterate_gradable(session, pool)]
    kept = session.get_one(Item, gradable[0])
    assert (len(gradable), kept.document_version_id) == (1, known.id)


def test_an_item_that_imported_grades_made_is_used_again(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    version = make_document(session, project)
    item = make_item(session, query, version)
    make_run(session, project, "A", {query.id: [version]})

    service.build(session, project)

    pool = service.pool_of(session, project.id)
    assert list(service.iterate_gradable(session, pool)) == [(query.id, item.id)]


def test_a_pool_is_not_built_twice(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    make_run(session, project, "A", {query.id: [make_document(session, project)]})
    service.build(session, project)

    with pytest.raises(Conflict, match="use extend"):
        service.build(session, project)


def test_extending_keeps_items_and_adds_only_what_is_new(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    version = make_document(session, project, LETTERS * 10)
    fresh = make_document(session, project)
    make_run(session, project, "A", {query.id: [(version, 0, 100)]})
    service.build(session, project)
    pool = service.pool_of(session, project.id)
    (before,) = service.iterate_gradable(session, pool)
    make_run(session, project, "B", {query.id: [(version, 2, 100), fresh]})

    counted = service.extend(session, project, dry_run=True)
    report = service.extend(session, project)
    again = service.extend(session, project)

    assert counted == report
    assert report.added == 1
    assert report.as_json() == {
        "items": 2,
        "queries": 1,
        "runs": {"A": {"hits": 1, "unique": 0}, "B": {"hits": 2, "unique": 1}},
    }
    assert before in list(service.iterate_gradable(session, pool))
    evidence = session.get_one(PoolItem, (pool.id, before[1]), populate_existing=True)
    assert (evidence.best_rank, evidence.run_count, evidence.round) == (1, 2, 1)
    assert (again.items, again.added) == (2, 0)


def test_a_run_can_be_taken_deeper_later(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    versions = [make_document(session, project) for _ in range(4)]
    make_run(session, project, "A", {query.id: versions})
    service.build(session, project, depth=2)

    report = service.extend(session, project, depth=4)

    assert (report.items, report.added) == (4, 2)
    assert report.runs["A"] == service.RunPart(4, 4)


def test_a_text_that_came_later_makes_its_items_gradable(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    version = make_document(session, project, None)
    make_run(session, project, "A", {query.id: [version]})
    service.build(session, project)
    version.text, version.length = "now", 3
    session.flush()

    report = service.extend(session, project)

    assert (report.gradable, report.unknown) == (1, 0)


@pytest.mark.parametrize("depth", [0, -1, 1001])
def test_a_depth_out_of_range_is_refused(session: Session, depth: int) -> None:
    with pytest.raises(Invalid, match="depth"):
        service.build(session, make_project(session), depth=depth)


def test_runs_that_are_missing_or_not_complete_are_refused(session: Session) -> None:
    project = make_project(session)
    with pytest.raises(Invalid, match="no complete runs"):
        service.build(session, project)
    with pytest.raises(NotFound):
        service.build(session, project, run_names=["A"])
    make_run(session, project, "A", {}).state = "running"
    session.flush()
    with pytest.raises(Invalid, match="Not complete yet: A"):
        service.build(session, project, run_names=["A"])
    with pytest.raises(NotFound, match="no pool"):
        service.extend(session, project)
