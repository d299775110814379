import io
from pathlib import Path

import pytest

from app.errors import Invalid
from app.projects.uploads import display_name, saved_stream


def keep_and_fail(kept: list[Path]) -> None:
    with saved_stream(io.BytesIO(b"abc")) as path:
        kept.append(path)
        assert path.read_bytes() == b"abc"
        raise Invalid("stop")


def test_a_saved_stream_is_gone_afterwards_even_after_a_failure() -> None:
    kept: list[Path] = []

    with pytest.raises(Invalid, match="stop"):
        keep_and_fail(kept)

    assert not kept[0].exists()
    assert not kept[0].parent.exists()


def test_a_stream_beyond_the_limit_is_refused() -> None:
    with (
        pytest.raises(Invalid, match="larger than 2 bytes"),
        saved_stream(io.BytesIO(b"abc"), limit=2),
    ):
        pass


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("docs.jsonl", "docs.jsonl"),
        ("../../evil.txt", "evil.txt"),
        ("C:\\Users\\a\\docs.csv", "docs.csv"),
        ("..", "unnamed file"),
        ("", "unnamed file"),
        (None, "unnamed file"),
        ("a\x00b\n.csv", "ab.csv"),
        ("x" * 300 + ".csv", "x" * 116 + ".csv"),
    ],
)
def test_a_clients_file_name_is_only_shown(given: str | None, shown: str) -> None:
    assert display_name(given) == shown
