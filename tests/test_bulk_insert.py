"""Tests of inserting very many rows, on both databases."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db import VALUES, bulk_insert
from app.models import RunQuery
from tests.factories import make_project, make_query
from tests.pooling.runs import make_run

COLUMNS = ("run_id", "query_ref", "hits", "milliseconds")


def test_rows_arrive_as_they_are_with_defaults_for_the_rest(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project)
    run = make_run(session, project, "a", {})

    bulk_insert(session, RunQuery, COLUMNS, iter([(run.id, query.id, 3, None)]))

    stored = session.scalars(select(RunQuery)).one()
    assert (stored.hits, stored.milliseconds, stored.cost) == (3, None, None)


def test_more_rows_than_one_statement_takes_are_all_inserted(session: Session) -> None:
    project = make_project(session)
    query = make_query(session, project).id
    rows = [
        (make_run(session, project, f"r{n}", {}).id, query, n, n / 7)
        for n in range(VALUES // 3)
    ]

    bulk_insert(session, RunQuery, COLUMNS, rows)

    found = session.execute(
        select(RunQuery.hits, RunQuery.milliseconds).order_by(RunQuery.hits)
    )
    assert [tuple(row) for row in found] == [row[2:] for row in rows]


def test_no_rows_are_no_work(session: Session) -> None:
    bulk_insert(session, RunQuery, COLUMNS, [])

    assert session.scalar(select(func.count()).select_from(RunQuery)) == 0
