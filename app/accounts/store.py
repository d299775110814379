"""Store of accounts: people, sessions, links, API tokens."""

from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, delete, select, update
from sqlalchemy.orm import Session

from app.models import ApiToken, BrowserSession, PersonalLink, User


def user_by_email(session: Session, email: str) -> User | None:
    return session.scalars(select(User).where(User.email == email)).one_or_none()


def user_of_session(
    session: Session, token_hash: str, at: datetime
) -> tuple[User, BrowserSession] | None:
    """Return an active person and the unexpired session, or None."""
    found = session.execute(
        select(User, BrowserSession)
        .join(BrowserSession, BrowserSession.user_id == User.id)
        .where(
            BrowserSession.token_hash == token_hash, BrowserSession.expires_at > at, User.active
        )
    ).one_or_none()
    return None if found is None else (found[0], found[1])


def user_of_api_token(session: Session, token_hash: str) -> User | None:
    return session.scalars(
        select(User)
        .join(ApiToken, ApiToken.user_id == User.id)
        .where(ApiToken.token_hash == token_hash, ApiToken.revoked_at.is_(None), User.active)
    ).one_or_none()


def user_of_link(session: Session, token_hash: str) -> tuple[User, PersonalLink] | None:
    found = session.execute(
        select(User, PersonalLink)
        .join(PersonalLink, PersonalLink.user_id == User.id)
        .where(PersonalLink.token_hash == token_hash)
    ).one_or_none()
    return None if found is None else (found[0], found[1])


def use_link(session: Session, token_hash: str, at: datetime) -> bool:
    """Use a link up; True for exactly one of several at the same moment."""
    used = session.execute(
        update(PersonalLink)
        .where(
            PersonalLink.token_hash == token_hash,
            PersonalLink.used_at.is_(None),
            PersonalLink.expires_at > at,
        )
        .values(used_at=at)
    )
    return cast("CursorResult[Any]", used).rowcount == 1


def renew_session(
    session: Session, session_id: int, *, seen: datetime, until: datetime
) -> None:
    session.execute(
        update(BrowserSession)
        .where(BrowserSession.id == session_id)
        .values(seen_at=seen, expires_at=until)
    )


def end_session(session: Session, token_hash: str) -> None:
    session.execute(delete(BrowserSession).where(BrowserSession.token_hash == token_hash))


def end_sessions_and_links(session: Session, user_id: int, *, but: str | None) -> None:
    """End a person's sessions, except one, and every link that is still unused."""
    ended = delete(BrowserSession).where(BrowserSession.user_id == user_id)
    if but is not None:
        ended = ended.where(BrowserSession.token_hash != but)
    session.execute(ended)
    session.execute(
        delete(PersonalLink).where(
            PersonalLink.user_id == user_id, PersonalLink.used_at.is_(None)
        )
    )
