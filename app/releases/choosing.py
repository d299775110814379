"""Choosing: which label of an item enters a release, and what stays out and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from app.agreement.grades import ItemGrades
from app.agreement.service import Report
from app.domain.labels import choose_label
from app.models import Judge

SOURCES = ("adjudicated", "consensus", "judge", "override")


@dataclass(frozen=True, slots=True)
class Override:
    """An admin's word that a judge's labels count although it is not trusted, and why."""

    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """A judge whose labels may enter: trusted by its newest look, or by override."""

    judge: Judge
    grader_id: int
    report: Report | None
    override: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The label of one item; ``grader_id`` is the judge's, None for people."""

    item_id: int
    value: int
    source: str
    grader_id: int | None


@dataclass(slots=True)
class Tally:
    """What a release would hold: labels by source and grade, and what stays out."""

    labels: Counter[tuple[str, int]] = field(default_factory=Counter)
    by_judge: Counter[int] = field(default_factory=Counter)
    smes: set[int] = field(default_factory=set)
    unresolved: int = 0
    outdated: int = 0
    not_admitted: int = 0

    @property
    def total(self) -> int:
        return self.labels.total()

    def count(self, source: str, grade: int | None = None) -> int:
        """Count the labels of a source, of one grade or of all."""
        grades = range(4) if grade is None else [grade]
        return sum(self.labels[source, one] for one in grades)

    def as_json(self) -> dict[str, list[int]]:
        """Return the counts by source, each a list by grade 0 to 3."""
        return {
            source: [self.labels[source, grade] for grade in range(4)] for source in SOURCES
        }


def choose_labels(
    items: Iterable[ItemGrades], cut: int, admitted: Sequence[Admitted], tally: Tally
) -> Iterator[Chosen]:
    """Yield one label an item, by `domain.labels.choose_label`, counting as they go by.

    Where several judges may enter, the first of ``admitted`` that graded the item counts.
    """
    for item in items:
        chosen = _choose(item, cut, admitted, tally)
        if chosen is None:
            _count_out(item, cut, tally)
        else:
            yield chosen


def _choose(
    item: ItemGrades, cut: int, admitted: Sequence[Admitted], tally: Tally
) -> Chosen | None:
    judge = next((one for one in admitted if one.grader_id in item.judges), None)
    label = choose_label(
        consensus=item.agree(cut),
        judge=item.judges[judge.grader_id] if judge else None,
        judge_trusted=judge is not None and judge.override is None,
        override=judge is not None and judge.override is not None,
    )
    if label is None:
        return None
    tally.labels[label.source, label.grade] += 1
    tally.smes.update(item.smes)
    if label.source in ("adjudicated", "consensus") or judge is None:
        return Chosen(item.item_id, label.grade, label.source, None)
    tally.by_judge[judge.grader_id] += 1
    return Chosen(item.item_id, label.grade, "judge", judge.grader_id)


def _count_out(item: ItemGrades, cut: int, tally: Tally) -> None:
    if item.agree(cut).state == "unresolved":
        tally.unresolved += 1
    elif item.judges:
        tally.not_admitted += 1
    elif item.outdated:
        tally.outdated += 1
