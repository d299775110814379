"""Docs: what they promise is there, and what is there they mention."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from app.cli import app
from app.domain.metric_names import Kind
from app.settings import IGNORED, PREFIX, SECRET, Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
FENCE = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'<a id="([^"]+)">')
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMENT = re.compile(r"\s{2,}#.*$")

Words = tuple[str, ...]


def list_commands(
    group: object = None, path: Words = ()
) -> Iterator[tuple[Words, typer.Context]]:
    """Yield every command that does something, with an empty context of its own."""
    command = get_command(app) if group is None else group
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command.make_context(path[-1], [], resilient_parsing=True)  # type: ignore[attr-defined]
        return
    for name, child in children.items():
        if not child.hidden:
            yield from list_commands(child, (*path, name))


COMMANDS = list(list_commands())
OPTIONS = [
    (path, long)
    for path, context in COMMANDS
    for parameter in context.command.params
    if not getattr(parameter, "hidden", False)
    if (long := [o for o in (*parameter.opts, *parameter.secondary_opts) if o.startswith("-")])
    if "--help" not in long
]


def written_commands() -> list[tuple[str, str]]:
    """Return (page, command) of every fenced line that begins with goldspan."""
    return [
        (page.name, COMMENT.sub("", line.strip()).removeprefix("goldspan ").strip())
        for page in PAGES
        for block in FENCE.findall(page.read_text(encoding="utf-8"))
        for line in block.splitlines()
        if line.strip().startswith("goldspan ")
    ]


def anchors_of(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.strip().replace(" ", "-") for title in titles} | set(ANCHOR.findall(text))


@pytest.mark.parametrize("path", [path for path, _ in COMMANDS], ids=" ".join)
def test_every_command_is_mentioned(path: Words) -> None:
    assert f"goldspan {' '.join(path)}" in TEXT


@pytest.mark.parametrize(("path", "spellings"), OPTIONS)
def test_every_option_is_mentioned(path: Words, spellings: list[str]) -> None:
    either = "|".join(spellings)
    assert re.search(rf"(?<![\w-])({either})(?![\w-])", TEXT), f"goldspan {' '.join(path)}"


@pytest.mark.parametrize(
    "name",
    [*(PREFIX + field.upper() for field in Settings.model_fields), *IGNORED, SECRET],
)
def test_every_setting_is_mentioned(name: str) -> None:
    assert f"`{name}" in (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http:", "https:")):
            continue
        target, _, anchor = link.partition("#")
        led = (page.parent / target).resolve() if target else page
        if led.parent not in (ROOT, ROOT / "docs"):
            continue  # the benchmarks write theirs
        assert led.exists(), link
        assert not anchor or anchor in anchors_of(led), link


@pytest.mark.parametrize(("page", "line"), written_commands())
def test_every_written_command_can_be_typed(page: str, line: str) -> None:
    words = shlex.split(line)
    command, path = get_command(app), []
    while words and (children := getattr(command, "commands", None)) is not None:
        assert words[0] in children, f"{page}: goldspan {line}"
        path.append(words.pop(0))
        command = children[path[-1]]

    command.make_context(" ".join(path), words)  # raises where it cannot be parsed


def test_the_metrics_of_the_command_line_are_all_defined() -> None:
    defined = set(ANCHOR.findall((ROOT / "docs" / "numbers.md").read_text(encoding="utf-8")))
    assert {kind.value for kind in Kind} <= defined
