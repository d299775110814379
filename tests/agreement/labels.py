"""Labels for tests: SMEs, judges, their grades, and a validation sample, as rows."""

import itertools
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.models import (
    Block,
    Document,
    DocumentVersion,
    GradeEvent,
    Grader,
    Item,
    Judge,
    Plan,
    Project,
    Query,
    Slot,
)
from tests.factories import make_document, make_item, make_query

numbers = itertools.count(1)


def make_judge(
    session: Session, project: Project, name: str = "judge-a", *, own_cut: int | None = None
) -> Grader:
    """Return the grader of a new judge whose labels were imported."""
    judge = Judge(
        project_id=project.id,
        name=name,
        identity_hash=secrets.token_hex(8),
        endpoint=None,
        model=None,
        own_cut=own_cut,
    )
    session.add(judge)
    session.flush()
    grader = Grader(
        project_id=project.id,
        kind="judge",
        name=name,
        pseudonym=f"judge-{next(numbers)}",
        judge_id=judge.id,
    )
    session.add(grader)
    session.flush()
    return grader


def give(
    session: Session,
    item: Item,
    grader: Grader,
    value: int | None,
    *,
    kind: str = "imported",
    slot: Slot | None = None,
) -> GradeEvent:
    """Add a current grade; ``None`` is a grade withdrawn, as a skip after a grade leaves it."""
    query = session.get_one(Query, item.query_ref)
    assert query.current_version_id is not None
    grade = GradeEvent(
        slot_id=slot.id if slot else None,
        slot_kind=slot.kind if slot else "judge" if grader.kind == "judge" else kind,
        item_id=item.id,
        grader_id=grader.id,
        value=value,
        withdrawn=value is None,
        query_version_id=query.current_version_id,
        document_version_id=item.document_version_id,
    )
    session.add(grade)
    session.flush()
    return grade


def change(session: Session, before: GradeEvent, value: int | None) -> GradeEvent:
    """Supersede a grade by another value."""
    before.current = False
    session.flush()
    after = GradeEvent(
        slot_id=before.slot_id,
        slot_kind=before.slot_kind,
        item_id=before.item_id,
        grader_id=before.grader_id,
        value=value,
        withdrawn=value is None,
        supersedes_id=before.id,
        query_version_id=before.query_version_id,
        document_version_id=before.document_version_id,
    )
    session.add(after)
    session.flush()
    return after


def make_items(session: Session, project: Project, count: int, **query: Any) -> list[Item]:
    """Return items of one new query, each on its own whole document."""
    asked = make_query(session, project, **query)
    return [make_item(session, asked, make_document(session, project)) for _ in range(count)]


def give_pairs(
    session: Session,
    grades: Iterable[tuple[int | None, int | None]],
    sme: Grader,
    judge: Grader,
) -> list[Item]:
    """Make an item of one query for each (human, judge); None is no grade."""
    pairs = list(grades)
    project = session.get_one(Project, sme.project_id)
    items = make_items(session, project, len(pairs))
    for item, (human, judged) in zip(items, pairs, strict=True):
        if human is not None:
            give(session, item, sme, human)
        if judged is not None:
            give(session, item, judge, judged)
    return items


def make_sample(session: Session, items: Sequence[Item], split: str) -> None:
    """Put items of one query into the validation sample, one seat."""
    project_id = items[0].project_id
    wave = next(numbers)
    plan = Plan(project_id=project_id, wave=wave, kind="validation", seed=1)
    session.add(plan)
    session.flush()
    block = Block(
        project_id=project_id, plan_id=plan.id, query_ref=items[0].query_ref, seat=1, position=0
    )
    session.add(block)
    session.flush()
    session.add_all(
        Slot(
            block_id=block.id,
            item_id=item.id,
            kind="validation",
            token=secrets.token_hex(8),
            split=split,
        )
        for item in items
    )
    session.flush()


class _Line(NamedTuple):
    grader_id: int
    query_id: str
    doc_id: str
    grade: int


def load_qrels(
    session: Session, project: Project, files: Sequence[tuple[Path, Grader]]
) -> None:
    """Store TREC qrels as imported grades, making what they name; in bulk."""
    lines = [
        _Line(grader.id, query_id, doc_id, int(grade))
        for path, grader in files
        for query_id, _, doc_id, grade in map(str.split, path.read_text().splitlines())
    ]
    queries = _add_queries(session, project, dict.fromkeys(line.query_id for line in lines))
    documents = _add_documents(session, project, dict.fromkeys(line.doc_id for line in lines))
    pairs = dict.fromkeys((line.query_id, line.doc_id) for line in lines)
    rows = [
        {
            "project_id": project.id, "query_ref": queries[query_id][0],
            "document_version_id": documents[doc_id], "whole": True, "span_start": 0,
            "span_end": 4, "kind": "relevance", "created_at": project.created_at,
        }
        for query_id, doc_id in pairs
    ]  # fmt: skip
    made = session.scalars(insert(Item).returning(Item.id, sort_by_parameter_order=True), rows)
    items = dict(zip(pairs, made, strict=True))
    session.execute(
        insert(GradeEvent),
        [
            {
                "slot_id": None, "slot_kind": "imported",
                "item_id": items[line.query_id, line.doc_id], "grader_id": line.grader_id,
                "value": line.grade, "withdrawn": False, "current": True,
                "context_opened": False, "query_version_id": queries[line.query_id][1],
                "document_version_id": documents[line.doc_id], "created_at": project.created_at,
            }
            for line in lines
        ],
    )  # fmt: skip


def _add_queries(
    session: Session, project: Project, ids: Iterable[str]
) -> dict[str, tuple[int, int]]:
    found = {}
    for query_id in ids:
        query = make_query(session, project, query_id=query_id)
        assert query.current_version_id is not None
        found[query_id] = (query.id, query.current_version_id)
    return found


def _add_documents(session: Session, project: Project, ids: Iterable[str]) -> dict[str, int]:
    names = list(ids)
    at = project.created_at
    documents = session.scalars(
        insert(Document).returning(Document.id, sort_by_parameter_order=True),
        [
            {"project_id": project.id, "doc_id": name, "tags": {}, "created_at": at}
            for name in names
        ],
    ).all()
    versions = session.scalars(
        insert(DocumentVersion).returning(DocumentVersion.id, sort_by_parameter_order=True),
        [
            {
                "document_ref": document, "sha256": "x", "title": "", "text": "text",
                "length": 4, "created_at": at,
            }
            for document in documents
        ],
    ).all()  # fmt: skip
    session.connection().exec_driver_sql(
        "UPDATE documents SET current_version_id = (SELECT v.id FROM document_versions v"
        " WHERE v.document_ref = documents.id) WHERE current_version_id IS NULL"
    )
    return dict(zip(names, versions, strict=True))
