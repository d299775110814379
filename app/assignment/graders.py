"""Graders: people and judges under the names they grade by."""

import hashlib
import json
from typing import Literal, Protocol

from sqlalchemy.orm import Session

from app.assignment import store
from app.errors import Conflict
from app.models import Grader, Judge
from app.projects import service as projects

Kind = Literal["sme", "judge"]


class Member(Protocol):
    """A person as rooms pass them on."""

    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def email(self) -> str: ...


def find_grader(session: Session, *, project_id: int, user: Member) -> Grader | None:
    """Return the grader that a person is in a project, None before they first graded."""
    return store.grader_of_user(session, project_id, user.id)


def grader_of(session: Session, *, project_id: int, user: Member) -> Grader:
    """Return the grader that a person is in a project, added on first use."""
    found = find_grader(session, project_id=project_id, user=user)
    if found is not None:
        return found
    projects.lock(session, project_id)
    return find_grader(session, project_id=project_id, user=user) or add_grader(
        session,
        project_id,
        kind="sme",
        name=_free_name(session, project_id, user),
        user_id=user.id,
    )


def _free_name(session: Session, project_id: int, user: Member) -> str:
    """Return the person's name, with the address where another grader has the same one."""
    if store.grader_by_name(session, project_id, "sme", user.name) is None:
        return user.name
    return f"{user.name} ({user.email})"


def add_grader(
    session: Session,
    project_id: int,
    *,
    kind: Kind,
    name: str,
    user_id: int | None = None,
    judge_id: int | None = None,
) -> Grader:
    """Add a grader under the next pseudonym, such as ``sme-2`` or ``judge-1``.

    Raises:
        Conflict: the project has a grader of that kind and name.
    """
    projects.lock(session, project_id)
    if store.grader_by_name(session, project_id, kind, name) is not None:
        raise Conflict(f"There is a grader {name} already.")
    number = store.count_graders(session, project_id, kind) + 1
    grader = Grader(
        project_id=project_id,
        kind=kind,
        name=name,
        pseudonym=f"{kind}-{number}",
        user_id=user_id,
        judge_id=judge_id,
    )
    session.add(grader)
    session.flush()
    return grader


def list_graders(session: Session, project_id: int, kind: Kind | None = None) -> list[Grader]:
    """Return the graders of a project in the order they came."""
    return store.graders_of(session, project_id, kind)


def grader_by_name(
    session: Session, project_id: int, *, kind: Kind, name: str
) -> Grader | None:
    """Return the grader of that kind and name, compared as exact text."""
    return store.grader_by_name(session, project_id, kind, name)


def imported_grader(
    session: Session, project_id: int, *, kind: Kind, name: str, file_sha: str
) -> Grader:
    """Return the grader that imported grades stand under, added on first use.

    An SME may bring several files. A judge is immutable: its identity is its name, the
    scale and the file, so another file under its name is refused.
    """
    identity = _hash_identity(name, file_sha)
    found = store.grader_by_name(session, project_id, kind, name)
    if found is None and kind == "sme":
        return add_grader(session, project_id, kind=kind, name=name)
    if found is None:
        return add_grader(
            session,
            project_id,
            kind=kind,
            name=name,
            judge_id=_add_judge(session, project_id, name, identity, file_sha),
        )
    if found.user_id is not None:
        raise Conflict(f"{name} grades here in person. Import these grades under another name.")
    if kind == "judge" and not _is_same(session, found, identity):
        raise Conflict(
            f"There is a judge {name} already, from something else than this file. "
            "A judge never changes; import this file under another name."
        )
    return found


def _hash_identity(name: str, file_sha: str) -> str:
    identity = {"file": file_sha, "name": name, "scale": [0, 1, 2, 3]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _add_judge(
    session: Session, project_id: int, name: str, identity: str, file_sha: str
) -> int:
    judge = Judge(
        project_id=project_id,
        name=name,
        identity_hash=identity,
        endpoint=None,
        model=None,
        parameters={"scale": [0, 1, 2, 3], "file_sha256": file_sha},
    )
    session.add(judge)
    session.flush()
    return judge.id


def _is_same(session: Session, grader: Grader, identity: str) -> bool:
    judge = session.get(Judge, grader.judge_id) if grader.judge_id is not None else None
    return judge is not None and judge.identity_hash == identity
