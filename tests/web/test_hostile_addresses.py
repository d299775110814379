"""Every address of the application, asked by those who should not, with what it should not."""

import time

import pytest

from tests.web.hostile import PATH, RAW, SLUG, SUM, TEXT, World
from tests.web.walking import count_rows, list_addresses, list_routes, spoil

OPEN = {"/login", "/link/{token}"}
ANYBODYS = {"/", "/account", "/projects/new", "/api/v1/projects"}
DESK = (f"{PATH}/grade", f"{PATH}?")
KEPT = {"evaluations", "scores"}
"""What GET of the API's evaluation may add: it keeps what it computed."""
HOSTILE = [
    pytest.param("'", id="a quote"),
    pytest.param("\x00", id="NUL"),
    pytest.param("%_%", id="wildcards"),
    pytest.param("(((((a+)+)+)+)$", id="an expression"),
    pytest.param("x" * 8_000, id="8 kB"),  # servers and clients stop at 64 kB an address
    pytest.param("-1", id="a negative number"),
    pytest.param("1e9", id="a float"),
    pytest.param("2147483648", id="more than 31 bits"),
    pytest.param("99999999999999999999", id="more than 64 bits"),
    pytest.param("1 or 1=1", id="SQL"),
    pytest.param("../../etc/passwd", id="a way up"),
    pytest.param("\u202e\ufeff\U0001f98a", id="odd characters"),
]
SLOWEST = 5.0  # seconds, on a busy machine


def addresses(world: World) -> list[str]:
    return list_addresses(SLUG, world.examples)


def test_v083_no_page_holds_a_text_as_markup(world: World) -> None:
    admin, seen = world.enter("admin"), 0

    for address in addresses(world):
        answer = admin.get(address)
        assert answer.status_code < 500, (address, answer.text)
        if "text/html" in answer.headers.get("content-type", ""):
            assert [raw for raw in RAW if raw in answer.text] == [], address
            seen += SUM in answer.text

    assert seen > 20


def test_v083_error_pages_and_pieces_hold_no_markup(world: World) -> None:
    admin = world.enter("admin")
    value = TEXT.replace("/", "%2F")

    for address in (f"/projects/{value}", f"{PATH}/runs/{value}x", f"{PATH}/queries/{value}x"):
        for headers in ({}, {"HX-Request": "true"}):
            assert not any(raw in admin.get(address, headers=headers).text for raw in RAW)


def test_v084_looking_at_every_address_changes_nothing(world: World) -> None:
    before, admin = count_rows(world.database), world.enter("admin")

    for address in addresses(world):
        admin.get(address)
        admin.client.head(address)

    after = count_rows(world.database)
    assert {name for name in after if after[name] != before[name]} <= KEPT


def test_nobody_sees_anything_without_signing_in(world: World) -> None:
    nobody = world.enter(None)

    for route in list_routes("GET"):
        path = route.path.replace("{slug}", SLUG)
        answer = nobody.get(path.replace("{", "").replace("}", ""))
        if route.path in OPEN:
            assert answer.status_code in {200, 404, 410}
        elif path.startswith("/api/"):
            assert answer.status_code == 401
        else:
            assert answer.status_code == 303, path
            assert answer.headers["location"].startswith("/login?")


def test_a_stranger_finds_no_project(world: World) -> None:
    stranger = world.enter("stranger")

    for address in addresses(world):
        if PATH in address:
            answer = stranger.get(address)
            assert answer.status_code == 404, address


def test_v033_an_sme_sees_a_desk_and_nothing_else(world: World) -> None:
    sme = world.enter("sme")

    for address in addresses(world):
        answer = sme.get(address)
        if address == PATH:
            assert answer.headers["location"] == f"{PATH}/grade"
        elif address.startswith(f"{PATH}/grade"):
            assert answer.status_code in {200, 204, 303}, address
            assert "judge.example.org" not in answer.text
        elif PATH in address:
            assert answer.status_code == 403, address


def test_a_viewer_reads_but_opens_no_form_of_an_admin(world: World) -> None:
    viewer = world.enter("viewer")
    forms = ("assign", "people", "settings", "corpus/import", "judges/new", "releases/new")

    assert {viewer.get(f"{PATH}/{form}").status_code for form in forms} == {403}
    assert viewer.get(f"{PATH}/grade").status_code == 403


@pytest.mark.parametrize("value", HOSTILE)
def test_v093_no_value_in_an_address_breaks_a_page(world: World, value: str) -> None:
    ask_everywhere(world, value)


@pytest.mark.postgres
@pytest.mark.parametrize("value", [HOSTILE[1], HOSTILE[7], HOSTILE[8], HOSTILE[11]])
def test_v093_no_value_breaks_a_page_on_postgresql(postgres_world: World, value: str) -> None:
    ask_everywhere(postgres_world, value)


def ask_everywhere(world: World, value: str) -> None:
    admin = world.enter("admin")

    for route in list_routes("GET"):
        for address in spoil(route, SLUG, value):
            begun = time.monotonic()
            answer = admin.get(address)
            assert answer.status_code < 500, (address[:200], answer.text[-500:])
            assert time.monotonic() - begun < SLOWEST, address[:200]


@pytest.mark.parametrize("value", ["\x00", "99999999999999999999", "%_%"])
def test_v093_a_percent_sign_finds_only_itself(world: World, value: str) -> None:
    found = world.enter("admin").get(f"{PATH}/queries", params={"search": value})

    assert found.status_code in {200, 422}
    assert f"{PATH}/queries/q2" not in found.text
