"""Imports: grades of a file under the name of an SME or a judge, all or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from app.assignment import label_files, store_grades
from app.assignment.graders import Kind, imported_grader
from app.assignment.label_files import LabelFile, PlacedLabel
from app.assignment.reports import GradesReport
from app.assignment.unslotted import JudgeGrade, write_unslotted
from app.corpus import service as corpus
from app.corpus.service import VersionInfo
from app.domain.hit_ids import Reading
from app.errors import Invalid
from app.formats.judgments import Duplicates
from app.models import Grader, Project
from app.pooling import service as pooling
from app.projects import service as projects
from app.queries import service as queries
from app.queries.store import QueryInfo

KINDS = ("sme", "judge")
MAX_NAME = 200
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class _Known:
    """What of a file the project has."""

    documents: Mapping[str, VersionInfo]
    queries: Mapping[str, QueryInfo]


def check_grades(
    path: Path,
    *,
    file_name: str,
    mapping: Mapping[str, int] | None = None,
    duplicates: Duplicates = "refuse",
    ids: Reading | None = None,
    allow_unknown: bool = False,
    format: str | None = None,
) -> LabelFile:
    """Read a whole file of labels without a database, so that no lock waits for it.

    Raises:
        BadFile: the file cannot be read at all; bad lines are told when it is taken.
        Invalid: its format cannot be told, or there is no such file.
    """
    options: dict[str, Any] = {
        "mapping": dict(mapping or {}),
        "duplicates": duplicates,
        "ids": ids,
        "allow_unknown": allow_unknown,
        "format": format,
    }
    return label_files.read_label_file(
        path, file_name, form=format, mapping=mapping, duplicates=duplicates, options=options
    )


def import_grades(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    grader_kind: Kind,
    grader_name: str,
    mapping: Mapping[str, int] | None = None,
    duplicates: Duplicates = "refuse",
    ids: Reading | None = None,
    allow_unknown: bool = False,
    format: str | None = None,
    by: int | None = None,
    dry_run: bool = False,
    checked: LabelFile | None = None,
) -> GradesReport:
    """Take in labels of TREC, BEIR, JSON or JSON lines of spans, all or nothing.

    They are grades of slot kind ``imported`` without a card hash: nobody knows what their
    grader saw. The same file again changes nothing. Of an SME another file may follow: a
    pair with another grade is a change of mind. Hand in ``checked`` (of the same options)
    where the file was read before the transaction began.

    Raises:
        BadFile: bad lines; grades off the scale; spans beyond a text; another text than the
            file says; queries or documents the project does not have, unless allowed.
        Conflict: a judge of this name comes from something else.
        Invalid: a name or an option that there is not.
    """
    name = _check_names(grader_kind, grader_name)
    file = checked or check_grades(
        path,
        file_name=file_name,
        mapping=mapping,
        duplicates=duplicates,
        ids=ids,
        allow_unknown=allow_unknown,
        format=format,
    )
    if not dry_run:
        projects.lock(session, project.id)
    earlier = projects.earlier_import(
        session, project.id, kind="grades", name=f"{grader_kind} {name}", sha256=file.sha256
    )
    if earlier is not None:
        return GradesReport(**(dict(earlier.report) | {"already": True}))
    known = _look_up(session, project, file, ids)
    placed = label_files.place_labels(file, known.documents, ids)
    _refuse_unknown(file, placed, known, allow_unknown=allow_unknown)
    _check_quotes(session, file, placed, known)
    file.problems.raise_if_any()
    report = _count(file, placed, known, grader_kind, name)
    if dry_run:
        return report
    return _take(session, project, file, placed, known, report, by)


def _take(
    session: Session,
    project: Project,
    file: LabelFile,
    placed: Sequence[PlacedLabel],
    known: _Known,
    report: GradesReport,
    by: int | None,
) -> GradesReport:
    grader = imported_grader(
        session, project.id, kind=report.kind, name=report.grader, file_sha=file.sha256
    )
    kept = [label for label in placed if label.judgment.row.query_id in known.queries]
    report = _store(session, project, grader, kept, known, report)
    projects.record_import(
        session,
        project.id,
        kind="grades",
        name=f"{report.kind} {report.grader}",
        sha256=file.sha256,
        file_name=report.file_name,
        rows=report.grades,
        report=report.as_json(),
        by=by,
    )
    return report


def _check_names(kind: str, name: str) -> str:
    if kind not in KINDS:
        raise Invalid("Grades are of an SME or of a judge.")
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise Invalid(f"Name who graded, in 1 to {MAX_NAME} visible characters.")
    return name


def _look_up(
    session: Session, project: Project, file: LabelFile, ids: Reading | None
) -> _Known:
    named = label_files.named_documents(file.judgments, ids)
    asked = dict.fromkeys(judgment.row.query_id for judgment in file.judgments)
    return _Known(
        corpus.document_versions(session, project.id, named),
        queries.by_ids(session, project.id, asked),
    )


def _lacks_text(label: PlacedLabel, known: _Known) -> bool:
    info = known.documents.get(label.span.doc_id)
    return info is None or not info.known


def _refuse_unknown(
    file: LabelFile, placed: Sequence[PlacedLabel], known: _Known, *, allow_unknown: bool
) -> None:
    if allow_unknown:
        return
    asked = [one for one in file.judgments if one.row.query_id not in known.queries]
    label_files.refuse_unknown(
        file, asked, list(dict.fromkeys(one.row.query_id for one in asked)), "query", "queries"
    )
    off = [one for one in placed if _lacks_text(one, known)]
    label_files.refuse_unknown(
        file,
        [one.judgment for one in off],
        list(dict.fromkeys(one.span.doc_id for one in off)),
        "document",
        "documents",
    )


def _check_quotes(
    session: Session, file: LabelFile, placed: Iterable[PlacedLabel], known: _Known
) -> None:
    """Compare what the file quotes with the corpus, one document's text at a time."""
    quoted: dict[str, list[PlacedLabel]] = {}
    for label in placed:
        if label.judgment.row.text is not None and not _lacks_text(label, known):
            quoted.setdefault(label.span.doc_id, []).append(label)
    for doc_id, labels in quoted.items():
        _, _, text = corpus.text_of(session, known.documents[doc_id].version_id)
        for label in labels:
            label_files.check_quote(label, text or "", file.problems)


def _count(
    file: LabelFile, placed: Sequence[PlacedLabel], known: _Known, kind: Kind, name: str
) -> GradesReport:
    kept = [label for label in placed if label.judgment.row.query_id in known.queries]
    by_grade = dict.fromkeys("0123", 0)
    for label in kept:
        by_grade[str(label.judgment.grade)] += 1
    asked = {one.row.query_id for one in file.judgments}
    return GradesReport(
        grader=name,
        kind=kind,
        file_name=file.file_name,
        grades=len(kept),
        queries=len({label.judgment.row.query_id for label in kept}),
        by_grade=by_grade,
        added=len(kept),
        repeated=file.problems.dropped,
        unknown_queries=len(asked - known.queries.keys()),
        unknown_documents=len(
            {label.span.doc_id for label in kept if _lacks_text(label, known)}
        ),
        left_out=len(placed) - len(kept),
    )


def _store(
    session: Session,
    project: Project,
    grader: Grader,
    kept: Sequence[PlacedLabel],
    known: _Known,
    report: GradesReport,
) -> GradesReport:
    lacking = {label.span.doc_id for label in kept} - known.documents.keys()
    documents = {**known.documents, **corpus.add_unknown(session, project.id, lacking)}
    wanted = {}
    rows = []
    for label in kept:
        query = known.queries[label.judgment.row.query_id]
        version = documents[label.span.doc_id].version_id
        key = pooling.item_identity(query.query_ref, version, label.span)
        wanted[key] = label.span.end or 0
        rows.append((key, label, query.version_id, version))
    items = pooling.find_or_add_items(session, project.id, wanted)
    grades = [
        JudgeGrade(
            item_id=items[key],
            value=label.judgment.grade,
            reason=None,
            card_hash=None,
            query_version_id=query_version,
            document_version_id=version,
            note=label.judgment.row.note,
        )
        for key, label, query_version, version in rows
    ]
    return _write(session, grader, grades, report)


def _write(
    session: Session, grader: Grader, grades: Sequence[JudgeGrade], report: GradesReport
) -> GradesReport:
    unchanged = changed = 0
    for start in range(0, len(grades), AT_ONCE):
        piece = grades[start : start + AT_ONCE]
        there = store_grades.imported_on(session, grader.id, [one.item_id for one in piece])
        fresh = [one for one in piece if one.item_id not in there]
        other = [
            replace(one, supersedes_id=there[one.item_id][1])
            for one in piece
            if one.item_id in there and there[one.item_id][2] != one.value
        ]
        store_grades.supersede(session, [there[one.item_id][1] for one in other])
        write_unslotted(session, grader, [*fresh, *other], slot_kind="imported")
        changed += len(other)
        unchanged += len(piece) - len(fresh) - len(other)
    return replace(
        report,
        added=report.grades - unchanged - changed,
        unchanged=unchanged,
        changed=changed,
    )
