"""Metric names: what may be asked for, and how people read it."""

import re
from dataclasses import dataclass
from enum import Enum, StrEnum

from app.errors import Invalid

DEFAULT_DEPTHS = (5, 10, 20)
MAX_DEPTH = 1_000_000


class Need(Enum):
    """What a query must have for a metric to be defined on it."""

    RELEVANT = "a document at or above the cut"
    GAIN = "a document with a grade above 0"
    NOTHING = "nothing"


class Depth(Enum):
    """Whether a name carries ``@k``."""

    ALWAYS = "always"
    OPTIONAL = "optional"
    NEVER = "never"


class Kind(StrEnum):
    """The kinds of metric, spelled as in JSON."""

    HIT = "hit"
    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"
    MRR = "mrr"
    MAP = "map"
    NDCG = "ndcg"
    NDCG_EXP = "ndcg_exp"
    R_PRECISION = "r_precision"
    ERR = "err"
    RBP = "rbp"
    BPREF = "bpref"
    JUDGED = "judged"

    @property
    def depth(self) -> Depth:
        """Say whether the name carries ``@k``; without it the whole list counts."""
        if self in (Kind.R_PRECISION, Kind.RBP, Kind.BPREF):
            return Depth.NEVER
        if self in (Kind.MRR, Kind.MAP, Kind.NDCG, Kind.NDCG_EXP):
            return Depth.OPTIONAL
        return Depth.ALWAYS

    @property
    def need(self) -> Need:
        """Say what a query must have for a value; nDCG and ERR do not know the cut."""
        if self in (Kind.NDCG, Kind.NDCG_EXP, Kind.ERR):
            return Need.GAIN
        return Need.NOTHING if self is Kind.JUDGED else Need.RELEVANT


TITLES = {
    Kind.HIT: "Hit",
    Kind.PRECISION: "P",
    Kind.RECALL: "Recall",
    Kind.F1: "F1",
    Kind.MRR: "MRR",
    Kind.MAP: "MAP",
    Kind.NDCG: "nDCG",
    Kind.NDCG_EXP: "nDCG",
    Kind.R_PRECISION: "R-precision",
    Kind.ERR: "ERR",
    Kind.RBP: "RBP",
    Kind.BPREF: "bpref",
    Kind.JUDGED: "Judged",
}
NOTES = {
    Kind.RECALL: "of judged relevant",
    Kind.NDCG: "linear gain",
    Kind.NDCG_EXP: "exponential gain",
    Kind.ERR: "gain by the highest grade of the scale",
    Kind.RBP: "p = .8",
    Kind.JUDGED: "share of the hits that have a label",
}


@dataclass(frozen=True, slots=True, order=True)
class Metric:
    """One metric: its kind, and the rank it looks down to (None: the whole list)."""

    kind: Kind
    k: int | None = None

    def __str__(self) -> str:
        return self.kind.value if self.k is None else f"{self.kind.value}@{self.k}"


def parse_metric(name: str) -> Metric:
    """Read a metric's name as JSON spells it, such as ``ndcg@10``.

    Raises:
        Invalid: the kind is unknown, or ``@k`` is missing, odd, or not wanted.
    """
    head, at, tail = name.partition("@")
    if head not in set(Kind):
        raise Invalid(f"There is no metric {name!r}. Choose from {list_names()}.")
    kind = Kind(head)
    if not at:
        return make_metric(kind, None, name)
    if not re.fullmatch(r"[1-9][0-9]{0,6}", tail, re.ASCII) or int(tail) > MAX_DEPTH:
        raise Invalid(f"{name!r}: after @ comes a whole number from 1 to {MAX_DEPTH}.")
    return make_metric(kind, int(tail), name)


def make_metric(kind: Kind, k: int | None, name: str) -> Metric:
    """Make a metric whose depth suits its kind, or refuse the name."""
    if k is None and kind.depth is Depth.ALWAYS:
        raise Invalid(f"{name!r} needs a depth, such as {kind.value}@10.")
    if k is not None and kind.depth is Depth.NEVER:
        raise Invalid(f"{name!r}: {kind.value} takes no depth; write {kind.value}.")
    return Metric(kind, k)


def list_names() -> str:
    """Return all names, ``@k`` where it belongs, for a refusal."""
    marks = {Depth.ALWAYS: "@k", Depth.OPTIONAL: "[@k]", Depth.NEVER: ""}
    return " ".join(f"{kind.value}{marks[kind.depth]}" for kind in Kind)


def list_default_metrics(depths: tuple[int, ...] = DEFAULT_DEPTHS) -> tuple[Metric, ...]:
    """Return the metrics shown unless others are asked for; MRR and MAP on the whole list."""
    whole = {Kind.MRR, Kind.MAP}
    return tuple(
        Metric(kind, k)
        for kind in Kind
        for k in ((None,) if kind in whole or kind.depth is Depth.NEVER else depths)
    )


def describe(metric: Metric, cut: int, depth: int | None = None) -> str:
    """Spell a metric out: depth, gain and cut, such as "nDCG@10 (linear gain)".

    ``depth`` is where the run itself was cut: a metric on the whole list then says it,
    since MAP of 20 hits a query is MAP@20.
    """
    k = metric.k or (None if metric.kind is Kind.R_PRECISION else depth)
    title = TITLES[metric.kind] + (f"@{k}" if k else "")
    notes = [NOTES[metric.kind]] if metric.kind in NOTES else []
    if metric.kind.need is Need.RELEVANT:
        notes.append(f"relevant = grade {cut} or more")
    return f"{title} ({', '.join(notes)})" if notes else title
