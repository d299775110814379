"""Service of agreement: looks at a judge, each logged, and what the gate answered."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy.orm import Session

from app.agreement import store
from app.agreement.grades import ItemGrades, group_items
from app.agreement.measuring import Looked, hash_pairs, look, pair_items
from app.agreement.store import Passage
from app.domain.gates import Answer, list_untold
from app.domain.sampling import MIN_QUERIES
from app.errors import Invalid, NotFound
from app.models import GateReport, Grader, Judge, Project
from app.projects import service as projects

Split = Literal["dev", "test", "all"]
SPLITS: tuple[Split, ...] = ("dev", "test", "all")
SNIPPET = 240
EMPTY_DEV = f"dev is empty: under {MIN_QUERIES} queries every label of the sample is test"


@dataclass(frozen=True, slots=True)
class Report:
    """One look at a judge, as pages and commands read it."""

    judge: str
    split: str
    cut: int
    answer: str
    reasons: list[str]
    missing: list[str]
    figures: dict[str, Any]
    labels_hash: str
    looks: int
    """How many different sets of labels of this split were looked at, this one included."""
    at: datetime

    @property
    def trusted(self) -> bool:
        return self.answer == Answer.TRUSTED

    @property
    def here(self) -> dict[str, Any]:
        """The figures at the cut of the gate."""
        figures: dict[str, Any] = self.figures["at"][str(self.cut)]
        return figures

    @property
    def untold(self) -> list[str]:
        """What is missing, without what the reasons say already."""
        return list_untold(self.reasons, self.missing)

    def as_json(self) -> dict[str, Any]:
        """Return the object of ``goldspan agreement PROJECT --judge NAME --json``."""
        keys = (
            "n", "confusion", "tpr", "tnr", "kappa", "kappa_binary", "kappa_quadratic",
            "alpha_ordinal", "intervals",
        )  # fmt: skip
        return {key: self.here[key] for key in keys} | {
            "gate": {
                "answer": self.answer,
                "reasons": list(self.reasons),
                "missing": list(self.missing),
            },
            "judge": self.judge,
            "split": self.split,
            "cut": self.cut,
            "queries": self.figures["queries"],
            "unresolved": self.figures["unresolved"],
            "looks": self.looks,
        }


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which judge and SMEs differ."""

    passage: Passage
    human: int
    judge: int
    reason: str | None


def iterate_items(session: Session, project_id: int) -> Iterator[ItemGrades]:
    """Yield the current grades of every graded item, all of one moment, in constant memory."""
    return group_items(store.iterate_grades(session, project_id))


def judges_of(session: Session, project_id: int) -> list[Judge]:
    """Return the judges of a project, the newest first."""
    return store.judges_of(session, project_id)


def judge_by_name(session: Session, project_id: int, name: str) -> Judge:
    """Return a judge or refuse with the names there are."""
    judge = store.judge_by_name(session, project_id, name)
    if judge is None:
        names = ", ".join(one.name for one in store.judges_of(session, project_id)) or "none"
        raise NotFound(f"There is no judge {name} in this project; known: {names}.")
    return judge


def graders_of(session: Session, project_id: int) -> dict[int, Grader]:
    """Return all graders of a project by id."""
    return store.graders_of(session, project_id)


def check_split(text: str) -> Split:
    """Return the split of that name.

    Raises:
        Invalid: there is none.
    """
    for split in SPLITS:
        if split == text:
            return split
    raise Invalid(f"The split is dev or test, not {text}.")


def measure_judge(
    session: Session,
    project: Project,
    judge_name: str,
    split: Split = "test",
    by: int | None = None,
) -> Report:
    """Look at a judge: its grades against the SMEs' consensus, on one split.

    Without a validation sample (imported labels only) all items that both graded count,
    whatever the split asked for. A look at test or at all fixes the project's cut and is
    logged; the same labels again are the same look and log nothing.

    Raises:
        NotFound: there is no such judge.
    """
    judge = judge_by_name(session, project.id, judge_name)
    part: Split = split if store.has_sample(session, project.id) else "all"
    found = look(
        _graded_by(session, project, judge, part),
        cut=project.cut,
        judge_cut=judge.own_cut or project.cut,
        names={key: one.name for key, one in store.graders_of(session, project.id).items()},
    )
    if part == "dev" and not has_dev(session, project):
        found = found.explain(EMPTY_DEV)
    newest = store.newest_report(session, judge.id, [part])
    if newest is not None and newest.labels_hash == found.labels_hash:
        return _view(session, judge, newest)
    return _view(session, judge, _keep(session, project, judge, part, found, by))


def _graded_by(
    session: Session, project: Project, judge: Judge, split: Split
) -> list[ItemGrades]:
    """Return the items of a split that a judge graded, with what the SMEs say of them."""
    rows = store.iterate_grades(
        session, project.id, judge_id=judge.id, split=None if split == "all" else split
    )
    return [item for item in group_items(rows) if item.judges]


def _keep(
    session: Session,
    project: Project,
    judge: Judge,
    split: Split,
    found: Looked,
    by: int | None,
) -> GateReport:
    report = GateReport(
        project_id=project.id,
        judge_id=judge.id,
        split=split,
        cut=project.cut,
        labels_hash=found.labels_hash,
        figures=found.figures,
        answer=str(found.verdict.answer),
        reasons=list(found.verdict.reasons),
        user_id=by,
    )
    session.add(report)
    if split != "dev" and found.figures["n"]:
        projects.fix_cut(session, project)
    what = f"judge {judge.name} on {split} labels: {found.verdict.answer}"
    projects.record(session, project.id, "looked", what, by=by)
    return report


def _view(session: Session, judge: Judge, report: GateReport) -> Report:
    return Report(
        judge=judge.name,
        split=report.split,
        cut=report.cut,
        answer=report.answer,
        reasons=report.reasons,
        missing=report.figures["at"][str(report.cut)]["gate"]["missing"],
        figures=report.figures,
        labels_hash=report.labels_hash,
        looks=store.count_looks(session, judge.id, report.split, until=report.id),
        at=report.at,
    )


def has_sample(session: Session, project: Project) -> bool:
    """Tell whether a validation sample was planned, which the gate then goes by."""
    return store.has_sample(session, project.id)


def has_dev(session: Session, project: Project) -> bool:
    """Tell whether any query of the validation sample is for tuning a judge."""
    return store.has_split(session, project.id, "dev")


def newest_report(
    session: Session, project_id: int, judge: Judge, *, dev: bool = False
) -> Report | None:
    """Return the newest look that the gate goes by, or the newest at dev; None without one.

    The gate goes by test labels where there is a validation sample, else by all.
    """
    gate = "test" if store.has_sample(session, project_id) else "all"
    report = store.newest_report(session, judge.id, ["dev" if dev else gate])
    return None if report is None else _view(session, judge, report)


def is_outdated(session: Session, project: Project, judge: Judge, report: Report) -> bool:
    """Tell whether labels came or changed since a look; says nothing of what they are."""
    items = _graded_by(session, project, judge, check_split(report.split))
    pairs = pair_items(items, project.cut)
    now = hash_pairs(pairs, project.cut, judge.own_cut or project.cut)
    return now != report.labels_hash


def list_disagreements(
    session: Session, judge: Judge, report: Report, limit: int = 50
) -> list[Disagreement]:
    """Return where a look found judge and SMEs apart, the widest first."""
    rows = report.figures["disagreements"][:limit]
    ids = [item_id for item_id, _, _ in rows]
    found = store.passages(session, ids, characters=SNIPPET)
    reasons = store.reasons_of(session, judge.id, ids)
    return [
        Disagreement(found[item_id], human, judged, reasons.get(item_id))
        for item_id, human, judged in rows
        if item_id in found
    ]
