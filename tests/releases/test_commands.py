"""From the command line: agreement, release, export, and what evaluate makes of it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app import schema
from app.cli import app
from app.db import open_database, transaction
from app.errors import AppError
from app.projects import service as projects
from app.settings import load_settings
from tests.agreement.labels import load_qrels, make_judge
from tests.factories import make_grader

HUMAN = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 1\n"
JUDGE = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d1 1\nq2 0 d3 2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with two files of labels, and a project shop that holds both."""
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    human, judged = tmp_path / "human.trec", tmp_path / "judge.trec"
    human.write_text(HUMAN, encoding="utf-8")
    judged.write_text(JUDGE, encoding="utf-8")
    database = open_database(load_settings().database)
    schema.upgrade(database)
    with transaction(database) as session:
        project = projects.create_project(session, "shop")
        sme, judge = make_grader(session, project), make_judge(session, project)
        load_qrels(session, project, [(human, sme), (judged, judge)])
    database.close()
    return tmp_path


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def read_json(*arguments: str | Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(call(*arguments).stdout)
    return answer


def test_a_project_and_its_two_files_agree_alike(folder: Path) -> None:
    of_project = read_json("agreement", "shop", "--judge", "judge-a", "--json")
    of_files = read_json(
        "agreement",
        "--human",
        folder / "human.trec",
        "--judge",
        folder / "judge.trec",
        "--json",
    )

    assert {key: of_project[key] for key in of_files} == of_files
    assert (of_project["n"], of_project["split"], of_project["looks"]) == (3, "all", 1)
    assert "3 pairs; 100 are needed" in call("agreement", "shop", "--judge", "judge-a").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["shop"], id="no judge"),
        pytest.param(["--judge", "x"], id="neither project nor file"),
        pytest.param(["shop", "--human", "f", "--judge", "x"], id="both"),
    ],
)
def test_agreement_needs_a_project_or_a_file(folder: Path, arguments: list[str]) -> None:
    assert call("agreement", *arguments).exit_code == 2


def test_a_release_is_cut_and_its_spans_hash_to_the_manifest(folder: Path) -> None:
    manifest = read_json("release", "shop", "--override", "judge-a=a pilot", "--json")
    call("export", "shop", "--format", "jsonl", "--unit", "span", "-o", folder / "spans.jsonl")

    written = (folder / "spans.jsonl").read_bytes()
    assert hashlib.sha256(written).hexdigest() == manifest["hashes"]["labels"]
    assert manifest["counts"]["override"] == [0, 0, 1, 0]
    override = manifest["judges"][0]["override"]
    assert (override["by"], override["reason"]) == ("command line", "a pilot")


def test_an_export_is_read_by_evaluate(folder: Path) -> None:
    call("release", "shop")
    run = folder / "run.trec"
    run.write_text("q1 Q0 d1 1 2 r\nq1 Q0 d2 2 1 r\nq2 Q0 d1 1 1 r\n", encoding="utf-8")

    call("export", "shop", "--format", "trec", "-o", folder / "out.trec")
    found = read_json(
        "evaluate", "--qrels", folder / "out.trec", "--run", run, "--metric", "map", "--json"
    )

    assert (folder / "out.trec").read_text(encoding="utf-8") == HUMAN
    assert found["runs"]["run"]["mean"]["map"] == 1


def test_standard_output_holds_the_file_and_nothing_else(folder: Path) -> None:
    call("release", "shop")

    answer = call("export", "shop", "--format", "beir", "-o", "-")

    assert answer.stdout.splitlines()[0] == "query-id\tcorpus-id\tscore"
    assert len(answer.stdout.splitlines()) == 4


def test_beir_is_a_folder_an_archive_or_the_qrels_alone(folder: Path) -> None:
    call("release", "shop")
    for name in ("set", "set.zip", "set.tsv"):
        call("export", "shop", "--format", "beir", "-o", folder / name)

    files = {str(path.relative_to(folder / "set")) for path in (folder / "set").rglob("*.*")}
    assert files == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}
    assert (folder / "set.zip").read_bytes()[:2] == b"PK"
    qrels = (folder / "set" / "qrels" / "test.tsv").read_bytes()
    assert (folder / "set.tsv").read_bytes() == qrels


def test_what_cannot_be_exported_leaves_no_file(folder: Path) -> None:
    refused = call("export", "shop", "--format", "trec", "-o", folder / "out")

    assert isinstance(refused.exception, AppError)
    assert not (folder / "out").exists()
    assert call("export", "shop", "--format", "word", "-o", folder / "out").exit_code == 2
    assert call("release", "shop", "--override", "judge-a").exit_code == 2
