"""Importing: a run from a file, checked as a whole, stored as a whole, taken once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from app.corpus import service as corpus
from app.corpus.service import VersionInfo
from app.db import now
from app.domain.hit_ids import Reading
from app.domain.ordering import Rule
from app.errors import Conflict, Invalid
from app.models import Project, Run
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import runfiles, store
from app.retrieval.reports import RunReport, make_report
from app.retrieval.runfiles import PlacedHit, RunFile

LONGEST_NAME = 200
TAKEN_NAMES = {"import", "retrieve", "embeddings", "progress", "cancel"}  # pages beside runs
BAD_NAME = re.compile("[\x00-\x1f\x7f\ud800-\udfff]|(?:^|/)\\.\\.?(?:/|$)|^\\s|\\s$")


def import_run(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    name: str | None = None,
    order: Rule = "score",
    allow_unknown: bool = False,
    ids: Reading | None = None,
    format: str | None = None,
    by: int | None = None,
    dry_run: bool = False,
    checked: RunFile | None = None,
) -> RunReport:
    """Take in a run from a file of TREC columns or JSON lines of spans, all or nothing.

    Hits are stored with rank 1..n in the order ``order`` declares. Without a name the run
    gets the file's. The same file again changes nothing and says so. Hand in ``checked``
    (`runfiles.read_run_file`) where the file was read before the transaction began.

    Raises:
        BadFile: bad lines, queries or documents the project does not have.
        Conflict: another run has this name.
        Invalid: a name, an order or a format that there is not.
    """
    if order not in ("score", "rank") or ids not in (None, "document", "span"):
        raise Invalid("The order is score or rank; ids are read as document or span.")
    file = checked or runfiles.read_run_file(path, file_name, format)
    name = _check_name(file.name if name is None else name)
    digest = runfiles.digest_with(file, order=order, allow_unknown=allow_unknown, ids=ids)
    if not dry_run:
        projects.lock(session, project.id)  # the same file twice at one moment is taken once
    if (earlier := _earlier_report(session, project, name, digest)) is not None:
        return earlier
    known, asked = _look_up(session, project, file, ids)
    placed = runfiles.place_hits(file, known, reading=ids, rule=order)
    runfiles.refuse_unknown_queries(file, asked)
    off = _off_corpus(placed, known)
    if not allow_unknown:
        runfiles.refuse_unknown_documents(
            file, list(off), [h for hs in off.values() for h in hs]
        )
    file.problems.raise_if_any()
    ordered, orders = runfiles.order_placed(placed, order)
    total = queries.counts(session, project.id).queries
    report = make_report(name, order, file, ordered, orders, off, missing=total - len(ordered))
    if dry_run:
        return report
    return _store_run(session, project, report, ordered, (known, asked), digest, file_name, by)


def _check_name(name: str) -> str:
    bad = not name or len(name) > LONGEST_NAME or BAD_NAME.search(name) is not None
    if bad or name in TAKEN_NAMES:
        raise Invalid(
            f"{name[:LONGEST_NAME]!r} cannot name a run. Use 1 to {LONGEST_NAME} visible "
            "characters; the parts between slashes are not “.” or “..”, and the names of "
            f"pages ({', '.join(sorted(TAKEN_NAMES))}) are taken. Choose another (--name)."
        )
    return name


def _earlier_report(
    session: Session, project: Project, name: str, digest: str
) -> RunReport | None:
    taken = projects.earlier_import(session, project.id, kind="run", name=name, sha256=digest)
    if taken is not None:
        saved = dict(taken.report) | {"warnings": tuple(taken.report["warnings"])}
        return RunReport(**(saved | {"already": True}))
    if store.run_by_name(session, project.id, name) is not None:
        raise Conflict(
            f"There is a run {name} already, made of something else. "
            "Give this one another name (--name)."
        )
    return None


def _look_up(
    session: Session, project: Project, file: RunFile, ids: Reading | None
) -> tuple[dict[str, VersionInfo], dict[str, int]]:
    named = runfiles.named_documents(file, ids)
    return (
        corpus.document_versions(session, project.id, named),
        {
            query_id: query.query_ref
            for query_id, query in queries.by_ids(session, project.id, file.hits).items()
        },
    )


def _off_corpus(
    placed: Mapping[str, Sequence[PlacedHit]], known: Mapping[str, VersionInfo]
) -> dict[str, list[PlacedHit]]:
    """Return the hits on documents whose text nobody has, by document id."""
    off: dict[str, list[PlacedHit]] = {}
    for hits in placed.values():
        for hit in hits:
            info = known.get(hit.span.doc_id)
            if info is None or not info.known:
                off.setdefault(hit.span.doc_id, []).append(hit)
    return off


def _store_run(
    session: Session,
    project: Project,
    report: RunReport,
    ordered: Mapping[str, Sequence[PlacedHit]],
    found: tuple[dict[str, VersionInfo], dict[str, int]],
    digest: str,
    file_name: str,
    by: int | None,
) -> RunReport:
    known, asked = found
    run = _new_run(project, report, session)
    session.add(run)
    session.flush()
    lacking = {h.span.doc_id for hits in ordered.values() for h in hits} - known.keys()
    versions = known | corpus.add_unknown(session, project.id, lacking)
    store.add_hits(session, _hit_rows(run.id, ordered, versions, asked))
    store.add_run_queries(
        session,
        [(run.id, asked[query_id], len(hits), None) for query_id, hits in ordered.items()],
    )
    projects.record_import(
        session,
        project.id,
        kind="run",
        name=report.name,
        sha256=digest,
        file_name=file_name,
        rows=report.hits,
        report=report.as_json,
        by=by,
    )
    session.flush()
    return report


def _new_run(project: Project, report: RunReport, session: Session) -> Run:
    return Run(
        project_id=project.id,
        name=report.name,
        retriever=None,
        depth=report.depth,
        order_rule=report.order,
        queries_total=report.queries,
        queries_done=report.queries,
        hits_total=report.hits,
        report=report.as_json,
        finished_at=now(session),
    )


def _hit_rows(
    run_id: int,
    ordered: Mapping[str, Sequence[PlacedHit]],
    versions: Mapping[str, VersionInfo],
    asked: Mapping[str, int],
) -> Iterator[store.HitRow]:
    for query_id, hits in ordered.items():
        for rank, hit in enumerate(hits, start=1):
            version, span = versions[hit.span.doc_id].version_id, hit.span
            place = (version, span.whole, span.start, span.end or 0)
            yield run_id, asked[query_id], rank, *place, hit.score
