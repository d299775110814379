"""Service of accounts: adding people, signing in and out, links and API tokens."""

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from pwdlib import PasswordHash
from sqlalchemy.orm import Session

from app.accounts import store
from app.accounts.tokens import hash_token, new_token
from app.db import now
from app.errors import Conflict, Forbidden, Invalid, NotFound, Spent
from app.models import ApiToken, BrowserSession, PersonalLink, User

SESSION_LIFE = timedelta(days=30)
RENEW_AFTER = timedelta(hours=1)
LINK_LIFE = timedelta(days=7)
PASSWORD_LENGTH = (12, 256)
EMAIL = re.compile(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+")
WRONG = "The e-mail address or the password is wrong."
SPENT = "This link was used already or is too old. Ask the admin of your project for a new one."

passwords = PasswordHash.recommended()


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person and the browser session they came with; ``stale`` asks for a renewal."""

    user: User
    session_id: int
    stale: bool


def add_user(session: Session, email: str, *, name: str | None = None) -> User:
    """Add a person; the address is the sign-in name, without regard to case."""
    address = clean_email(email)
    if store.user_by_email(session, address) is not None:
        raise Conflict(f"{address} has an account already.")
    user = User(email=address, name=(name or address.split("@")[0]).strip()[:200])
    session.add(user)
    session.flush()
    return user


def clean_email(email: str) -> str:
    """Return the address as it is stored, or refuse it."""
    address = email.strip().lower()
    if not EMAIL.fullmatch(address) or len(address) > 254 or not address.isascii():
        raise Invalid(f"{email!r} is not an e-mail address.")
    return address


def user_by_email(session: Session, email: str) -> User:
    """Return the person of that address or refuse."""
    user = store.user_by_email(session, clean_email(email))
    if user is None:
        raise NotFound(
            f"Nobody has the address {email}. Add them first: goldspan user add {email}"
        )
    return user


def find_user(session: Session, email: str) -> User | None:
    """Return the person of that address, None where nobody has it; refuse what is none."""
    return store.user_by_email(session, clean_email(email))


def find_or_add_user(session: Session, email: str) -> User:
    """Return the person of that address, added where new."""
    return find_user(session, email) or add_user(session, email)


def make_link(session: Session, user: User) -> str:
    """Make a personal link's token: it signs its owner in once, within seven days."""
    token = new_token()
    session.add(
        PersonalLink(
            token_hash=hash_token(token), user_id=user.id, expires_at=now(session) + LINK_LIFE
        )
    )
    session.flush()
    return token


def owner_of_link(session: Session, token: str) -> User:
    """Return whom a usable link belongs to, without using it up."""
    found = store.user_of_link(session, hash_token(token))
    if found is None:
        raise Spent(SPENT)
    user, link = found
    if link.used_at is not None or link.expires_at <= now(session) or not user.active:
        raise Spent(SPENT)
    return user


def redeem_link(session: Session, token: str) -> str:
    """Use a link up and open a browser session; return the session's token."""
    user = owner_of_link(session, token)
    if not store.use_link(session, hash_token(token), now(session)):
        raise Spent(SPENT)
    return open_session(session, user)


def open_session(session: Session, user: User) -> str:
    """Open a browser session of 30 idle days; return its token."""
    token, moment = new_token(), now(session)
    session.add(
        BrowserSession(
            token_hash=hash_token(token),
            user_id=user.id,
            seen_at=moment,
            expires_at=moment + SESSION_LIFE,
        )
    )
    session.flush()
    return token


def check_password(session: Session, email: str, password: str) -> User:
    """Return whose address and password these are; both kinds of wrong cost the same."""
    user = store.user_by_email(session, email.strip().lower())
    known = user.password_hash if user is not None and user.active else None
    right = passwords.verify(password[: PASSWORD_LENGTH[1]], known or _decoy())
    if user is None or known is None or not right:
        raise Forbidden(WRONG)
    return user


@cache
def _decoy() -> str:
    """Return a hash that nobody's password has, so that an unknown address costs as much."""
    return passwords.hash(new_token())


def person_of_session(session: Session, token: str) -> SignedIn | None:
    """Return who a session's token belongs to, or None."""
    moment = now(session)
    found = store.user_of_session(session, hash_token(token), moment)
    if found is None:
        return None
    user, browser = found
    return SignedIn(user, browser.id, stale=moment - browser.seen_at > RENEW_AFTER)


def renew(session: Session, session_id: int) -> None:
    """Note that a session is in use, which prolongs it."""
    moment = now(session)
    store.renew_session(session, session_id, seen=moment, until=moment + SESSION_LIFE)


def sign_out(session: Session, token: str) -> None:
    """End a session on the server; its cookie is worth nothing afterwards."""
    store.end_session(session, hash_token(token))


def set_password(
    session: Session, user: User, password: str, *, keep: str | None = None
) -> None:
    """Set a password; every other session and every unused link ends."""
    shortest, longest = PASSWORD_LENGTH
    if not shortest <= len(password) <= longest:
        raise Invalid(f"A password has {shortest} to {longest} characters.")
    user.password_hash = passwords.hash(password)
    store.end_sessions_and_links(session, user.id, but=hash_token(keep) if keep else None)
    session.flush()


def make_api_token(session: Session, user: User) -> str:
    """Make a bearer token for programs; it is shown once."""
    token = new_token()
    session.add(ApiToken(token_hash=hash_token(token), user_id=user.id))
    session.flush()
    return token


def person_of_api_token(session: Session, token: str) -> User | None:
    """Return who a bearer token belongs to, or None."""
    return store.user_of_api_token(session, hash_token(token))


def user_by_id(session: Session, user_id: int) -> User:
    """Return a person by number or refuse."""
    user = session.get(User, user_id)
    if user is None:
        raise NotFound("There is no such person.")
    return user
