"""The files of others are the ones their list names, byte for byte."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = ROOT / "static" / "vendor" / "VENDOR.md"
FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "browser" / "vendor"]


def listed() -> dict[str, str]:
    rows = re.findall(r"\| (\S+\.js) \| (\S+) \|", LIST.read_text(encoding="utf-8"))
    return dict(rows)


def digest(path: Path) -> str:
    return base64.b64encode(hashlib.sha384(path.read_bytes()).digest()).decode()


def test_every_vendored_script_is_listed() -> None:
    found = {str(path.relative_to(ROOT)) for folder in FOLDERS for path in folder.rglob("*.js")}

    assert found == set(listed())


@pytest.mark.parametrize(("name", "expected"), sorted(listed().items()))
def test_a_vendored_script_has_the_digest_of_its_list(name: str, expected: str) -> None:
    assert digest(ROOT / name) == expected


@pytest.mark.parametrize("name", sorted(listed()))
def test_a_vendored_script_lies_beside_its_licence(name: str) -> None:
    assert (ROOT / name).with_name("LICENSE").is_file()
