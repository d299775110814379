"""Store of projects: projects, members, guidelines, audit."""

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.models import AuditEvent, Guideline, Import, Membership, Project, User


def project_by_slug(session: Session, slug: str) -> Project | None:
    return session.scalars(select(Project).where(Project.slug == slug)).one_or_none()


def lock_project(session: Session, project_id: int) -> None:
    """Wait for other imports of the project; on SQLite there is one writer anyway."""
    session.execute(
        select(Project.id).where(Project.id == project_id).with_for_update(key_share=True)
    )


def all_projects(session: Session) -> list[Project]:
    return list(session.scalars(select(Project).order_by(Project.slug)))


def projects_of(session: Session, user_id: int) -> list[tuple[Project, frozenset[str]]]:
    """Return a person's projects by name, each with the roles they have in it."""
    rows = session.execute(
        select(Project, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.user_id == user_id)
        .order_by(Project.name, Project.id)
    )
    found: dict[int, tuple[Project, set[str]]] = {}
    for project, role in rows:
        found.setdefault(project.id, (project, set()))[1].add(role)
    return [(project, frozenset(roles)) for project, roles in found.values()]


def roles_in(session: Session, project_id: int, user_id: int) -> frozenset[str]:
    return frozenset(
        session.scalars(
            select(Membership.role).where(
                Membership.project_id == project_id, Membership.user_id == user_id
            )
        )
    )


def members_of(session: Session, project_id: int) -> list[tuple[User, frozenset[str]]]:
    rows = session.execute(
        select(User, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.project_id == project_id)
        .order_by(User.name, User.id)
    )
    found: dict[int, tuple[User, set[str]]] = {}
    for user, role in rows:
        found.setdefault(user.id, (user, set()))[1].add(role)
    return [(user, frozenset(roles)) for user, roles in found.values()]


def drop_roles(session: Session, project_id: int, user_id: int) -> None:
    session.execute(
        delete(Membership).where(
            Membership.project_id == project_id, Membership.user_id == user_id
        )
    )


def newest_guideline(session: Session, project_id: int) -> Guideline | None:
    return session.scalars(
        select(Guideline)
        .where(Guideline.project_id == project_id)
        .order_by(Guideline.version.desc())
        .limit(1)
    ).one_or_none()


def newest_events(
    session: Session, project_id: int, limit: int
) -> list[tuple[AuditEvent, str]]:
    """Return the newest audit events, each with the name of who did it."""
    rows = session.execute(
        select(AuditEvent, func.coalesce(User.name, "command line"))
        .outerjoin(User, User.id == AuditEvent.user_id)
        .where(AuditEvent.project_id == project_id)
        .order_by(AuditEvent.id.desc())
        .limit(limit)
    )
    return [(event, name) for event, name in rows]


def import_of(
    session: Session, project_id: int, *, kind: str, name: str, sha256: str
) -> Import | None:
    return session.scalars(
        select(Import).where(
            Import.project_id == project_id,
            Import.kind == kind,
            Import.name == name,
            Import.sha256 == sha256,
        )
    ).one_or_none()


def imports_of(session: Session, project_id: int, kinds: tuple[str, ...]) -> list[Import]:
    """Return what was imported, newest first."""
    return list(
        session.scalars(
            select(Import)
            .where(Import.project_id == project_id, Import.kind.in_(kinds))
            .order_by(Import.id.desc())
        )
    )
