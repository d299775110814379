"""Settings are checked at the start; nothing is guessed (V-102)."""

from pathlib import Path

import pytest

from app.errors import Invalid
from app.settings import load_settings, read_secret


def test_the_defaults_need_no_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    settings = load_settings()

    assert settings.database.endswith("/goldspan-data/goldspan.db")
    assert (tmp_path / "goldspan-data").is_dir()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("GOLDSPAN_DATABSE_URL", "sqlite:///x.db", id="a typo"),
        pytest.param("GOLDSPAN_DATABASE_URL", "", id="an empty value"),
        pytest.param("GOLDSPAN_DATABASE_URL", "mysql://x", id="an unknown database"),
        pytest.param("GOLDSPAN_PUBLIC_URL", "goldspan.example.org", id="no scheme"),
    ],
)
def test_a_broken_setting_stops_the_start_and_is_named(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, value)

    with pytest.raises(Invalid, match=name) as refused:
        load_settings()

    assert "Value error" not in str(refused.value)


def test_a_data_folder_that_cannot_be_written_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "file"))

    with pytest.raises(Invalid, match="GOLDSPAN_DATA_DIR"):
        load_settings()


def test_the_tests_own_switch_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDSPAN_TEST_DATA", "/somewhere")

    load_settings()


def test_secrets_are_read_by_name_and_only_by_permitted_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("sk-from-file\n")
    monkeypatch.setenv("GOLDSPAN_SECRET_VLLM", "sk-1")
    monkeypatch.setenv("GOLDSPAN_SECRET_DISK_FILE", str(tmp_path / "key"))

    assert read_secret("GOLDSPAN_SECRET_VLLM") == "sk-1"
    assert read_secret("GOLDSPAN_SECRET_DISK_FILE") == "sk-from-file"
    with pytest.raises(Invalid):
        read_secret("PATH")
    with pytest.raises(Invalid, match="GOLDSPAN_SECRET_ABSENT"):
        read_secret("GOLDSPAN_SECRET_ABSENT")
