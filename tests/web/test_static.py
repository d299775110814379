"""What browsers may keep of our files, and for how long."""

from pathlib import Path

import pytest

from app.db import Database
from app.web.templating import asset
from tests.clients import web


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(asset("css/base.css"), "immutable", id="under its hash for good"),
        pytest.param("/static/js/grading/desk.js", "no-cache", id="an imported script never"),
    ],
)
def test_a_file_is_kept_only_under_its_hash(
    shared_sqlite: Database, tmp_path: Path, path: str, expected: str
) -> None:
    with web(shared_sqlite, tmp_path) as client:
        assert expected in client.get(path).headers["cache-control"]
