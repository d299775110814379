"""The templates keep to the policy of the pages: no style, script or handler inside them."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
FORBIDDEN = {
    "an inline style": r"\sstyle\s*=",
    "a style element": r"<style",
    "an inline script": r"<script(?![^>]*\ssrc=)",
    "a handler": r"\s(?:on[a-z]+|hx-on[\w:-]*)\s*=",
    "a trigger filter": r"hx-trigger=\"[^\"]*\[",
    "a computed value": r"\"(?:js|javascript):",
    "text taken as markup": r"\|\s*safe\b",
    "an address elsewhere": r"(?:src|href)=\"(?:https?:)?//",
    "hx-disabled-elt of htmx 2": r"hx-disabled-elt",
}


def make_context(**changes: object) -> dict[str, object]:
    context: dict[str, object] = {
        "request": None,
        "user": SimpleNamespace(name="Ada", email="ada@example.org"),
        "project": SimpleNamespace(slug="refunds", name="Refunds"),
        "roles": {"admin"},
        "csrf": "token",
        "active": "pool",
        "version": "0",
        "asset": "/static/{}".format,
        "flash": [],
    }
    return context | changes


def render(name: str, **changes: object) -> str:
    loader = FileSystemLoader(ROOT / "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template(name).render(make_context(**changes))


def find_rooms(html: str) -> list[str]:
    """Return the names in the wide navigation."""
    rooms = html.partition('<nav class="rooms"')[2].partition("</nav>")[0]
    return re.findall(r">([^<>]+)</a>", rooms)


@pytest.mark.parametrize("what", FORBIDDEN)
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_holds_nothing_the_policy_refuses(path: Path, what: str) -> None:
    assert not re.search(FORBIDDEN[what], path.read_text("utf-8"), re.IGNORECASE)


def test_every_pattern_renders_without_an_undefined_name() -> None:
    assert "Patterns" in render("patterns.html")


@pytest.mark.parametrize("name", ["base.html", "simple.html"])
def test_a_frame_renders_for_nobody_and_outside_projects(name: str) -> None:
    assert "Sign out" not in render(name, user=None, project=None, roles=set(), active="")


def test_an_error_page_says_what_happened_and_where_to_go() -> None:
    html = render(
        "errors/page.html",
        title="Not found",
        lines=["There is no <b>item</b>."],
        advice=None,
        back="/",
        back_label="Back to the start",
    )

    assert "There is no &lt;b&gt;item&lt;/b&gt;." in html
    assert 'href="/">Back to the start' in html


@pytest.mark.parametrize(
    ("roles", "seen", "unseen"),
    [
        pytest.param({"admin"}, {"Assign", "Grade", "Scores"}, set(), id="an admin sees all"),
        pytest.param(
            {"viewer"}, {"Corpus", "Scores"}, {"Assign", "Grade"}, id="a viewer reads"
        ),
        pytest.param({"sme", "viewer"}, {"Grade", "Corpus"}, {"Assign"}, id="roles add up"),
    ],
)
def test_the_rooms_shown_are_those_the_roles_open(
    roles: set[str], seen: set[str], unseen: set[str]
) -> None:
    rooms = set(find_rooms(render("base.html", roles=roles)))

    assert seen <= rooms
    assert not unseen & rooms


def test_an_sme_sees_the_grading_room_only() -> None:
    assert find_rooms(render("base.html", roles={"sme"})) == ["Grade"]


def test_the_room_a_person_is_in_is_marked() -> None:
    assert 'href="/projects/refunds/pool" aria-current="page"' in render("base.html")
