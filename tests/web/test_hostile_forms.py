"""Every form of the application, sent from elsewhere, too large, or with what nobody types."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from app.accounts import service as accounts
from app.db import Database, transaction
from app.projects import service as projects
from app.web.bodies import SMALL
from app.web.security import SESSION, form_token
from tests.clients import BASE, sign_in
from tests.web.hostile import PATH, SLUG, World
from tests.web.walking import count_rows, list_routes

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
FOREIGN = [
    pytest.param({"Origin": "https://evil.test"}, id="another origin"),
    pytest.param({"Origin": "null"}, id="no origin"),
    pytest.param({"Sec-Fetch-Site": "cross-site", "Origin": BASE}, id="another site"),
    pytest.param({"Sec-Fetch-Site": "same-site", "Origin": BASE}, id="a neighbour"),
    pytest.param({"Origin": BASE, "X-CSRF-Token": "0" * 64}, id="a wrong token"),
    pytest.param({"Origin": BASE}, id="no token"),
]


def list_forms() -> list[tuple[str, str]]:
    """Return method and path of every route that may change something."""
    return [
        (method, route.path.replace("{slug}", SLUG).replace("{", "").replace("}", ""))
        for method in UNSAFE
        for route in list_routes(method)
    ]


@pytest.mark.parametrize("headers", FOREIGN)
def test_v084_every_form_is_refused_when_another_site_sends_it(
    world: World, headers: dict[str, str]
) -> None:
    before, admin = count_rows(world.database), world.enter("admin")
    own = {} if "X-CSRF-Token" in headers else {"X-CSRF-Token": ""}
    if headers != {"Origin": BASE}:
        own = {"X-CSRF-Token": form_token(world.tokens["admin"])} | own
        own |= {"X-CSRF-Token": headers.get("X-CSRF-Token", own["X-CSRF-Token"])}

    assert list_forms()
    for method, path in list_forms():
        for kind in ("application/x-www-form-urlencoded", "text/plain"):
            answer = admin.client.request(
                method, path, headers={**own, **headers, "Content-Type": kind}, content=b"a=1"
            )
            assert answer.status_code == 403, (path, answer.text[-300:])

    assert count_rows(world.database) == before


def test_no_form_works_without_signing_in(world: World) -> None:
    before, nobody = count_rows(world.database), world.enter(None)
    nobody.get("/login")

    for method, path in list_forms():
        if path not in {"/login", "/logout", "/link/token"}:
            sent = (
                nobody.post(path) if method == "POST" else nobody.client.request(method, path)
            )
            assert sent.status_code in {401, 403, 422}, (path, sent.status_code)

    assert count_rows(world.database) == before


@pytest.mark.parametrize("name", ["stranger", "sme", "viewer"])
def test_a_form_of_an_admin_is_for_admins(world: World, name: str) -> None:
    before, browser = count_rows(world.database), world.enter(name)
    own = {"sme": f"{PATH}/grade", "viewer": f"{PATH}/scores"}.get(name, "nowhere")

    for _, path in list_forms():
        if SLUG in path and path.removesuffix("/grade") != own and not path.startswith(own):
            sent = browser.post(path)
            assert sent.status_code == (404 if name == "stranger" else 403), (path, sent.text)

    assert count_rows(world.database) == before


def list_fields(dependant: Dependant) -> Iterator[str]:
    for field in dependant.body_params:
        yield field.alias
    for inner in dependant.dependencies:
        yield from list_fields(inner)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("\x00", id="NUL"),
        pytest.param("99999999999999999999", id="more than 64 bits"),
        pytest.param("-1", id="a negative number"),
        pytest.param("x" * 100_000, id="100 kB"),
        pytest.param("'\"<>", id="marks"),
    ],
)
def test_v093_no_value_in_a_form_breaks_it(
    database: Database, tmp_path: Path, value: str
) -> None:
    with transaction(database) as session:
        projects.create_project(session, SLUG)
    browser = sign_in(database, tmp_path, slug=SLUG, roles=("admin", "sme"))
    browser.client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]

    for route in list_routes("POST"):
        names = list(list_fields(route.dependant))
        path = route.path.replace("{slug}", SLUG).replace("{", "").replace("}", "")
        if path in {"/logout", "/account/password"} or path.startswith("/api/"):
            continue
        for name in names:
            data = dict.fromkeys(names, "1") | {name: value}
            answer = browser.post(path, data=data)
            assert answer.status_code < 500, (path, name, answer.text[-300:])


def test_a_text_that_is_half_a_character_is_refused(database: Database, tmp_path: Path) -> None:
    browser = sign_in(database, tmp_path)
    body = (
        b'--b\r\nContent-Disposition: form-data; name="slug"\r\n\r\nx\r\n'
        b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n\\ud83d\r\n--b--\r\n'
    )
    kind = "multipart/form-data; boundary=b; charset=unicode_escape"

    answer = browser.post("/projects", content=body, headers={"Content-Type": kind})

    assert answer.status_code == 422


def pieces(size: int) -> Iterator[bytes]:
    """Yield a form of many fields, and count how much of it was taken."""
    for number in range(size // 1000):
        taken.append(number)
        yield b"a=" + b"x" * 997 + b"&"


taken: list[int] = []


@pytest.mark.parametrize("path", ["/login", f"{PATH}/corpus/import", "/api/v1/projects/x/runs"])
def test_v085_a_strangers_large_body_is_refused_before_it_is_kept(
    world: World, path: str
) -> None:
    nobody = world.enter(None)
    taken.clear()
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    told = nobody.client.post(
        path, headers={**form, "Content-Length": "50000000"}, content=b"a"
    )
    streamed = nobody.client.post(path, headers=form, content=pieces(50_000_000))

    if path.startswith("/api/"):  # answered before the body is asked for
        assert {told.status_code, streamed.status_code} == {401}
    else:
        assert {told.status_code, streamed.status_code} == {413}
        assert "At most" in told.text


def test_v085_a_large_body_goes_only_where_files_go(world: World) -> None:
    admin = world.enter("admin")
    many = {"Content-Type": "application/x-www-form-urlencoded"}

    refused = admin.post(f"{PATH}/settings", headers=many, content=b"a=1&" * (SMALL // 4 + 1))
    file = {"file": ("x.jsonl", b"\n" * (SMALL + 1))}
    taken_in = admin.post(f"{PATH}/corpus/import", files=file, data={"step": "check"})

    assert refused.status_code == 413
    assert taken_in.status_code == 422
    assert "nothing" in taken_in.text


@pytest.mark.parametrize("room", ["corpus", "queries", "runs", "assign"])
@pytest.mark.parametrize(
    "name",
    ["../../x.csv", "..", "/etc/passwd", "C:\\evil.csv", "CON", "n" * 300, "\u202egpj.x"],
)
def test_v085_no_name_of_an_upload_is_a_path_and_nothing_stays(
    world: World, room: str, name: str
) -> None:
    before = sorted(Path(tempfile.gettempdir()).glob("goldspan-*/upload"))
    fields = {"step": "check", "kind": "sme", "name": "x"}
    admin = world.enter("admin")

    for content in (b"", b"\xff\xfe\x00", b"\x1f\x8b broken", b"PK\x03\x04"):
        sent = admin.post(f"{PATH}/{room}/import", files={"file": (name, content)}, data=fields)
        assert sent.status_code == 422, (room, name, content)

    assert sorted(Path(tempfile.gettempdir()).glob("goldspan-*/upload")) == before


@pytest.mark.parametrize("room", ["corpus", "queries", "runs", "assign"])
def test_v085_a_form_without_its_file_is_refused(world: World, room: str) -> None:
    admin, path = world.enter("admin"), f"{PATH}/{room}/import"
    fields = {"step": "check", "kind": "sme", "name": "x"}

    nothing = admin.post(path, data=fields)
    text = admin.post(path, data={**fields, "file": "not a file"})
    unnamed = admin.post(path, files={"file": ("", b"x")}, data=fields)
    broken = admin.post(path, headers={"Content-Type": "multipart/form-data"}, content=b"x")

    assert {nothing.status_code, text.status_code, unnamed.status_code} == {422}
    assert broken.status_code == 400
    assert "There is no such page" not in broken.text


def invite(database: Database, folder: Path, email: str) -> str:
    admin = sign_in(database, folder, name="mallory", slug="own", roles=("admin",))
    shown = admin.post("/projects/own/people", data={"email": email, "roles": "sme"})
    assert shown.status_code == 200
    return shown.text


def test_an_invitation_opens_no_account_that_reaches_further(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        projects.create_project(session, "own")
        theirs = projects.create_project(session, "theirs")
        boss = accounts.add_user(session, "boss@example.org")
        projects.set_roles(session, theirs, boss, {"admin"})

    shown = [invite(database, tmp_path, "boss@example.org") for _ in range(2)]

    assert not any("/link/" in text for text in shown)
    assert "has an account already" in shown[0]


def test_an_admin_may_make_their_own_graders_a_new_link(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        projects.create_project(session, "own")

    first, second = (invite(database, tmp_path, "eve@example.org") for _ in range(2))

    assert "/link/" in first
    assert "/link/" in second


def test_v089_the_host_of_a_request_is_never_part_of_a_link(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        projects.create_project(session, "own")
    admin = sign_in(database, tmp_path, slug="own", roles=("admin",))
    spoofed = {"X-Forwarded-Host": "evil.test", "Forwarded": "host=evil.test"}

    shown = admin.post(
        "/projects/own/people",
        data={"email": "eve@example.org", "roles": "sme"},
        headers={**spoofed, "Host": "evil.test", "Sec-Fetch-Site": "same-origin"},
    )

    assert "evil.test" not in shown.text
    assert f"{BASE}/link/" in shown.text


def test_v090_a_deactivated_person_is_out_at_once_by_cookie_and_by_token(
    database: Database, tmp_path: Path
) -> None:
    browser = sign_in(database, tmp_path)
    with transaction(database) as session:
        user = accounts.user_by_email(session, "ada@example.org")
        bearer = {"Authorization": f"Bearer {accounts.make_api_token(session, user)}"}
    assert browser.get("/").status_code == 200
    assert browser.get("/api/v1/projects", headers=bearer).status_code == 200

    with transaction(database) as session:
        accounts.user_by_email(session, "ada@example.org").active = False

    assert browser.get("/").status_code == 303
    assert browser.get("/api/v1/projects", headers=bearer).status_code == 401


def test_a_wrong_bearer_token_is_not_helped_by_a_cookie(
    database: Database, tmp_path: Path
) -> None:
    browser = sign_in(database, tmp_path)
    wrong = {"Authorization": "Bearer wrong", "Origin": "https://evil.test"}

    assert browser.get("/api/v1/projects", headers=wrong).status_code == 401
    assert browser.client.post("/projects", headers=wrong).status_code in {401, 422}
    assert browser.client.cookies.get(SESSION)


def test_a_name_of_any_script_can_be_sent_on_to(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        user = accounts.add_user(session, "ada@example.org")
        accounts.set_password(session, user, "a long enough one")
    browser = sign_in(database, tmp_path)
    data = {"email": "ada@example.org", "password": "a long enough one"}

    answer = browser.post("/login", htmx=True, data={**data, "onward": "/日本\r\nX: y"})

    assert answer.headers["hx-redirect"] == "/%E6%97%A5%E6%9C%AC%0D%0AX:%20y"


def test_every_route_is_of_a_kind_that_is_walked() -> None:
    for method in ("GET", *UNSAFE):
        assert all(isinstance(route, APIRoute) for route in list_routes(method))
