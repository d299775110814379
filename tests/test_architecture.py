"""The house plan: what a reviewer would have to remember, a machine says."""

import subprocess
import sys

import pytest

from tests.databases import ROOT

APP = ROOT / "app"
ROOMS = [path.parent.name for path in sorted(APP.glob("*/routes.py"))]
FORBIDDEN = ["fastapi", "starlette", "sqlalchemy", "jinja2", "openai", "dbos", "pydantic"]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("wing", ["templates", "tests"])
def test_every_room_has_its_templates_and_tests(room: str, wing: str) -> None:
    assert (ROOT / wing / room).is_dir()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_a_signboard(room: str) -> None:
    text = (APP / room / "__init__.py").read_text(encoding="utf-8")

    assert text.startswith('"""')


def test_the_domain_loads_without_web_database_or_llm() -> None:
    modules = [f"app.domain.{path.stem}" for path in sorted((APP / "domain").glob("[a-z]*.py"))]
    program = (
        f"import sys, importlib\nfor name in {modules!r}: importlib.import_module(name)\n"
        f"print([name for name in {FORBIDDEN!r} if name in sys.modules])"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
