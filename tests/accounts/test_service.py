from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts import service
from app.db import now
from app.errors import Conflict, Forbidden, Invalid, NotFound
from app.models import BrowserSession, PersonalLink

PASSWORD = "a quiet harbour at dawn"


def test_an_address_is_known_without_regard_to_case(session: Session) -> None:
    service.add_user(session, "Ada@Example.org")

    with pytest.raises(Conflict):
        service.add_user(session, " ada@example.ORG ")


@pytest.mark.parametrize("email", ["", "ada", "a b@c.org", "аda@example.org", "a@b\x00.org"])
def test_what_is_no_address_is_refused(session: Session, email: str) -> None:
    with pytest.raises(Invalid):
        service.add_user(session, email)


def test_a_personal_link_works_once(session: Session) -> None:
    user = service.add_user(session, "ada@example.org")
    link = service.make_link(session, user)

    opened = service.redeem_link(session, link)

    found = service.person_of_session(session, opened)
    assert found is not None
    assert found.user.id == user.id
    with pytest.raises(NotFound, match="Ask the admin"):
        service.redeem_link(session, link)


def test_looking_at_a_link_uses_nothing_up(session: Session) -> None:
    link = service.make_link(session, service.add_user(session, "ada@example.org"))

    names = {service.owner_of_link(session, link).name for _ in range(3)}

    assert names == {"ada"}
    service.redeem_link(session, link)


def test_a_link_ends_after_seven_days(session: Session) -> None:
    link = service.make_link(session, service.add_user(session, "ada@example.org"))
    session.execute(update(PersonalLink).values(expires_at=now(session) - timedelta(seconds=1)))

    with pytest.raises(NotFound):
        service.owner_of_link(session, link)


def test_only_hashes_of_tokens_are_kept(session: Session) -> None:
    user = service.add_user(session, "ada@example.org")
    link, opened = service.make_link(session, user), service.open_session(session, user)
    api = service.make_api_token(session, user)

    kept = {
        *session.scalars(select(PersonalLink.token_hash)),
        *session.scalars(select(BrowserSession.token_hash)),
    }

    assert not kept & {link, opened, api}
    found = service.person_of_api_token(session, api)
    assert found is not None
    assert found.id == user.id


def test_signing_in_says_the_same_for_an_unknown_address_and_a_wrong_password(
    session: Session,
) -> None:
    user = service.add_user(session, "ada@example.org")
    service.set_password(session, user, PASSWORD)

    with pytest.raises(Forbidden) as wrong:
        service.check_password(session, "ada@example.org", "not it at all")
    with pytest.raises(Forbidden) as unknown:
        service.check_password(session, "eve@example.org", PASSWORD)

    assert str(wrong.value) == str(unknown.value)
    assert service.check_password(session, "ADA@example.org", PASSWORD).id == user.id


def test_a_short_password_is_refused(session: Session) -> None:
    user = service.add_user(session, "ada@example.org")

    with pytest.raises(Invalid, match="12 to 256"):
        service.set_password(session, user, "short")


def test_v089_a_new_password_ends_other_sessions_and_unused_links(session: Session) -> None:
    user = service.add_user(session, "ada@example.org")
    mine, other = service.open_session(session, user), service.open_session(session, user)
    link = service.make_link(session, user)

    service.set_password(session, user, PASSWORD, keep=mine)

    assert service.person_of_session(session, mine) is not None
    assert service.person_of_session(session, other) is None
    with pytest.raises(NotFound):
        service.redeem_link(session, link)


def test_v090_signing_out_and_deactivating_end_a_session_on_the_server(
    session: Session,
) -> None:
    user = service.add_user(session, "ada@example.org")
    first, second = service.open_session(session, user), service.open_session(session, user)

    service.sign_out(session, first)
    user.active = False
    session.flush()

    assert service.person_of_session(session, first) is None
    assert service.person_of_session(session, second) is None


def test_a_session_ends_after_thirty_idle_days_and_is_renewed_by_use(session: Session) -> None:
    user = service.add_user(session, "ada@example.org")
    token = service.open_session(session, user)
    early = now(session) - timedelta(days=29)
    session.execute(update(BrowserSession).values(seen_at=early))

    found = service.person_of_session(session, token)

    assert found is not None
    assert found.stale
    service.renew(session, found.session_id)
    session.execute(
        update(BrowserSession).values(expires_at=now(session) - timedelta(seconds=1))
    )
    assert service.person_of_session(session, token) is None
