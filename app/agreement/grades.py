"""Grades: what SMEs and judges say of each item now, one item at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from app.agreement.store import GradeRow
from app.domain.assignment import Consensus, consensus


@dataclass(frozen=True, slots=True)
class ItemGrades:
    """The current grades of one item, by grader.

    ``outdated`` says that there were grades, but of a text or a wording that is no more;
    those are left out.
    """

    item_id: int
    query_ref: int
    smes: dict[int, int]
    judges: dict[int, int]
    adjudicated: int | None = None
    outdated: bool = False

    def agree(self, cut: int) -> Consensus:
        """Return the SMEs' consensus; a decision of an adjudicator stands above it."""
        return consensus(list(self.smes.values()), cut, self.adjudicated)

    def agree_without(self, grader_id: int, cut: int) -> int | None:
        """Return the consensus of the other SMEs; None without one."""
        others = [grade for sme, grade in self.smes.items() if sme != grader_id]
        return consensus(others, cut).value


def group_items(rows: Iterable[GradeRow]) -> Iterator[ItemGrades]:
    """Gather rows in the order of items; of several grades of one SME the newest counts."""
    for item_id, grades in groupby(rows, key=lambda row: row.item_id):
        yield _gather(item_id, list(grades))


def _gather(item_id: int, rows: list[GradeRow]) -> ItemGrades:
    fresh = [row for row in rows if not row.outdated]
    people = [row for row in fresh if row.kind == "sme"]
    decisions = [row.value for row in people if row.slot_kind == "adjudication"]
    return ItemGrades(
        item_id,
        rows[0].query_ref,
        {row.grader_id: row.value for row in people if row.slot_kind != "adjudication"},
        {row.grader_id: row.value for row in fresh if row.kind == "judge"},
        decisions[-1] if decisions else None,
        outdated=len(fresh) < len(rows),
    )
