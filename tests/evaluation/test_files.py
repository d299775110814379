"""Runs scored from files, against trec_eval's values."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.metric_names import parse_metric
from app.errors import BadFile, Invalid
from app.evaluation.files import evaluate_files
from tests.data import collection

NAMES = {
    "ndcg_cut_5": "ndcg@5",
    "ndcg_cut_10": "ndcg@10",
    "ndcg_cut_20": "ndcg@20",
    "map": "map",
    "P_5": "precision@5",
    "P_10": "precision@10",
    "P_20": "precision@20",
    "recip_rank": "mrr",
    "recall_10": "recall@10",
    "bpref": "bpref",
    "Rprec": "r_precision",
    "success_1": "hit@1",
    "success_5": "hit@5",
    "success_10": "hit@10",
}
METRICS = [parse_metric(name) for name in [*NAMES.values(), "ndcg_exp@10", "judged@10"]]


def expected_of(folder: str, file: str = "metrics.json") -> dict[str, Any]:
    path = collection(folder) / "expected" / file
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return found


def check_means(found: dict[str, Any], expected: dict[str, float]) -> None:
    means = {
        theirs: found["mean"][ours] for theirs, ours in NAMES.items() if theirs in expected
    }
    assert len(means) > 4
    assert means == pytest.approx({name: expected[name] for name in means}, abs=5.1e-5)


@pytest.mark.parametrize("cut", [1, 2])
def test_dl21_runs_score_as_in_trec_eval(cut: int) -> None:
    folder = collection("dl21-passage-A")
    expected = expected_of("dl21-passage-A")
    runs = sorted(map(str, (folder / "runs").glob("*.trec")))

    found = evaluate_files(
        str(folder / "qrels.trec"), runs, METRICS, cut=cut, no_relevant="zero"
    )["runs"]

    assert list(found) == sorted(expected)
    for name, run in found.items():
        check_means(run, expected[name][f"all_l{cut}"])
        # This one figure comes from a tool that ties the scores of one run in 32 bits.
        if not expected[name]["ties_only_in_32bit"]:
            exponential = expected[name]["ndcg_exp_cut_10"]["mean_over_all_qrels_queries"]
            assert run["mean"]["ndcg_exp@10"] == pytest.approx(exponential, abs=5e-5)
        for query_id, values in expected[name][f"per_query_l{cut}"].items():
            ours = run["queries"][query_id]["ndcg@10"]
            assert ours == pytest.approx(values["ndcg_cut_10"], abs=5.1e-5)


@pytest.mark.parametrize(
    ("qrels", "file"),
    [("qrels.trec", "metrics.json"), ("qrels.best_is_4.trec", "metrics.best_is_4.json")],
)
def test_cranfield_codes_of_another_scale_score_as_in_trec_eval(qrels: str, file: str) -> None:
    folder = collection("cranfield")
    expected = expected_of("cranfield", file)
    run = folder / "runs" / "simple_bm25.trec"

    found = evaluate_files(str(folder / qrels), [str(run)], METRICS, no_relevant="zero")

    check_means(found["runs"]["simple_bm25"], expected["simple_bm25"]["all_l1"])


def test_per_query_values_are_left_out_when_not_asked_for(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "mine.run"
    qrels.write_text("q 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    run.write_text("q Q0 b 1 9 r\nq Q0 a 2 8 r\nother Q0 a 1 1 r\n", encoding="utf-8")

    found = evaluate_files(str(qrels), [str(run)], [parse_metric("mrr")], per_query=False)

    assert "queries" not in found["runs"]["mine"]
    assert found["runs"]["mine"]["mean"] == {"mrr": 0.25}
    assert found["runs"]["mine"]["unanswered"] == ["q2"]


def test_the_rank_column_decides_when_asked(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "mine.run"
    qrels.write_text("q 0 a 1\n", encoding="utf-8")
    run.write_text("q Q0 a 1 1 r\nq Q0 b 2 9 r\n", encoding="utf-8")

    by_score = evaluate_files(str(qrels), [str(run)], [parse_metric("mrr")])
    by_rank = evaluate_files(str(qrels), [str(run)], [parse_metric("mrr")], order="rank")

    assert by_score["runs"]["mine"]["mean"]["mrr"] == 0.5
    assert by_rank["runs"]["mine"]["mean"]["mrr"] == 1


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(Invalid, match="both be named x"):
        evaluate_files("qrels", ["a/x.trec", "b/x.run.gz"])


def test_a_bad_line_is_refused_with_its_file(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\nq 0 b high\n", encoding="utf-8")

    with pytest.raises(BadFile, match="qrels, line 2: grade 'high'"):
        evaluate_files(str(qrels), [])


def write_lines(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_a_run_of_the_gold_spans_themselves_is_perfect(tmp_path: Path) -> None:
    gold = collection("span-gold") / "gold_spans.jsonl"
    labels = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    place = ("query_id", "doc_id", "start", "end")
    hits = [{key: label[key] for key in place} | {"score": 1} for label in labels]

    found = evaluate_files(
        str(gold),
        [write_lines(tmp_path / "gold.jsonl", hits)],
        [parse_metric(name) for name in ("ndcg@20", "recall@20", "map", "judged@20")],
    )["runs"]["gold"]

    assert found["unit"] == "span"
    assert found["mean"] == {"ndcg@20": 1, "recall@20": 1, "map": 1, "judged@20": 1}
    assert len(found["queries"]) == len({label["query_id"] for label in labels})


def test_a_span_is_found_once_by_the_first_chunk_that_matches_it(tmp_path: Path) -> None:
    label = {"query_id": "q", "doc_id": "d", "start": 100, "end": 200, "grade": 3}
    hits = [
        {"query_id": "q", "doc_id": "d", "start": 300, "end": 400, "score": 3},
        {"query_id": "q", "doc_id": "d", "start": 90, "end": 160, "score": 2},
        {"query_id": "q", "doc_id": "d", "start": 140, "end": 240, "score": 1},
    ]
    qrels = write_lines(tmp_path / "gold.jsonl", [label])

    found = evaluate_files(
        qrels,
        [write_lines(tmp_path / "run.jsonl", hits)],
        [parse_metric("precision@3"), parse_metric("mrr")],
    )["runs"]["run"]

    assert found["mean"] == pytest.approx({"precision@3": 1 / 3, "mrr": 1 / 2})


def test_a_trec_run_with_spans_in_its_ids_meets_labels_of_spans(tmp_path: Path) -> None:
    label = {"query_id": "q", "doc_id": "d", "start": 0, "end": 10, "grade": 2}
    qrels, run = write_lines(tmp_path / "gold.jsonl", [label]), tmp_path / "r.trec"
    run.write_text("q Q0 d#50-60 1 2 r\nq Q0 d#2-12 2 1 r\n", encoding="utf-8")

    found = evaluate_files(qrels, [str(run)], [parse_metric("mrr")])["runs"]["r"]

    assert (found["unit"], found["mean"]["mrr"]) == ("span", 0.5)


def test_labels_of_documents_count_a_document_at_its_best_chunk(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\nq 0 b 0\n", encoding="utf-8")
    hits = [
        {"query_id": "q", "doc_id": "b", "start": 0, "end": 9, "score": 3},
        {"query_id": "q", "doc_id": "b", "start": 9, "end": 19, "score": 2},
        {"query_id": "q", "doc_id": "a", "start": 0, "end": 9, "score": 1},
    ]

    found = evaluate_files(
        str(qrels), [write_lines(tmp_path / "r.jsonl", hits)], [parse_metric("mrr")]
    )["runs"]["r"]

    assert (found["unit"], found["mean"]["mrr"]) == ("document", 0.5)


SPAN_IDS = "q Q0 refunds#90-120 1 3 r\nq Q0 billing#0-9 2 2 r\nq Q0 refunds#24-89 3 1 r\n"


def test_span_ids_of_a_trec_run_count_by_document_where_documents_are_labelled(
    tmp_path: Path,
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "r.trec"
    qrels.write_text("q 0 refunds 2\nq 0 billing 0\n", encoding="utf-8")
    run.write_text(SPAN_IDS, encoding="utf-8")

    found = evaluate_files(str(qrels), [str(run)], [parse_metric("precision@2")])["runs"]["r"]

    assert (found["unit"], found["answers"], found["unmatched"]) == ("document", 2, 0)
    assert found["mean"]["precision@2"] == 0.5


@pytest.mark.parametrize(
    ("labels", "unit"),
    [
        pytest.param("q 0 refunds#24-89 1\n", "id", id="spans are labelled"),
        pytest.param("q 0 refunds#24-89 1\nq 0 refunds 0\n", "id", id="spans and documents"),
        pytest.param("q 0 refunds#24-89 1\nq 0 billing 0\n", "document", id="a literal id"),
    ],
)
def test_a_labelled_id_is_taken_literally(tmp_path: Path, labels: str, unit: str) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "r.trec"
    qrels.write_text(labels, encoding="utf-8")
    run.write_text(SPAN_IDS, encoding="utf-8")

    found = evaluate_files(str(qrels), [str(run)], [parse_metric("mrr")])["runs"]["r"]

    assert (found["unit"], found["mean"]["mrr"]) == (unit, pytest.approx(1 / 3))
