"""Labels: the one grade of an item that counts, and where it comes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.domain.assignment import Consensus

Source = Literal["adjudicated", "consensus", "judge", "override"]


@dataclass(frozen=True, slots=True)
class Label:
    """A grade (0 to 3) and its source."""

    grade: int
    source: Source


def choose_label(
    *,
    consensus: Consensus | None = None,
    judge: int | None = None,
    judge_trusted: bool = False,
    override: bool = False,
    adjudicated: int | None = None,
) -> Label | None:
    """Choose adjudicated before SME consensus before a trusted judge; None without any.

    What SMEs left unresolved has no label: a judge does not overrule a dispute. A judge
    that is not trusted counts only by an admin's override, and its labels say so.
    """
    if adjudicated is not None:
        return Label(adjudicated, "adjudicated")
    if consensus is not None and consensus.state == "unresolved":
        return None
    if consensus is not None and consensus.value is not None:
        decided = consensus.state == "adjudicated"
        return Label(consensus.value, "adjudicated" if decided else "consensus")
    if judge is not None and (judge_trusted or override):
        return Label(judge, "judge" if judge_trusted else "override")
    return None


def grade_document(grades: Iterable[int]) -> int | None:
    """Return the highest grade of a document's spans; 0 means no relevant span was found."""
    return max(grades, default=None)
