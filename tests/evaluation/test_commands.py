"""Command: ``goldspan evaluate``, as people type it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import app
from app.db import open_database, transaction
from app.errors import AppError, Invalid, NotFound
from app.schema import upgrade
from app.settings import load_settings
from tests.evaluation.rows import label, make_release, make_run
from tests.factories import make_document, make_project, make_query


@pytest.fixture
def slug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The short name of a project with a release and one run, in a fresh database."""
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    database = open_database(load_settings().database)
    upgrade(database)
    with transaction(database) as session:
        project = make_project(session)
        query = make_query(session, project, query_id="q1")
        other = make_query(session, project, query_id="q2")
        a, b = make_document(session, project), make_document(session, project)
        labels = [label(session, query, a, 3), label(session, other, b, 0)]
        make_release(session, project, [query, other], labels)
        make_run(session, project, "mine", [(query, [(b, None), (a, None)])])
    database.close()
    return project.slug


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A file of labels and a run of one query, whose second hit is relevant."""
    qrels, run = tmp_path / "qrels", tmp_path / "mine.run"
    qrels.write_text("q 0 a 2\nq 0 b 0\n", encoding="utf-8")
    run.write_text("q Q0 b 1 9 r\nq Q0 a 2 8 r\n", encoding="utf-8")
    return str(qrels), str(run)


def goldspan(*arguments: str) -> Result:
    """Return the result of one command."""
    return CliRunner().invoke(app, ["evaluate", *arguments])


def test_files_are_scored_without_a_database(files: tuple[str, str]) -> None:
    qrels, run = files
    options = ("--metric", "mrr", "--metric", "ndcg@10", "--json", "--per-query")

    found = json.loads(goldspan("--qrels", qrels, "--run", run, *options).stdout)["runs"]

    assert list(found["mine"]["mean"]) == ["mrr", "ndcg@10"]
    assert found["mine"]["mean"]["mrr"] == 0.5
    assert found["mine"]["queries"]["q"]["mrr"] == 0.5
    assert found["mine"]["n"] == {"mrr": 1, "ndcg@10": 1}


def test_undefined_is_null_or_0_by_the_switch(files: tuple[str, str]) -> None:
    qrels, run = files
    asked = ("--qrels", qrels, "--run", run, "--cut", "3", "--metric", "map", "--json")

    skipped = json.loads(goldspan(*asked).stdout)["runs"]["mine"]
    zero = json.loads(goldspan(*asked, "--no-relevant", "zero").stdout)["runs"]["mine"]

    assert (skipped["mean"], skipped["undefined"]) == ({"map": None}, {"map": 1})
    assert (zero["mean"], zero["no_relevant"]) == ({"map": 0.0}, "zero")


def test_people_read_metrics_spelled_out(files: tuple[str, str]) -> None:
    qrels, run = files

    told = goldspan("--qrels", qrels, "--run", run, "--metric", "ndcg@10", "--cut", "2").stdout

    assert "nDCG@10 (linear gain)" in told
    assert "cut 2" in told
    assert "0.6309" in told


def test_the_values_behind_each_mean_are_printed_when_asked_for(
    files: tuple[str, str], slug: str
) -> None:
    qrels, run = files

    told = goldspan("--qrels", qrels, "--run", run, "--metric", "mrr", "--per-query").stdout
    project = goldspan(slug, "--metric", "mrr", "--per-query").stdout

    assert "  query\tmrr\n  q\t0.5000\n" in told
    assert "  q1\t0.5000\n  q2\tundefined\n" in project


def test_a_run_whose_ids_meet_no_label_is_named(files: tuple[str, str], tmp_path: Path) -> None:
    other = tmp_path / "other.run"
    other.write_text("q Q0 A 1 9 r\n", encoding="utf-8")

    answer = goldspan("--qrels", files[0], "--run", str(other), "--run", files[1], "--json")
    runs = json.loads(answer.stdout)["runs"]

    assert answer.stderr.startswith("other: 1 hit, and none has a label.")
    assert "mine" not in answer.stderr
    assert (runs["other"]["unmatched"], runs["mine"]["unmatched"]) == (1, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="nothing"),
        pytest.param(("shop", "--qrels", "x"), id="both"),
        pytest.param(("--qrels", "x"), id="no run"),
        pytest.param(("shop", "--run", "x"), id="a run beside a project"),
        pytest.param(("shop", "--no-relevant", "maybe"), id="no such switch"),
        pytest.param(("shop", "--metric", "ndcg@"), id="no such metric"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...]) -> None:
    assert goldspan(*arguments).exit_code == 2


def test_a_project_is_scored_with_its_newest_release(slug: str) -> None:
    first = json.loads(goldspan(slug, "--json", "--per-query").stdout)
    again = json.loads(goldspan(slug, "--release", "1", "--json", "--metric", "mrr").stdout)

    assert (first["release"], first["runs"]["mine"]["mean"]["mrr"]) == (1, 0.5)
    assert first["runs"]["mine"]["queries"]["q2"]["mrr"] is None
    assert first["runs"]["mine"]["nothing_relevant"] == ["q2"]
    assert again["runs"]["mine"]["mean"] == {"mrr": 0.5}
    assert set(again["runs"]["mine"]["answered_only"]) <= {"mrr"}
    assert "mine: unit document, cut 1" in goldspan(slug).stdout


@pytest.mark.parametrize(
    ("options", "refusal", "words"),
    [
        (("--release", "9"), NotFound, "no release 9"),
        (("--metric", "ndcg@3"), Invalid, "no scores by ndcg@3"),
        (("--cut", "7"), Invalid, "The cut is 1, 2 or 3"),
    ],
)
def test_what_a_project_does_not_have_is_refused(
    slug: str, options: tuple[str, ...], refusal: type[AppError], words: str
) -> None:
    answer = goldspan(slug, *options)

    assert isinstance(answer.exception, refusal)
    assert words in str(answer.exception)
