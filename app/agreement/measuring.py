"""Measuring: every figure of a look at a judge, as plain values that can be kept."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.agreement.grades import ItemGrades
from app.domain.agreement import Agreement, measure, rates
from app.domain.averages import average
from app.domain.gates import Figure, Gate, Verdict, as_json, decide, list_figures

Figures = dict[str, Any]
SHOWN = 200
"""How many disagreements a look keeps, the widest first."""


@dataclass(frozen=True, slots=True)
class GradedPair:
    """One item with the SMEs' consensus and the judge's grade."""

    item: ItemGrades
    human: int
    judge: int


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look at a judge found: the verdict, all figures, and what it was made of."""

    verdict: Verdict
    figures: Figures
    labels_hash: str

    def explain(self, reason: str) -> "Looked":
        """Return the same look with one more reason, said first."""
        reasons = (reason, *self.verdict.reasons)
        return replace(self, verdict=replace(self.verdict, reasons=reasons))


def look(
    items: Sequence[ItemGrades], *, cut: int, judge_cut: int, names: Mapping[int, str]
) -> Looked:
    """Measure a judge on items that it graded: the gate at ``cut``, figures at cuts 1 and 2.

    Pairs are the items on which the SMEs have a consensus; every pair counts once
    (unweighted), and intervals take pairs as independent. ``judge_cut`` is the judge's own
    at the gate's cut; at another cut both sides use that one.
    """
    pairs = pair_items(items, cut)
    queries = len({pair.item.query_ref for pair in pairs})
    grades = [(pair.human, pair.judge) for pair in pairs]
    found = {
        at: measure(grades, at, judge_cut if at == cut else at) for at in sorted({1, 2, cut})
    }
    verdict = decide(found[cut], queries)
    figures: Figures = {
        "cut": cut,
        "judge_cut": judge_cut,
        "n": len(pairs),
        "queries": queries,
        "unresolved": sum(item.agree(cut).state == "unresolved" for item in items),
        "at": {str(at): describe(agreement, queries) for at, agreement in found.items()},
        "by_query": average_by_query(pairs, cut, judge_cut),
        "smes": compare_smes(items, cut, names),
        "disagreements": find_disagreements(pairs, cut, judge_cut),
    }
    return Looked(verdict, figures, hash_pairs(pairs, cut, judge_cut))


def pair_items(items: Iterable[ItemGrades], cut: int) -> list[GradedPair]:
    """Return the items with a judge's grade and a consensus of the SMEs."""
    return [
        GradedPair(item, human, next(iter(item.judges.values())))
        for item in items
        if item.judges and (human := item.agree(cut).value) is not None
    ]


def describe(agreement: Agreement, queries: int) -> Figures:
    """Return the figures at one cut: the command's keys and what the page shows beside."""
    found = agreement.rates
    verdict = decide(agreement, queries)
    return as_json(agreement, verdict) | {
        "judge_cut": agreement.judge_cut,
        "kappa_linear": agreement.kappa_linear,
        "agreed": found.agreed,
        "raw_agreement": agreement.raw_agreement,
        "baseline": agreement.baseline,
        "mean_difference": agreement.mean_difference,
        "human_counts": list(agreement.human_counts),
        "judge_counts": list(agreement.judge_counts),
        "relevant": found.relevant,
        "irrelevant": found.irrelevant,
        "prevalence": found.prevalence,
        "ppv": found.ppv,
        "npv": found.npv,
        "against": [describe_figure(figure) for figure in list_figures(agreement, Gate())],
    }


def describe_figure(figure: Figure) -> Figures:
    """Return one line of the plot against the gate, as ``charts.gate_plot`` reads it."""
    if figure.value is None:
        state, says = "undecided", "undefined"
    elif figure.hopeless:
        state, says = "untrusted", "below"
    elif figure.below:
        state, says = "undecided", "below, not settled"
    elif figure.is_wide(Gate().allowed):
        state, says = "undecided", "too wide"
    else:
        state, says = "trusted", "passes"
    return {
        "label": figure.name[0].upper() + figure.name[1:],
        "value": figure.value,
        "low": figure.interval.low if figure.interval else None,
        "high": figure.interval.high if figure.interval else None,
        "gate": figure.threshold,
        "state": state,
        "says": says,
    }


def average_by_query(pairs: Sequence[GradedPair], cut: int, judge_cut: int) -> Figures:
    """Return the mean over queries of TPR and TNR, undefined ones left out and counted."""
    by_query: dict[int, list[tuple[int, int]]] = {}
    for pair in pairs:
        by_query.setdefault(pair.item.query_ref, []).append((pair.human, pair.judge))
    each = [rates(grades, cut, judge_cut) for grades in by_query.values()]
    return {
        "tpr": asdict(average(one.tpr for one in each)),
        "tnr": asdict(average(one.tnr for one in each)),
    }


def compare_smes(
    items: Sequence[ItemGrades], cut: int, names: Mapping[int, str]
) -> list[Figures]:
    """Return each SME's figures against the consensus of the others, where there is one.

    Items that the SMEs left unresolved count here: leaving them out would hide the very
    disagreement that is asked for.
    """
    smes = sorted({sme for item in items for sme in item.smes}, key=lambda sme: names[sme])
    return [_compare_sme(items, sme, cut, names[sme]) for sme in smes]


def _compare_sme(items: Sequence[ItemGrades], sme: int, cut: int, name: str) -> Figures:
    graded = [item for item in items if sme in item.smes]
    others = [(item.agree_without(sme, cut), item.smes[sme]) for item in graded]
    pairs = [(other, own) for other, own in others if other is not None]
    found = measure(pairs, cut)
    return {
        "name": name,
        "graded": len(graded),
        "n": found.n,
        "tpr": found.rates.tpr,
        "tnr": found.rates.tnr,
        "kappa_binary": found.kappa_binary,
    }


def find_disagreements(
    pairs: Sequence[GradedPair], cut: int, judge_cut: int
) -> list[list[int]]:
    """Return [item, human, judge]: those the cut parts first, then by distance."""

    def rank(pair: GradedPair) -> tuple[bool, int, int]:
        parted = (pair.human >= cut) != (pair.judge >= judge_cut)
        return (not parted, -abs(pair.human - pair.judge), pair.item.item_id)

    differing = sorted((pair for pair in pairs if pair.human != pair.judge), key=rank)
    return [[pair.item.item_id, pair.human, pair.judge] for pair in differing[:SHOWN]]


def hash_pairs(pairs: Sequence[GradedPair], cut: int, judge_cut: int) -> str:
    """Name a set of labels: the same pairs at the same cuts have the same hash."""
    digest = hashlib.sha256(f"{cut} {judge_cut}\n".encode())
    for pair in sorted(pairs, key=lambda pair: pair.item.item_id):
        digest.update(f"{pair.item.item_id} {pair.human} {pair.judge}\n".encode())
    return digest.hexdigest()
