"""Rows: jobs that write rows into tables of their own, slowly enough to be interrupted."""

import asyncio
import os
import time
from collections.abc import Iterable

from sqlalchemy import Column, Integer, MetaData, Table, Text, func, insert, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app import jobs
from app.db import Database, transaction

tables = MetaData()
wanted = Table(
    "test_wanted",
    tables,
    Column("name", Text, primary_key=True),
    Column("units", Integer),
    Column("milliseconds", Integer),
    Column("state", Text),
)
done = Table(
    "test_done",
    tables,
    Column("name", Text, primary_key=True),
    Column("unit", Integer, primary_key=True),
    Column("process", Integer),
)
starts = Table(
    "test_starts",
    tables,
    Column("id", Integer, primary_key=True),
    Column("name", Text),
    Column("process", Integer),
)


@jobs.define("test-write", queue="judging")
def write_rows(database: Database, name: str) -> None:
    """Write the missing units of a name, one short transaction each."""
    with transaction(database) as session:
        session.execute(insert(starts).values(name=name, process=os.getpid()))
    while (left := missing(database, name)) is not None:
        write_unit(database, name, left[0])
        time.sleep(left[1] / 1000)


@jobs.define("test-write-async", queue="judging")
async def write_rows_async(database: Database, name: str) -> None:
    while (left := missing(database, name)) is not None:
        write_unit(database, name, left[0])
        await asyncio.sleep(left[1] / 1000)


@jobs.define("test-fail", queue="judging")
def fail(database: Database, name: str) -> None:
    raise ValueError(f"no rows for {name}")


@jobs.define("test-outage", queue="judging")
def write_after_outage(database: Database, name: str) -> None:
    """Meet a database that is away the first time."""
    with transaction(database) as session:
        session.execute(insert(starts).values(name=name, process=os.getpid()))
    if len(processes_of(database, name)) == 1:
        raise OperationalError("SELECT 1", {}, ConnectionError("server closed"))
    write_unit(database, name, 0)


@jobs.planned
def find_open(session: Session) -> Iterable[jobs.Planned]:
    for name in session.scalars(select(wanted.c.name).where(wanted.c.state == "planned")):
        yield jobs.Planned("test-write", name, (name,))


def missing(database: Database, name: str) -> tuple[int, int] | None:
    """Return the next unit to write and the pause after it; None when all are there."""
    with transaction(database, write=False) as session:
        want = session.execute(select(wanted).where(wanted.c.name == name)).one()
        if want.state == "paused":
            raise jobs.Stopped
        there = set(session.scalars(select(done.c.unit).where(done.c.name == name)))
    left = [unit for unit in range(want.units) if unit not in there]
    return (left[0], want.milliseconds) if left else None


def write_unit(database: Database, name: str, unit: int) -> None:
    """Write one unit unless another worker just has."""
    with transaction(database) as session:
        key = (done.c.name == name, done.c.unit == unit)
        if session.scalar(select(func.count()).where(*key)) == 0:
            row = insert(done).values(name=name, unit=unit, process=os.getpid())
            session.execute(row)


def want_rows(
    session: Session, name: str, units: int, milliseconds: int = 0, state: str = "open"
) -> None:
    session.execute(
        insert(wanted).values(name=name, units=units, milliseconds=milliseconds, state=state)
    )


def count_done(database: Database, name: str) -> int:
    with transaction(database, write=False) as session:
        return session.scalar(select(func.count()).where(done.c.name == name)) or 0


def processes_of(database: Database, name: str) -> list[int]:
    """Return the process of every start of a body, in order."""
    with transaction(database, write=False) as session:
        chosen = select(starts.c.process).where(starts.c.name == name).order_by(starts.c.id)
        return list(session.scalars(chosen))
