"""Filling: a project with very many items, written set by set and so in about a minute."""

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.db import Database, transaction
from app.projects import service as projects

TEXT = "An opened item may be returned within 14 days of delivery. " * 40
NUMBERS = """WITH RECURSIVE numbers(n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) """


@dataclass(frozen=True, slots=True)
class Filling:
    """How much of everything; ``each`` items a query, of which the first queries are graded.

    A query has one block. Its SME is number query % smes, from 1; nobody's until graded.
    """

    queries: int
    each: int = 10
    documents: int = 1_000
    smes: int = 50
    graded: int = 0

    @property
    def items(self) -> int:
        return self.queries * self.each


def fill(database: Database, filling: Filling) -> int:
    """Fill an empty database and return the id of its one project, ``bench``."""
    with transaction(database) as session:
        project = projects.create_project(session, "bench").id
        _relax(session)
        _fill_corpus(session, filling)
        _fill_items(session, filling)
        _fill_slots(session, filling)
        _fill_grades(session, filling)
        _go_on_counting(session)
    if not database.is_sqlite:  # as PostgreSQL does by itself, a minute later
        with database.writer.execution_options(
            isolation_level="AUTOCOMMIT"
        ).connect() as connection:
            connection.execute(text("VACUUM ANALYZE"))
    return project


def fill_corpus(database: Database, filling: Filling) -> None:
    """Fill an empty database with the project ``bench``, its documents and queries only."""
    with transaction(database) as session:
        projects.create_project(session, "bench")
        _relax(session)
        _fill_corpus(session, filling)
        _go_on_counting(session)


def is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def run(session: Session, statement: str, count: int, **values: object) -> None:
    """Insert one row for each number n from 1 to ``count``."""
    head = NUMBERS.format(count=count)
    json, long_ago = "'{}'", "'2026-01-05 08:00:00'"
    if not is_sqlite(session):
        json, long_ago = f"CAST({json} AS jsonb)", f"CAST({long_ago} AS timestamptz)"
    statement = statement.replace("JSON", json).replace("LONG_AGO", long_ago)
    target, chosen = statement.split("SELECT", 1)
    session.execute(text(f"{head} {target} SELECT {chosen} FROM numbers"), values)


def _relax(session: Session) -> None:
    """Leave out what only checks that our own rows refer to each other."""
    if not is_sqlite(session):
        session.execute(text("SET LOCAL session_replication_role = replica"))


def _fill_corpus(session: Session, filling: Filling) -> None:
    run(
        session,
        "INSERT INTO documents (id, project_id, doc_id, tags, current_version_id, created_at)"
        " SELECT n, 1, 'doc-' || n, JSON, NULL, CURRENT_TIMESTAMP",
        filling.documents,
    )
    run(
        session,
        "INSERT INTO document_versions"
        " (id, document_ref, sha256, title, text, length, created_at)"
        " SELECT n, n, 'hash-' || n, 'Returns ' || n, :text, :length, CURRENT_TIMESTAMP",
        filling.documents,
        text=TEXT,
        length=len(TEXT),
    )
    run(
        session,
        "INSERT INTO queries (id, project_id, query_id, tags, position, created_at)"
        " SELECT n, 1, 'query-' || n, JSON, n, CURRENT_TIMESTAMP",
        filling.queries,
    )
    run(
        session,
        "INSERT INTO query_versions (id, query_ref, version, text, need, created_at)"
        " SELECT n, n, 1, 'How long may a customer return item ' || n,"
        " 'Complete if it names the period.', CURRENT_TIMESTAMP",
        filling.queries,
    )
    for table in ("documents", "queries"):
        session.execute(text(f"UPDATE {table} SET current_version_id = id"))


def _fill_items(session: Session, filling: Filling) -> None:
    """Add items; number n is the query (n - 1) / each + 1 with documents that differ."""
    run(
        session,
        "INSERT INTO items (id, project_id, query_ref, document_version_id, whole, span_start,"
        " span_end, kind, created_at)"
        " SELECT n, 1, (n - 1) / :each + 1, (n * 7) % :documents + 1, FALSE,"
        " 59 * (n % 8), 59 * (n % 8) + 400, 'relevance', CURRENT_TIMESTAMP",
        filling.items,
        each=filling.each,
        documents=filling.documents,
    )
    session.execute(
        text(
            "INSERT INTO pools (id, project_id, name, depth, statistics, created_at)"
            " VALUES (1, 1, 'main', 20, :statistics, CURRENT_TIMESTAMP)"
        ),
        {
            "statistics": f'{{"items": {filling.items}, "queries": {filling.queries},'
            f' "runs": {{}}, "gradable": {filling.items}, "unknown": 0, "added": 0,'
            ' "depth": 20, "short_total": 0, "short": []}'
        },
    )
    run(
        session,
        "INSERT INTO pool_items (pool_id, item_id, gradable, best_rank, run_count, round)"
        " SELECT 1, n, TRUE, n % 20 + 1, n % 5 + 1, 1",
        filling.items,
    )


def _fill_slots(session: Session, filling: Filling) -> None:
    run(
        session,
        "INSERT INTO graders (id, project_id, kind, name, pseudonym, created_at)"
        " SELECT n, 1, 'sme', 'sme ' || n, 'sme-' || n, CURRENT_TIMESTAMP",
        filling.smes,
    )
    session.execute(
        text(
            "INSERT INTO plans (id, project_id, wave, kind, seed, settings, created_at)"
            " VALUES (1, 1, 1, 'primary', 7, '{}', CURRENT_TIMESTAMP)"
        )
    )
    run(
        session,
        "INSERT INTO blocks (id, project_id, plan_id, query_ref, seat, position, state,"
        " grader_id, reserved, extra, finished_at)"
        " SELECT n, 1, 1, n, 1, n, CASE WHEN n <= :graded THEN 'done' ELSE 'open' END,"
        " CASE WHEN n <= :graded THEN n % :smes + 1 END, FALSE, FALSE,"
        " CASE WHEN n <= :graded THEN CURRENT_TIMESTAMP END",
        filling.queries,
        graded=filling.graded,
        smes=filling.smes,
    )
    run(
        session,
        "INSERT INTO slots (id, block_id, item_id, kind, token, position, state)"
        " SELECT n, (n - 1) / :each + 1, n, 'primary', 'token-' || n, (n - 1) % :each + 1,"
        " CASE WHEN (n - 1) / :each < :graded THEN 'done' ELSE 'open' END",
        filling.items,
        each=filling.each,
        graded=filling.graded,
    )


def _fill_grades(session: Session, filling: Filling) -> None:
    if not filling.graded:
        return
    run(
        session,
        "INSERT INTO claims (block_id, grader_id, created_at)"
        " SELECT n, n % :smes + 1, LONG_AGO",
        filling.graded,
        smes=filling.smes,
    )
    run(
        session,
        "INSERT INTO grades (id, slot_id, slot_kind, item_id, grader_id, token, value,"
        " withdrawn, current, context_opened, query_version_id, document_version_id,"
        " card_hash, created_at)"
        " SELECT n, n, 'primary', n, ((n - 1) / :each + 1) % :smes + 1, 'key-' || n, n % 4,"
        " FALSE, TRUE, FALSE, (n - 1) / :each + 1, (n * 7) % :documents + 1, 'hash',"
        " LONG_AGO",
        filling.graded * filling.each,
        each=filling.each,
        smes=filling.smes,
        documents=filling.documents,
    )


def _go_on_counting(session: Session) -> None:
    """Let PostgreSQL number what comes next behind the rows that brought their own ids."""
    if is_sqlite(session):
        return
    for table in (
        "documents", "document_versions", "queries", "query_versions", "items", "pools",
        "graders", "plans", "blocks", "slots", "grades",
    ):  # fmt: skip
        session.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
                f" (SELECT coalesce(max(id), 1) FROM {table}))"
            )
        )
