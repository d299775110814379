"""Metrics on real runs: equal to trec_eval to four decimals."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.domain.metric_names import parse_metric
from app.domain.metrics import Evaluation, evaluate
from app.domain.ordering import RunHit, order_hits
from tests.data import collection

NAMES = {
    "ndcg_cut_5": "ndcg@5", "ndcg_cut_10": "ndcg@10", "ndcg_cut_20": "ndcg@20", "ndcg": "ndcg",
    "map": "map", "P_5": "precision@5", "P_10": "precision@10", "P_20": "precision@20",
    "recip_rank": "mrr", "recall_10": "recall@10", "recall_100": "recall@100",
    "bpref": "bpref", "Rprec": "r_precision", "success_1": "hit@1", "success_5": "hit@5",
    "success_10": "hit@10",
}  # fmt: skip
IR_MEASURES = {
    "AP": "map", "Rprec": "r_precision", "Bpref": "bpref", "RR": "mrr", "P@1": "precision@1",
    "P@3": "precision@3", "P@5": "precision@5", "R@3": "recall@3", "R@5": "recall@5",
    "nDCG": "ndcg", "nDCG@1": "ndcg@1", "nDCG@3": "ndcg@3", "nDCG@5": "ndcg@5",
    "nDCG@10": "ndcg@10", "Success@1": "hit@1", "Success@5": "hit@5", "Judged@10": "judged@10",
    "Judged@3": "judged@3", "Judged@1": "judged@1", "RR@3": "mrr@3",
}  # fmt: skip
JUDGED = {"judged@5", "judged@10", "judged@20"}
SAME = 0.000051  # four decimals, as printed


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def read_hits(path: Path) -> dict[str, list[RunHit]]:
    hits: dict[str, list[RunHit]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score = line.split()[:5]
        hits.setdefault(query, []).append(RunHit(document, float(score)))
    return hits


def order_as_trec_eval(hits: dict[str, list[RunHit]]) -> dict[str, list[str]]:
    return {query: [hit.hit_id for hit in order_hits(found)] for query, found in hits.items()}


def order_in_32_bits(hits: dict[str, list[RunHit]]) -> dict[str, list[str]]:
    return order_as_trec_eval(
        {
            query: [RunHit(hit.hit_id, float(np.float32(hit.score))) for hit in found]
            for query, found in hits.items()
        }
    )


def order_as_ir_measures(hits: dict[str, list[RunHit]]) -> dict[str, list[str]]:
    """Break ties by id rising: how the expected shares of judged hits were computed."""
    return {
        query: [hit.hit_id for hit in sorted(found, key=lambda hit: (-hit.score, hit.hit_id))]
        for query, found in hits.items()
    }


def read_run(path: Path) -> dict[str, list[str]]:
    return order_as_trec_eval(read_hits(path))


def score_all(
    qrels: dict[str, dict[str, int]], run: dict[str, list[str]], cut: int, names: set[str]
) -> Evaluation:
    metrics = [parse_metric(name) for name in sorted(names)]
    return evaluate(qrels, run, metrics, cut=cut, no_relevant="zero")


def check_run(found: Evaluation, expected: dict[str, Any], level: int) -> None:
    for theirs, ours in NAMES.items():
        mean = found.scores[ours].mean
        assert mean.mean == pytest.approx(expected[f"all_l{level}"][theirs], abs=SAME), theirs
        assert mean.n == expected[f"all_l{level}"]["num_q"]
    for query, values in expected[f"per_query_l{level}"].items():
        for theirs, value in values.items():
            reached = found.scores[NAMES[theirs]].values[query]
            assert reached == pytest.approx(value, abs=SAME), (query, theirs)


def check_judged(found: Evaluation, expected: dict[str, Any]) -> None:
    for k in (5, 10, 20):
        share, wanted = found.scores[f"judged@{k}"].mean, expected[f"judged@{k}"]
        assert share.mean == pytest.approx(wanted["mean_over_queries_in_both"], abs=1e-6)
        assert share.n == wanted["queries_in_both"]
    for query, value in expected["per_query_judged@10"].items():
        assert found.scores["judged@10"].values[query] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "qrels_file", "expected_file"),
    [
        ("dl21-passage-A", "qrels.trec", "metrics.json"),
        ("cranfield", "qrels.trec", "metrics.json"),
        ("cranfield", "qrels.best_is_4.trec", "metrics.best_is_4.json"),
        ("trec-covid-round1-A", "qrels.trec", "metrics.json"),
    ],
)
def test_every_run_scores_as_trec_eval_says(
    name: str, qrels_file: str, expected_file: str
) -> None:
    folder = collection(name)
    qrels = read_qrels(folder / qrels_file)
    expected = json.loads((folder / "expected" / expected_file).read_text())["runs"]
    assert expected
    for run_name, figures in expected.items():
        hits = read_hits(folder / f"runs/{run_name}.trec")
        run = order_as_trec_eval(hits)

        check_run(score_all(qrels, run, 1, set(NAMES.values())), figures, 1)
        check_run(score_all(qrels, run, 2, set(NAMES.values())), figures, 2)
        check_judged(score_all(qrels, order_as_ir_measures(hits), 1, JUDGED), figures)
        exponential = score_all(qrels, order_in_32_bits(hits), 1, {"ndcg_exp@10"})
        gained = figures["ndcg_exp_cut_10"]["mean_over_all_qrels_queries"]
        assert exponential.scores["ndcg_exp@10"].mean.mean == pytest.approx(gained, abs=1e-6)


def test_each_source_of_labels_ranks_the_systems_as_expected() -> None:
    folder = collection("dl21-passage-A")
    expected = json.loads((folder / "expected/system_ranking.json").read_text())["scores"]
    sources = {"human": folder / "qrels.trec"} | {
        path.stem: path for path in (folder / "judges").glob("*.trec")
    }
    for source, scores in expected.items():
        qrels = read_qrels(sources[source])
        for run_name, value in scores.items():
            run = read_run(folder / f"runs/{run_name}.trec")
            found = score_all(qrels, run, 1, {"ndcg@10"}).scores["ndcg@10"].mean.mean
            assert found == pytest.approx(value, abs=SAME), (source, run_name)


@pytest.mark.parametrize(("run_file", "expected_file"), [
    ("results.test", "out.test.a.json"),
    ("results.test", "out.test.aq.json"),
    ("results.trunc", "out.test.aqc.json"),
])  # fmt: skip
def test_trec_evals_own_tests_pass(run_file: str, expected_file: str) -> None:
    folder = collection("trec_eval-tests-A")
    expected = json.loads((folder / "expected" / expected_file).read_text())
    qrels, run = read_qrels(folder / "qrels.test"), read_run(folder / run_file)
    names = {**NAMES, "map_cut_10": "map@10", "map_cut_100": "map@100", "P_30": "precision@30"}
    found = score_all(qrels, run, 1, set(names.values())).scores

    for query, values in expected.items():
        for theirs, ours in names.items():
            figure = found[ours]
            reached = figure.mean.mean if query == "all" else figure.values[query]
            assert reached == pytest.approx(float(values[theirs]), abs=SAME), (query, theirs)


def test_small_fixtures_score_as_expected() -> None:
    folder = collection("small-fixtures")
    for path in sorted((folder / "expected").glob("*.json")):
        expected = json.loads(path.read_text())
        if "per_query" not in expected:
            continue
        qrels = read_qrels(folder / f"{path.stem}.qrels")
        run = read_run(folder / f"{path.stem}.run")
        found = score_all(qrels, run, 1, set(IR_MEASURES.values())).scores
        for query, values in expected["per_query"].items():
            for theirs in values.keys() & IR_MEASURES.keys():
                ours = found[IR_MEASURES[theirs]].values[query]
                assert ours == pytest.approx(values[theirs]), (path.name, query, theirs)


def test_published_figures_of_trec_covid_are_reached() -> None:
    folder = collection("trec-covid-round1-A")
    rows = json.loads((folder / "expected/published_vs_computed.json").read_text())["rows"]
    qrels = read_qrels(folder / "qrels.trec")
    names = {"ndcg@10": "ndcg@10", "p@5": "precision@5", "bpref": "bpref", "MAP": "map"}
    for run_name, figures in rows.items():
        run = read_run(folder / f"runs/{run_name}.trec")
        found = score_all(qrels, run, 1, set(names.values())).scores
        for theirs, ours in names.items():
            value = found[ours].mean.mean
            assert value == pytest.approx(figures[theirs]["computed"], abs=SAME), run_name
