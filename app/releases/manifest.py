"""Manifest: everything a reader must know of a release, as plain values."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy.orm import Session

from app import __version__
from app.agreement import service as agreement
from app.models import Grader, Project, Release
from app.projects import service as projects
from app.releases import store
from app.releases.choosing import Admitted, Tally
from app.releases.export import Fitness, encode, list_rows, write_beir_queries, write_labels
from app.releases.reading import read_labels

SPAN_RULE = "Unicode code points of the stored text, from 0, end exclusive"


def seal(
    session: Session,
    project: Project,
    release: Release,
    admitted: Sequence[Admitted],
    tally: Tally,
    by: int | None,
) -> None:
    """Write the manifest: counts, judges, rules, and the hash of the labels in export order."""
    queries = store.queries_of(session, release.id)
    refs = [query.query_ref for query in queries]
    fitness = Fitness()
    labels = fitness.watch(read_labels(session, release.id, refs, tally.total))
    pieces = write_labels(list_rows(labels, "span"), queries, "jsonl", "span")
    release.sha256 = _hash(encode(pieces))
    graders = agreement.graders_of(session, project.id)
    who = _pseudonym(graders, by)
    release.manifest = {
        "release": release.number,
        "project": project.slug,
        "at": release.created_at.isoformat(timespec="seconds"),
        "by": who,
        "note": release.note,
        "cut": project.cut,
        "labels": tally.total,
        "queries": len(queries),
        "smes": len(tally.smes),
        "counts": tally.as_json(),
        "left_out": {
            "unresolved": tally.unresolved,
            "outdated": tally.outdated,
            "judge_not_admitted": tally.not_admitted,
        },
        "judges": [_describe_judge(one, tally, who, release) for one in admitted],
        "pool": _describe_pool(session, project),
        "guideline": projects.guideline(session, project.id).version,
        "software": f"goldspan {__version__}",
        "spans": SPAN_RULE,
        "hashes": {
            "labels": release.sha256,
            "queries": _hash(encode(write_beir_queries(queries))),
        },
        "unwritable": fitness.as_json(),
    }
    session.flush()


def _describe_judge(
    admitted: Admitted, tally: Tally, who: str, release: Release
) -> dict[str, Any]:
    report, judge = admitted.report, admitted.judge
    return {
        "name": judge.name,
        "identity": judge.identity_hash,
        "labels": tally.by_judge[admitted.grader_id],
        "gate": None
        if report is None
        else {
            "answer": report.answer,
            "reasons": report.reasons,
            "split": report.split,
            "cut": report.cut,
            "pairs": report.figures["n"],
            "looks": report.looks,
            "at": report.at.isoformat(timespec="seconds"),
        },
        "override": None
        if admitted.override is None
        else {
            "by": who,
            "at": release.created_at.isoformat(timespec="seconds"),
            "reason": admitted.override,
        },
    }


def _describe_pool(session: Session, project: Project) -> dict[str, Any] | None:
    pool = store.newest_pool(session, project.id)
    if pool is None:
        return None
    return {"items": pool.statistics.get("items"), "depth": pool.depth}


def _pseudonym(graders: dict[int, Grader], user_id: int | None) -> str:
    """Name a person as outsiders may know them."""
    if user_id is None:
        return "command line"
    mine = (one.pseudonym for one in graders.values() if one.user_id == user_id)
    return next(mine, "an admin")


def _hash(blocks: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
