"""Metrics: scoring 50,000 queries of 100 hits, against the C library alone.

    python bench/metrics.py [--queries 50000]

The library alone gets the same lists with scores made beforehand and the same measures, and
returns its rows. Ours makes the scores, has the library measure, and adds means, gaps and the
values of every query. Both are run three times and the fastest counts. What the library has
not (ERR, RBP, exponential nDCG, judged) is timed beside it.
"""

import argparse
import random
from time import perf_counter

import pytrec_eval
from measuring import say, say_ratio

from app.domain.metric_names import Metric, list_default_metrics
from app.domain.metrics import evaluate
from app.domain.trec_metrics import needed_measures, score_falling

HITS, LABELS, ROUNDS = 100, 40, 3

Qrels = dict[str, dict[str, int]]
Lists = dict[str, list[str]]


def make_case(queries: int) -> tuple[Qrels, Lists]:
    """Return labels and lists; about a fifth of the labelled documents are found."""
    chance = random.Random(7)
    documents = [f"document-{number}" for number in range(20_000)]
    qrels: Qrels = {}
    lists: Lists = {}
    for number in range(queries):
        query = f"query-{number}"
        lists[query] = chance.sample(documents, HITS)
        judged = chance.sample(lists[query], LABELS // 2) + chance.sample(documents, LABELS)
        qrels[query] = {document: chance.choice((0, 0, 1, 2, 3)) for document in judged}
    return qrels, lists


def time_library(qrels: Qrels, lists: Lists, metrics: list[Metric]) -> float:
    """Return the seconds of the library alone."""
    scored = {query: score_falling(query, hits) for query, hits in lists.items()}
    names = {name for metric in metrics for name in needed_measures(metric)}
    begun = perf_counter()
    pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=1).evaluate(scored)
    return perf_counter() - begun


def time_ours(qrels: Qrels, lists: Lists, metrics: list[Metric]) -> float:
    begun = perf_counter()
    evaluate(qrels, lists, metrics)
    return perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=50_000)
    queries = parser.parse_args().queries
    qrels, lists = make_case(queries)
    every = list(list_default_metrics())
    shared = [metric for metric in every if needed_measures(metric)]
    alone, ours, whole = [], [], []
    for _ in range(ROUNDS):
        alone.append(time_library(qrels, lists, shared))
        ours.append(time_ours(qrels, lists, shared))
        whole.append(time_ours(qrels, lists, every))
    say(f"{queries:,} queries x {HITS} hits, {len(shared)} metrics of {len(every)}")
    say(f"  the library alone  {min(alone):6.2f} s")
    say(f"  ours, the same     {min(ours):6.2f} s")
    say(f"  ours, all metrics  {min(whole):6.2f} s")
    say_ratio("ours to the library", min(ours) / min(alone), "at most 2")
    say_ratio("all metrics to the library", min(whole) / min(alone), "nothing")


if __name__ == "__main__":
    main()
