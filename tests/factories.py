"""Factories: rows for tests; each spells out only what matters."""

import hashlib
import itertools
import secrets
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.models import (
    Document,
    DocumentVersion,
    Grader,
    Guideline,
    Item,
    Project,
    Query,
    QueryVersion,
    User,
)

numbers = itertools.count(1)


def make_user(session: Session, name: str = "Ada") -> User:
    user = User(email=f"{name.lower()}-{next(numbers)}@example.org", name=name)
    session.add(user)
    session.flush()
    return user


def make_project(session: Session, *, cut: int = 1) -> Project:
    number = next(numbers)
    project = Project(slug=f"project-{number}", name=f"Project {number}", cut=cut)
    session.add(project)
    session.flush()
    session.add(Guideline(project_id=project.id, version=1, text="Grade what is marked."))
    session.flush()
    return project


def make_document(
    session: Session,
    project: Project,
    text: str | None = "An opened item may be returned within 14 days.",
    *,
    doc_id: str | None = None,
    title: str = "Returns",
    tags: dict[str, Any] | None = None,
) -> DocumentVersion:
    """Return the current version of a new document; ``text=None`` is one off the corpus."""
    document = Document(
        project_id=project.id, doc_id=doc_id or f"d{next(numbers)}", tags=tags or {}
    )
    session.add(document)
    session.flush()
    digest = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()
    version = DocumentVersion(
        document_ref=document.id,
        sha256="unknown" if text is None else digest,
        title=title,
        text=text,
        length=None if text is None else len(text),
    )
    session.add(version)
    session.flush()
    document.current_version_id = version.id
    session.flush()
    if text is not None:
        _renew_stamp(session, project)
    return version


def _renew_stamp(session: Session, project: Project) -> None:
    session.execute(
        update(Project)
        .where(Project.id == project.id)
        .values(corpus_stamp=secrets.token_hex(16))
    )


def make_query(
    session: Session,
    project: Project,
    text: str = "How long may a customer return an opened item?",
    *,
    query_id: str | None = None,
    need: str = "Complete if it names the period.",
    tags: dict[str, Any] | None = None,
) -> Query:
    number = next(numbers)
    query = Query(
        project_id=project.id,
        query_id=query_id or f"q{number}",
        position=number,
        tags=tags or {},
    )
    session.add(query)
    session.flush()
    version = QueryVersion(query_ref=query.id, version=1, text=text, need=need)
    session.add(version)
    session.flush()
    query.current_version_id = version.id
    session.flush()
    return query


def make_item(
    session: Session,
    query: Query,
    version: DocumentVersion,
    at: tuple[int, int] | None = None,
) -> Item:
    """Return an item on a span, or on the whole document where ``at`` is left out."""
    start, end = at or (0, version.length or 0)
    item = Item(
        project_id=query.project_id,
        query_ref=query.id,
        document_version_id=version.id,
        whole=at is None,
        span_start=start,
        span_end=end,
    )
    session.add(item)
    session.flush()
    return item


def make_grader(
    session: Session, project: Project, name: str = "ada", *, user: User | None = None
) -> Grader:
    grader = Grader(
        project_id=project.id,
        kind="sme",
        name=name,
        pseudonym=f"sme-{secrets.token_hex(2)}",
        user_id=user.id if user else None,
    )
    session.add(grader)
    session.flush()
    return grader
