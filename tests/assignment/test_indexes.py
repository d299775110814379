"""Indexes: the queries of grading use them, word for word, on both databases (V-094)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from app.assignment import store, store_grades

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def explain(session: Session, act: Callable[[Session], Any]) -> str:
    """Do something and return the plans of the statements it sent."""
    sent: list[tuple[str, Any]] = []
    connection = session.connection()

    def note(_c: Any, _u: Any, statement: str, parameters: Any, *_: Any) -> None:
        sent.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    act(session)
    event.remove(connection, "before_cursor_execute", note)
    word = "EXPLAIN QUERY PLAN"
    if session.get_bind().dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # the tables are empty
        word = "EXPLAIN"
    return "\n".join(
        str(tuple(row))
        for statement, parameters in sent
        for row in connection.exec_driver_sql(f"{word} {statement}", parameters)
    )


@pytest.mark.parametrize(
    ("indexes", "act"),
    [
        pytest.param(
            "ix_grades_current_slot ix_grades_own",  # PostgreSQL sees no difference yet
            lambda session: store_grades.current_on(session, 1, 1),
            id="the current grade of a slot",
        ),
        pytest.param(
            "ix_grades_own",
            lambda session: store_grades.count_since(session, 1, MOMENT),
            id="the grades of today",
        ),
        pytest.param(
            "ix_grades_item",
            lambda session: list(store_grades.current_grades(session, 1, None, [1, 2])),
            id="the grades of some items",
        ),
        pytest.param(
            "ix_blocks_reserved",
            lambda session: store.claim_block(session, 1, 1, MOMENT, reserved=True),
            id="a block that waits for one SME",
        ),
        pytest.param(
            "ix_blocks_open",
            lambda session: store.claim_block(session, 1, 1, MOMENT),
            id="the first open block",
        ),
    ],
)
def test_a_query_of_grading_reads_an_index(
    session: Session, indexes: str, act: Callable[[Session], Any]
) -> None:
    plan = explain(session, act)

    assert any(index in plan for index in indexes.split()), plan
