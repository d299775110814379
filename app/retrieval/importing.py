"""Importing: a run from a file, checked as a whole, stored as a whole, taken once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from app.corpus import service as corpus
from app.corpus.service import VersionInfo
from app.db import now
from app.domain.hit_ids import Reading
from app.domain.ordering import OrderReport, Rule
from app.errors import Conflict, Invalid
from app.models import Project, Run
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import runfiles, store
from app.retrieval.runfiles import PlacedHit, count, list_some

LONGEST_NAME = 200
BAD_NAME = re.compile("[\x00-\x1f\x7f\ud800-\udfff]|(?:^|/)\\.\\.?(?:/|$)|^\\s|\\s$")


@dataclass(frozen=True, slots=True)
class RunReport:
    """What an import of a run took in, or would: all are counts but the first ids shown."""

    name: str
    order: str
    queries: int
    missing_queries: int  # queries of the project without a line in the file
    hits: int
    depth: int  # hits of the longest list
    repeated: int  # lines that say the same again, dropped
    unknown_documents: int
    unknown_hits: int
    disagreeing: int  # queries where score and rank tell different orders
    tied_by_rank: int
    tied_in_32_bits: int
    warnings: tuple[str, ...] = ()
    already: bool = False  # the same file was taken before; nothing changed

    @property
    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return asdict(self) | {"warnings": list(self.warnings)}


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
) -> RunReport:
    """Take in a run from a file of TREC columns or JSON lines of spans, all or nothing.

    Hits are stored with rank 1..n in the order ``order`` declares. Without a name the run
    gets the file's tag. The same file again changes nothing and says so.

    Raises:
        BadFile: bad lines, queries or documents the project does not have.
        Conflict: another run has this name.
        Invalid: a name, an order or a format that there is not.
    """
    if order not in ("score", "rank") or ids not in (None, "document", "span"):
        raise Invalid("The order is score or rank; ids are read as document or span.")
    file = runfiles.read_run_file(path, file_name, format)
    name = _check_name(file.name if name is None else name)
    digest = runfiles.digest_file(
        path, {"order": order, "allow_unknown": allow_unknown, "ids": ids, "format": format}
    )
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
    report = _report(name, order, file, ordered, orders, off, missing=total - len(ordered))
    if dry_run:
        return report
    return _store_run(session, project, report, ordered, (known, asked), digest, file_name, by)


def _check_name(name: str) -> str:
    if not name or len(name) > LONGEST_NAME or BAD_NAME.search(name):
        raise Invalid(
            f"{name!r} cannot name a run. Use 1 to {LONGEST_NAME} visible characters; "
            "the parts between slashes are not “.” or “..”."
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
    session: Session, project: Project, file: runfiles.RunFile, ids: Reading | None
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


def _report(
    name: str,
    order: Rule,
    file: runfiles.RunFile,
    ordered: Mapping[str, Sequence[PlacedHit]],
    orders: OrderReport,
    off: Mapping[str, Sequence[PlacedHit]],
    *,
    missing: int,
) -> RunReport:
    return RunReport(
        name=name,
        order=order,
        queries=len(ordered),
        missing_queries=missing,
        hits=sum(map(len, ordered.values())),
        depth=max(map(len, ordered.values())),
        repeated=file.problems.dropped,
        unknown_documents=len(off),
        unknown_hits=sum(map(len, off.values())),
        disagreeing=len(orders.disagreeing),
        tied_by_rank=len(orders.tied_by_rank),
        tied_in_32_bits=len(orders.tied_in_32_bits),
        warnings=tuple(_warn(order, orders, off, missing, file.problems.dropped)),
    )


def _warn(
    order: Rule,
    orders: OrderReport,
    off: Mapping[str, Sequence[PlacedHit]],
    missing: int,
    repeated: int,
) -> Iterator[str]:
    if orders.disagreeing:
        other = "rank" if order == "score" else "score"
        yield (
            f"Score and rank tell different orders in "
            f"{count(len(orders.disagreeing), 'query', 'queries')}: "
            f"{list_some(orders.disagreeing)}. The {order} was used; if lower scores are "
            f"better, or the other order is meant, import it under another name with "
            f"--order {other}."
        )
    if orders.tied_by_rank and order == "score":
        yield (
            f"Equal scores were put in another order than the rank column's in "
            f"{count(len(orders.tied_by_rank), 'query', 'queries')}: by hit id, falling, "
            "as trec_eval does."
        )
    if orders.tied_in_32_bits:
        yield (
            f"Scores differ by less than 32 bits can hold in "
            f"{count(len(orders.tied_in_32_bits), 'query', 'queries')}: "
            f"{list_some(orders.tied_in_32_bits)}; other tools may order them otherwise."
        )
    if off:
        yield (f"{count(len(off), 'document')} not in the corpus: kept, pooled, never graded.")
    if missing > 0:
        yield f"{count(missing, 'query', 'queries')} of the project without an answer in it."
    if repeated:
        yield f"{count(repeated, 'line')} said the same again; counted once."


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
        [
            {"run_id": run.id, "query_ref": asked[query_id], "hits": len(hits)}
            for query_id, hits in ordered.items()
        ],
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
) -> Iterator[dict[str, Any]]:
    for query_id, hits in ordered.items():
        for rank, hit in enumerate(hits, start=1):
            yield {
                "run_id": run_id,
                "query_ref": asked[query_id],
                "rank": rank,
                "document_version_id": versions[hit.span.doc_id].version_id,
                "whole": hit.span.whole,
                "span_start": hit.span.start,
                "span_end": hit.span.end or 0,
                "score": hit.score,
            }
