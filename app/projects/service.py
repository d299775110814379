"""Service of projects: making them, their members, guidelines, cut, audit and imports."""

import re
from collections.abc import Collection
from typing import Any

from sqlalchemy.orm import Session

from app.accounts import service as accounts
from app.db import now
from app.errors import Conflict, Invalid, NotFound
from app.models import AuditEvent, Guideline, Import, Membership, Project, User
from app.projects import store
from app.projects.imports import ImportReport

ROLES = ("admin", "adjudicator", "sme", "viewer")
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
CUTS = (1, 2, 3)
DEFAULT_GUIDELINE = """\
Read the question and what makes an answer complete. Then read the passage and ask one thing:
how far does this passage alone answer the question?

0 Irrelevant: it does not help, even if it uses the same words.
1 Tangential: the same subject, but nothing of the answer.
2 Partial: a part of the answer; something that makes it complete is missing.
3 Complete: everything that makes the answer complete.

Grade the marked passage. The grey text around it only helps to understand it."""


def create_project(
    session: Session, slug: str, *, name: str | None = None, cut: int = 1
) -> Project:
    """Make a project with its first guideline; the cut may change until a test is looked at."""
    if not SLUG.fullmatch(slug):
        raise Invalid(
            f"{slug!r} cannot name a project. "
            "Use lower-case letters, digits and hyphens, 64 at most."
        )
    if store.project_by_slug(session, slug) is not None:
        raise Conflict(f"There is a project {slug} already.")
    project = Project(slug=slug, name=(name or slug).strip()[:200], cut=_checked_cut(cut))
    session.add(project)
    session.flush()
    session.add(Guideline(project_id=project.id, version=1, text=DEFAULT_GUIDELINE))
    record(session, project.id, "created", f"project {slug}, cut {cut}")
    return project


def _checked_cut(cut: int) -> int:
    if cut not in CUTS:
        raise Invalid(f"The cut is 1, 2 or 3, not {cut}.")
    return cut


def project_by_slug(session: Session, slug: str) -> Project:
    """Return a project or refuse."""
    project = store.project_by_slug(session, slug)
    if project is None:
        raise NotFound(f"There is no project {slug}.")
    return project


def list_projects(session: Session) -> list[Project]:
    """Return all projects by slug."""
    return store.all_projects(session)


def projects_of(session: Session, user_id: int) -> list[tuple[Project, frozenset[str]]]:
    """Return a person's projects, each with their roles."""
    return store.projects_of(session, user_id)


def roles_in(session: Session, project_id: int, user_id: int) -> frozenset[str]:
    """Return the roles of a person in a project; nobody's are empty."""
    return store.roles_in(session, project_id, user_id)


def members_of(session: Session, project_id: int) -> list[tuple[User, frozenset[str]]]:
    """Return everybody who belongs to a project, each with their roles."""
    return store.members_of(session, project_id)


def set_roles(
    session: Session,
    project: Project,
    user: User,
    roles: Collection[str],
    *,
    by: int | None = None,
) -> None:
    """Give a person exactly these roles; none takes them out of the project."""
    unknown = set(roles) - set(ROLES)
    if unknown:
        raise Invalid(f"Unknown role {', '.join(sorted(unknown))}. Known: {', '.join(ROLES)}.")
    store.drop_roles(session, project.id, user.id)
    session.add_all(
        Membership(project_id=project.id, user_id=user.id, role=role)
        for role in sorted(set(roles))
    )
    record(
        session,
        project.id,
        "roles",
        f"{user.name}: {', '.join(sorted(roles)) or 'none'}",
        by=by,
    )


def add_role(session: Session, project: Project, user: User, role: str) -> None:
    """Give a person one more role; having it already changes nothing."""
    had = store.roles_in(session, project.id, user.id)
    if role not in had:
        set_roles(session, project, user, had | {role})


def invite(
    session: Session, project: Project, *, email: str, roles: Collection[str], by: int | None
) -> str | None:
    """Add a person by address and return the token of a personal link to send them.

    None for somebody who has an account already and belongs, or may come to belong, to what
    the inviting person does not administer: whoever holds a link signs in as its owner, so it
    would hand their other projects to the inviting person.
    """
    known = accounts.find_user(session, email)
    user = known or accounts.add_user(session, email)
    may_link = known is None or _reaches_no_further(session, known, by)
    set_roles(session, project, user, roles, by=by)
    return accounts.make_link(session, user) if may_link else None


def _reaches_no_further(session: Session, user: User, by: int | None) -> bool:
    theirs = {project.id for project, _ in projects_of(session, user.id)}
    mine = projects_of(session, by) if by is not None else []
    administered = {project.id for project, roles in mine if "admin" in roles}
    return bool(theirs) and theirs <= administered


def guideline(session: Session, project_id: int) -> Guideline:
    """Return the guideline in force."""
    found = store.newest_guideline(session, project_id)
    if found is None:
        raise NotFound("This project has no guideline.")
    return found


def change_guideline(
    session: Session, project_id: int, text: str, *, by: int | None = None
) -> Guideline:
    """Write a new version of the guideline; the same words again change nothing."""
    current = guideline(session, project_id)
    wanted = text.replace("\r\n", "\n").strip()
    if not wanted:
        raise Invalid("A guideline needs words: graders read it before they grade.")
    if wanted == current.text:
        return current
    newer = Guideline(project_id=project_id, version=current.version + 1, text=wanted)
    session.add(newer)
    record(session, project_id, "guideline", f"version {newer.version}", by=by)
    return newer


def rename(session: Session, project: Project, name: str, *, by: int | None = None) -> None:
    """Give a project another name; its short name stays."""
    wanted = name.strip()[:200]
    if not wanted:
        raise Invalid("A project needs a name.")
    if wanted != project.name:
        project.name = wanted
        record(session, project.id, "renamed", wanted, by=by)


def change_cut(session: Session, project: Project, cut: int, *, by: int | None = None) -> None:
    """Change where relevance begins, as long as nobody has looked at a test split."""
    if project.cut_fixed_at is not None and cut != project.cut:
        raise Conflict(
            "The cut is fixed since somebody looked at a test split; "
            "changing it now would choose the result."
        )
    if cut != project.cut:
        project.cut = _checked_cut(cut)
        record(session, project.id, "cut", str(cut), by=by)


def fix_cut(session: Session, project: Project) -> None:
    """Fix the cut from now on: somebody looks at a test split."""
    if project.cut_fixed_at is None:
        project.cut_fixed_at = now(session)


def record(
    session: Session, project_id: int, verb: str, what: str, *, by: int | None = None
) -> None:
    """Write down who did what."""
    session.add(AuditEvent(project_id=project_id, user_id=by, verb=verb, what=what))
    session.flush()


def newest_events(
    session: Session, project_id: int, limit: int = 8
) -> list[tuple[AuditEvent, str]]:
    """Return the newest audit events, each with a name."""
    return store.newest_events(session, project_id, limit)


def lock(session: Session, project_id: int) -> None:
    """Let one import at a time write to a project, until its transaction ends (V-017)."""
    store.lock_project(session, project_id)


def earlier_import(
    session: Session, project_id: int, *, kind: str, name: str, sha256: str
) -> Import | None:
    """Return the import that took the same bytes for the same purpose, if any (V-017)."""
    return store.import_of(session, project_id, kind=kind, name=name, sha256=sha256)


def import_by_hash(session: Session, project_id: int, *, kind: str, sha256: str) -> Import:
    """Return an import by what it took, or refuse."""
    found = None
    if sha256.isalnum():
        found = store.import_of(session, project_id, kind=kind, name="", sha256=sha256)
    if found is None:
        raise NotFound("There was no such import.")
    return found


def imports_of(session: Session, project_id: int, *kinds: str) -> list[Import]:
    """Return what was imported, newest first."""
    return store.imports_of(session, project_id, kinds)


def record_import(
    session: Session,
    project_id: int,
    *,
    kind: str,
    name: str,
    sha256: str,
    file_name: str,
    rows: int,
    skipped: int = 0,
    report: dict[str, Any] | None = None,
    by: int | None = None,
) -> Import:
    """Remember a file that was taken in."""
    taken = Import(
        project_id=project_id,
        kind=kind,
        name=name,
        sha256=sha256,
        file_name=file_name,
        rows=rows,
        skipped=skipped,
        report=report or {},
        user_id=by,
    )
    session.add(taken)
    record(session, project_id, "imported", f"{kind} {file_name}: {rows} rows", by=by)
    return taken


def record_report(
    session: Session, project_id: int, report: ImportReport, *, name: str = "", by: int | None
) -> Import:
    """Remember a file that was taken in, with its report."""
    return record_import(
        session,
        project_id,
        kind=report.kind,
        name=name,
        sha256=report.sha256,
        file_name=report.file_name,
        rows=report.rows,
        skipped=report.skipped,
        report=report.to_json(),
        by=by,
    )
