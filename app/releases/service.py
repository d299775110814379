"""Service of releases: freezing labels with their manifest, and handing them out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from sqlalchemy.orm import Session

from app.agreement import service as agreement
from app.db import now
from app.errors import Conflict, Invalid
from app.models import Judge, Project, Release
from app.projects import service as projects
from app.releases import store
from app.releases.choosing import Admitted, Chosen, Override, Tally, choose_labels
from app.releases.files import ExportPlan, export, list_beir_files, plan_export, stream_export
from app.releases.manifest import seal
from app.releases.reading import find_release, labels_of, queries_of, releases_of
from app.releases.store import ReleasedLabel, ReleasedQuery

__all__ = [
    "ExportPlan",
    "Override",
    "Preview",
    "ReleasedLabel",
    "ReleasedQuery",
    "cut_release",
    "export",
    "find_release",
    "labels_of",
    "list_beir_files",
    "plan_export",
    "preview",
    "queries_of",
    "releases_of",
    "stream_export",
]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a release cut now would hold, and the judges whose labels exist."""

    tally: Tally
    judges: list[tuple[Judge, agreement.Report | None]]
    next_number: int


def cut_release(
    session: Session,
    project: Project,
    *,
    note: str = "",
    overrides: Sequence[Override] = (),
    by: int | None = None,
) -> Release:
    """Freeze today's labels, one an item, with a manifest; nothing of it ever changes.

    Adjudicated before the SMEs' consensus before a judge that its newest look on the gate's
    labels calls trusted, or that an override names. What SMEs left unresolved, and grades of
    texts or wordings that are no more, stay out and are counted.

    Raises:
        Conflict: nothing is labelled.
        NotFound, Invalid: an override names no judge of the project, or gives no reason.
    """
    store.lock_project(session, project.id)
    admitted = _admit(session, project, overrides)
    tally = Tally()
    chosen = _choose(session, project, admitted, tally)
    first = next(chosen, None)
    if first is None:
        raise Conflict(
            "Nothing is labelled yet, so there is nothing to release. "
            "Let SMEs grade, or look at a judge and release its labels by an override."
        )
    release = _begin(session, project, note, by)
    for batch in _batches(chain([first], chosen)):
        store.add_labels(session, [_row(release.id, one) for one in batch])
    seal(session, project, release, admitted, tally, by)
    what = f"release {release.number}: {tally.total} labels"
    projects.record(session, project.id, "released", what, by=by)
    return release


def preview(session: Session, project: Project) -> Preview:
    """Count what a release would hold now, without overrides; reads every grade."""
    tally = Tally()
    for _ in _choose(session, project, _admit(session, project, ()), tally):
        pass
    judges = [
        (judge, agreement.newest_report(session, project.id, judge))
        for judge in agreement.judges_of(session, project.id)
    ]
    return Preview(tally, judges, store.newest_number(session, project.id) + 1)


def _choose(
    session: Session, project: Project, admitted: Sequence[Admitted], tally: Tally
) -> Iterator[Chosen]:
    items = agreement.iterate_items(session, project.id)
    return choose_labels(items, project.cut, admitted, tally)


def _admit(session: Session, project: Project, overrides: Sequence[Override]) -> list[Admitted]:
    """Return the judges whose labels may enter: trusted ones, then overrides as given."""
    graders = agreement.graders_of(session, project.id)
    by_judge = {one.judge_id: one.id for one in graders.values() if one.judge_id is not None}
    reports = {
        judge.id: (judge, agreement.newest_report(session, project.id, judge))
        for judge in agreement.judges_of(session, project.id)
        if judge.id in by_judge
    }
    trusted = [
        Admitted(judge, by_judge[judge.id], report)
        for judge, report in reports.values()
        if report is not None and report.trusted
    ]
    names = {one.judge.name for one in trusted}
    return trusted + [
        _admit_by_word(session, project, override, by_judge, reports)
        for override in _check_overrides(overrides)
        if override.judge not in names
    ]


def _check_overrides(overrides: Sequence[Override]) -> Sequence[Override]:
    for override in overrides:
        if not override.reason.strip():
            raise Invalid(f"Say why the labels of {override.judge} may enter: JUDGE=REASON.")
    return overrides


def _admit_by_word(
    session: Session,
    project: Project,
    override: Override,
    by_judge: dict[int, int],
    reports: dict[int, tuple[Judge, agreement.Report | None]],
) -> Admitted:
    judge = agreement.judge_by_name(session, project.id, override.judge)
    if judge.id not in by_judge:
        raise Conflict(f"The judge {judge.name} has not graded anything yet.")
    return Admitted(judge, by_judge[judge.id], reports[judge.id][1], override.reason.strip())


def _begin(session: Session, project: Project, note: str, by: int | None) -> Release:
    """Add the row that labels refer to; its manifest follows in the same transaction."""
    release = Release(
        project_id=project.id,
        number=store.newest_number(session, project.id) + 1,
        note=note.strip(),
        manifest={},
        sha256="",
        user_id=by,
        created_at=now(session),
    )
    session.add(release)
    session.flush()
    store.add_queries(session, release.id, project.id)
    return release


def _batches(chosen: Iterable[Chosen]) -> Iterator[list[Chosen]]:
    source = iter(chosen)
    while batch := list(islice(source, store.BATCH)):
        yield batch


def _row(release_id: int, chosen: Chosen) -> dict[str, Any]:
    return {
        "release_id": release_id,
        "item_id": chosen.item_id,
        "value": chosen.value,
        "source": "judge" if chosen.source == "override" else chosen.source,
        "grader_id": chosen.grader_id,
    }
