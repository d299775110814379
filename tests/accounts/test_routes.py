import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.accounts import service
from app.db import Database, transaction
from app.main import create_app
from app.settings import Settings
from app.web.security import ANYBODY, SESSION, form_token
from tests.clients import BASE, Browser

PASSWORD = "a quiet harbour at dawn"


@contextmanager
def visitor(database: Database, folder: Path, url: str = BASE) -> Iterator[Browser]:
    settings = Settings(data_dir=folder, public_url=url)
    yield Browser(
        TestClient(create_app(settings, database), base_url=url, follow_redirects=False)
    )


def add_ada(database: Database) -> None:
    with transaction(database) as session:
        user = service.add_user(session, "ada@example.org", name="Ada")
        service.set_password(session, user, PASSWORD)


def test_a_page_asks_a_stranger_to_sign_in_and_brings_them_back(
    database: Database, tmp_path: Path
) -> None:
    add_ada(database)
    with visitor(database, tmp_path) as browser:
        asked = browser.get("/account")
        browser.get(asked.headers["location"])
        signed = browser.post(
            "/login",
            data={"email": "ada@example.org", "password": PASSWORD, "onward": "/account"},
        )

        assert asked.headers["location"] == "/login?onward=%2Faccount"
        assert signed.headers["location"] == "/account"
        assert "ada@example.org" in browser.get("/account").text


@pytest.mark.parametrize("onward", ["https://evil.test/", "//evil.test", "/\\evil.test", "x"])
def test_nobody_is_sent_on_to_another_site(
    database: Database, tmp_path: Path, onward: str
) -> None:
    add_ada(database)
    with visitor(database, tmp_path) as browser:
        browser.get("/login")
        signed = browser.post(
            "/login", data={"email": "ada@example.org", "password": PASSWORD, "onward": onward}
        )

        assert signed.headers["location"] == "/"


def test_v084_a_form_without_our_token_or_from_elsewhere_is_refused(
    database: Database, tmp_path: Path
) -> None:
    add_ada(database)
    form = {"email": "ada@example.org", "password": PASSWORD}
    with visitor(database, tmp_path) as browser:
        browser.get("/login")
        token = form_token(browser.client.cookies[ANYBODY])
        bare = browser.client.post("/login", data=form, headers={"Origin": BASE})
        foreign = browser.client.post(
            "/login", data={**form, "csrf": token}, headers={"Origin": "https://evil.test"}
        )
        across = browser.client.post(
            "/login", data={**form, "csrf": token}, headers={"Sec-Fetch-Site": "cross-site"}
        )
        own = browser.client.post("/login", data={**form, "csrf": token})

        statuses = [bare.status_code, foreign.status_code, across.status_code, own.status_code]
        assert statuses == [403, 403, 403, 303]


def test_v090_the_session_is_new_at_sign_in_and_its_cookie_is_protected(
    database: Database, tmp_path: Path
) -> None:
    add_ada(database)
    secure = "https://goldspan.test"
    with visitor(database, tmp_path, secure) as browser:
        name = f"__Host-{SESSION}"
        browser.client.cookies.set(name, "FIXED", domain="goldspan.test", path="/")
        token = form_token("FIXED")
        signed = browser.client.post(
            "/login",
            data={"email": "ada@example.org", "password": PASSWORD, "csrf": token},
            headers={"Origin": secure},
        )

        cookie = signed.headers["set-cookie"]
        assert cookie.startswith(name)
        assert "FIXED" not in cookie
        assert all(flag in cookie for flag in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))


def test_v091_private_pages_are_not_kept_and_sign_out_clears_the_browser(
    database: Database, tmp_path: Path
) -> None:
    add_ada(database)
    with visitor(database, tmp_path) as browser:
        browser.get("/login")
        browser.post("/login", data={"email": "ada@example.org", "password": PASSWORD})
        page = browser.get("/account")
        old = browser.client.cookies[SESSION]
        gone = browser.post("/logout")
        browser.client.cookies.set(SESSION, old, domain="goldspan.test", path="/")

        assert page.headers["cache-control"] == "no-store"
        assert gone.headers["clear-site-data"] == '"cache"'
        assert browser.get("/account").headers["location"].startswith("/login")


def test_v092_guessing_is_slowed_down_and_the_owner_elsewhere_is_not_locked_out(
    database: Database, tmp_path: Path
) -> None:
    add_ada(database)
    wrong = {"email": "ada@example.org", "password": "wrong and wrong"}
    with visitor(database, tmp_path) as browser:
        browser.get("/login")
        statuses = [
            browser.post(
                "/login", data=wrong, headers={"X-Forwarded-For": f"10.0.0.{n}"}
            ).status_code
            for n in range(14)
        ]

        elsewhere = TestClient(
            browser.client.app,
            base_url=BASE,
            client=("198.51.100.7", 50000),
            follow_redirects=False,
        )
        owner = Browser(elsewhere)
        owner.get("/login")
        signed = owner.post("/login", data={"email": "ada@example.org", "password": PASSWORD})

    assert statuses[0] == 403
    assert statuses[-1] == 429
    assert signed.status_code == 303


def test_v089_one_link_redeemed_twice_at_once_signs_in_once(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        link = service.make_link(session, service.add_user(session, "ada@example.org"))
    statuses: list[int] = []

    def redeem() -> None:
        with visitor(database, tmp_path) as browser:
            browser.get(f"/link/{link}")
            statuses.append(browser.post(f"/link/{link}").status_code)

    threads = [threading.Thread(target=redeem) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses)[0] == 303
    assert statuses.count(303) == 1


def test_v088_nobody_can_make_an_account_from_outside(
    database: Database, tmp_path: Path
) -> None:
    with visitor(database, tmp_path) as browser:
        browser.get("/login")
        answers = [
            browser.post(path, data={"email": "eve@example.org"}).status_code
            for path in ("/signup", "/register", "/users", "/account")
        ]

    assert set(answers) <= {403, 404, 405}


def test_every_answer_carries_the_policy(database: Database, tmp_path: Path) -> None:
    with visitor(database, tmp_path) as browser:
        for path in ("/login", "/nowhere", "/healthz", "/link/unknown"):
            answer = browser.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'self'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_links_token_stays_out_of_the_log(
    database: Database, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with visitor(database, tmp_path) as browser:
        browser.get("/link/very-secret-token")

    assert "very-secret-token" not in "".join(capfd.readouterr())
