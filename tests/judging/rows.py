"""Projects with a pool, judges at a scripted server, and batches worked through at once."""

import asyncio
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from app.db import Database, transaction
from app.judging import batches, chunks, service, store
from app.judging import jobs as _jobs  # noqa: F401 - makes its work known
from app.judging.policy import Policy
from app.judging.service import Standing, Wish
from app.models import (
    Attempt,
    Batch,
    BatchPair,
    Document,
    DocumentVersion,
    GradeEvent,
    Item,
    Judge,
    Pool,
    PoolItem,
    Project,
    Query,
)
from tests.factories import make_document, make_item, make_project, make_query
from tests.scripted_server import ScriptedServer

QUICK = Policy(max_tries=3, first_wait=0.02)
AWAY = "https://judge.example.org/v1"


def make_pool(session: Session, project: Project) -> Pool:
    pool = Pool(project_id=project.id, depth=20)
    session.add(pool)
    session.flush()
    return pool


def put_in_pool(session: Session, pool: Pool, *items: Item, gradable: bool = True) -> None:
    for item in items:
        session.add(
            PoolItem(
                pool_id=pool.id,
                item_id=item.id,
                gradable=gradable,
                best_rank=1,
                run_count=1,
                round=1,
            )
        )
    session.flush()


def make_pairs(
    session: Session, project: Project, count: int, per_query: int = 10
) -> list[int]:
    """Add ``count`` pooled items, whose passages end in ``<pair-n.>``; return their ids."""
    pool = make_pool(session, project)
    documents = make_documents(session, project, count)
    queries: list[Query] = [
        make_query(session, project, "What is the laptop refresh policy?")
        for _ in range(-(-count // per_query))
    ]
    rows = [
        {
            "project_id": project.id,
            "query_ref": queries[number // per_query].id,
            "document_version_id": document,
            "whole": True,
            "span_start": 0,
            "span_end": 40,
            "kind": "relevance",
            "created_at": project.created_at,
        }
        for number, document in enumerate(documents)
    ]
    session.execute(insert(Item), rows)
    ids = list(
        session.scalars(select(Item.id).where(Item.project_id == project.id).order_by(Item.id))
    )
    pooled = {"pool_id": pool.id, "gradable": True, "best_rank": 1, "run_count": 1, "round": 1}
    session.execute(insert(PoolItem), [pooled | {"item_id": item_id} for item_id in ids])
    return ids


def make_documents(session: Session, project: Project, count: int) -> list[int]:
    """Add many documents at once and return the ids of their versions."""
    common = {"project_id": project.id, "tags": {}, "created_at": project.created_at}
    session.execute(
        insert(Document), [common | {"doc_id": f"pair-{number}"} for number in range(count)]
    )
    refs = session.scalars(
        select(Document.id).where(Document.project_id == project.id).order_by(Document.id)
    ).all()
    versions = [
        {
            "document_ref": ref,
            "sha256": str(number),
            "title": "",
            "text": f"A laptop lasts three years. <pair-{number}.>",
            "length": len(f"A laptop lasts three years. <pair-{number}.>"),
            "created_at": project.created_at,
        }
        for number, ref in enumerate(refs)
    ]
    session.execute(insert(DocumentVersion), versions)
    return list(
        session.scalars(
            select(DocumentVersion.id)
            .join(Document, Document.id == DocumentVersion.document_ref)
            .where(Document.project_id == project.id)
            .order_by(DocumentVersion.id)
        )
    )


def add_judge(session: Session, project: Project, url: str = AWAY, **wish: Any) -> Judge:
    """Return a judge at an address that is allowed."""
    asked = Wish(**({"name": "first", "endpoint": url, "model": "m"} | wish))
    return service.add_judge(session, project, asked, allowed=(url,))


def start_batch(database: Database, url: str, count: int, *, scope: str = "pool") -> Batch:
    """Commit a project with pairs and a judge, and launch it."""
    with transaction(database) as session:
        project = make_project(session)
        make_pairs(session, project, count)
        judge = add_judge(session, project, url)
        return service.launch(session, project, judge, service.read_scope(scope))


def work(
    database: Database, batch: Batch, server: ScriptedServer, policy: Policy = QUICK
) -> Standing:
    """Work through what is open, one chunk after the other, in this process."""
    with transaction(database, write=False) as session:
        left = store.open_chunks(session, batch.id, batches.AHEAD)
    for number, attempt in left:
        asyncio.run(
            chunks.grade_chunk(
                database, (server.url,), batch.id, number, attempt, policy=policy
            )
        )
    return stand(database, batch)


def stand(database: Database, batch: Batch) -> Standing:
    """Return how a batch stands now."""
    with transaction(database, write=False) as session:
        return service.standing_of(session, session.get_one(Batch, batch.id))


def grades_of(database: Database, batch: Batch) -> dict[int, int | None]:
    """Return item to grade of everything stored; two grades of one item fail."""
    with transaction(database, write=False) as session:
        wanted = select(GradeEvent).join(BatchPair, BatchPair.item_id == GradeEvent.item_id)
        events = session.scalars(wanted.where(BatchPair.batch_id == batch.id)).all()
    assert len({event.item_id for event in events}) == len(events)
    return {event.item_id: event.value for event in events}


def count_calls(database: Database, batch: Batch, outcome: str | None = None) -> int:
    """Count recorded calls, all or those with one outcome."""
    wanted = select(func.count()).select_from(Attempt).where(Attempt.batch_id == batch.id)
    if outcome is not None:
        wanted = wanted.where(Attempt.outcome == outcome)
    with transaction(database, write=False) as session:
        return session.scalar(wanted) or 0


def one_item(session: Session, project: Project, text: str, **query: Any) -> Item:
    """Return an item on a whole document of its own, not yet in a pool."""
    return make_item(
        session, make_query(session, project, **query), make_document(session, project, text)
    )
