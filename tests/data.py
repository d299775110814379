"""The real collections that tests read, where they are present."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("GOLDSPAN_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def collection(name: str) -> Path:
    """Return the folder of one collection, or skip the test with the reason."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"no collection {name}: set GOLDSPAN_TEST_DATA to the folder that holds it")
    return folder
