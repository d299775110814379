"""Accounts: people, their sessions, personal links and API tokens."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now


class User(Base, kw_only=True):
    """A person; deactivated rather than deleted, so that grades keep their author."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    email: Mapped[str] = mapped_column(IdText(), unique=True)
    """Folded to lower case; the sign-in name."""
    name: Mapped[str]
    password_hash: Mapped[str | None] = mapped_column(default=None)
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class BrowserSession(Base, kw_only=True):
    """One signed-in browser; only the hash of its token is kept."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class PersonalLink(Base, kw_only=True):
    """A link that signs its owner in once."""

    __tablename__ = "links"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None] = mapped_column(default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class ApiToken(Base, kw_only=True):
    """A bearer token for programs; shown once, kept as a hash."""

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
