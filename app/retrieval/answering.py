"""Answering: one built-in run, from its plan to its last query; safe to start again."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.corpus import service as corpus
from app.db import Database, now, transaction
from app.domain.chunking import Chunking
from app.errors import AppError
from app.models import Project, Run
from app.queries import service as queries
from app.retrieval import indexes, store
from app.retrieval.bm25 import Bm25, write_index
from app.retrieval.endpoint import Remote
from app.retrieval.hybrid import Hybrid, Searcher
from app.retrieval.lsa import Lsa, write_lsa
from app.retrieval.pieces import Answer, Pieces, iterate_pieces, read_pieces, write_pieces
from app.retrieval.retrievers import parse_retriever
from app.retrieval.service import name_embedder
from app.retrieval.vectors import Dense
from app.settings import Settings

BATCH = 50
"""Queries that a retriever is given at once."""

SAVE_AFTER = 0.5
"""Seconds of answering between two short transactions: nobody waits longer to see them."""

Answered = tuple[int, Answer]
"""A query and what was found for it."""

OUR_FAULT = "Something went wrong on our side; the log has the details. Retrieve again."


@dataclass(frozen=True, slots=True)
class Asked:
    """One query to answer."""

    query_ref: int
    text: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything a run needs, read from one snapshot of the database."""

    corpus: str
    queries: str
    embedder: str | None
    asked: list[Asked]
    pieces: Pieces
    searcher: Searcher


def answer_run(database: Database, settings: Settings, run_id: int) -> None:
    """Answer the queries a run has not answered yet; a run that is over stays as it is.

    A failure is written into the run in words. What cannot be put into words is raised too.
    """
    try:
        _answer_run(database, settings, run_id)
    except AppError as refusal:
        _fail(database, run_id, str(refusal))
    except Exception:
        with suppress(SQLAlchemyError):
            _fail(database, run_id, OUR_FAULT)
        raise


def _answer_run(database: Database, settings: Settings, run_id: int) -> None:
    with transaction(database, write=False) as session:
        run = session.get_one(Run, run_id)
        if run.state not in ("planned", "running"):
            return
        ready = _prepare(session, settings, run)
    with transaction(database) as session:
        if not _claim(session, run_id, ready):
            return
        answered = store.answered_queries(session, run_id)
    missing = [each for each in ready.asked if each.query_ref not in answered]
    for answered_now in _answer_in_parts(ready.searcher, missing, run.depth):
        with transaction(database) as session:
            if not _save(session, run_id, ready.pieces, answered_now):
                return
    with transaction(database) as session:
        _finish(session, run_id, ready)


def _answer_in_parts(
    searcher: Searcher, missing: Sequence[Asked], depth: int
) -> Iterator[list[Answered]]:
    """Yield answers whenever as much work as is worth a transaction is done."""
    part: list[Answered] = []
    begun = monotonic()
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        answers = searcher.search([each.text for each in batch], depth)
        part += zip((each.query_ref for each in batch), answers, strict=True)
        if monotonic() - begun >= SAVE_AFTER:
            yield part
            part, begun = [], monotonic()
    if part:
        yield part


def _prepare(session: Session, settings: Settings, run: Run) -> Ready:
    """Read the queries and open the indexes, all of the same corpus."""
    project = session.get_one(Project, run.project_id)
    fingerprint = corpus.fingerprint(session, project.id)
    retriever = parse_retriever(run.retriever or "", Chunking("whole"))
    folder = indexes.folder_of(
        settings.cache_dir, project.id, fingerprint, str(retriever.chunking)
    )
    indexes.remove_unused(folder)
    shelf = _Shelf(session, settings, project, retriever.chunking, folder)
    pieces = shelf.open_pieces()
    return Ready(
        fingerprint,
        queries.fingerprint(session, project.id),
        None if retriever.kind == "bm25" else name_embedder(project),
        [Asked(q.query_ref, q.text) for q in queries.list_current(session, project.id)],
        pieces,
        shelf.open_searcher(retriever.kind, pieces),
    )


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The indexes of one corpus, cut one way."""

    session: Session
    settings: Settings
    project: Project
    chunking: Chunking
    folder: Path

    def open_pieces(self) -> Pieces:
        def build(folder: Path) -> None:
            write_pieces(folder, self.session, self.project.id, self.chunking)

        return read_pieces(indexes.ensure(self.folder / "pieces", build), self.chunking)

    def open_searcher(self, kind: str, pieces: Pieces) -> Searcher:
        if kind == "bm25":
            return self._open_bm25(pieces)
        dense = (
            self._open_lsa(pieces)
            if self.project.embed_url is None
            else self._open_remote(pieces)
        )
        return dense if kind == "dense" else Hybrid([self._open_bm25(pieces), dense], pieces)

    def _titled(self) -> Any:
        rows = iterate_pieces(self.session, self.project.id, self.chunking)
        return ((title, text) for _, _, title, text, _, _ in rows)

    def _joined(self) -> Any:
        return (f"{title}\n{text}".strip() for title, text in self._titled())

    def _open_bm25(self, pieces: Pieces) -> Searcher:
        def build(folder: Path) -> None:
            write_index(folder, self._titled())

        return Bm25(indexes.ensure(self.folder / "bm25", build), pieces)

    def _open_lsa(self, pieces: Pieces) -> Searcher:
        def build(folder: Path) -> None:
            write_lsa(folder, self._joined())

        folder = indexes.ensure(self.folder / "lsa", build)
        return Dense(folder / "vectors.npy", Lsa(folder), pieces)

    def _open_remote(self, pieces: Pieces) -> Searcher:
        remote = Remote(self.project, self.settings)

        def build(folder: Path) -> None:
            remote.write_vectors(folder, self._joined())

        folder = indexes.ensure(self.folder / remote.folder_name, build, resumable=True)
        return Dense(folder / "vectors.npy", remote, pieces)


def _claim(session: Session, run_id: int, ready: Ready) -> bool:
    """Say whether the run is still wanted; forget answers that came from another corpus."""
    run = store.lock_run(session, run_id)
    if run.state not in ("planned", "running"):
        return False
    basis = (run.corpus_fingerprint, run.query_fingerprint, run.report.get("embedder"))
    if basis != (ready.corpus, ready.queries, ready.embedder):
        store.drop_answers(session, run_id)
        run.queries_done = run.hits_total = 0
        run.corpus_fingerprint, run.query_fingerprint = ready.corpus, ready.queries
        run.report = run.report | {"embedder": ready.embedder}
    run.queries_total = len(ready.asked)
    run.state = "running"
    return True


def _save(
    session: Session,
    run_id: int,
    pieces: Pieces,
    part: Sequence[Answered],
) -> bool:
    """Store what is still missing of a part; False: the run was cancelled meanwhile."""
    if store.lock_run(session, run_id).state != "running":
        return False
    answered = store.answered_queries(session, run_id)
    fresh = [(ref, answer) for ref, answer in part if ref not in answered]
    hits = [row for ref, answer in fresh for row in _hit_rows(run_id, ref, pieces, answer)]
    store.add_hits(session, hits)
    store.add_run_queries(
        session,
        [(run_id, ref, len(answer.found), answer.milliseconds) for ref, answer in fresh],
    )
    store.count_progress(session, run_id, queries=len(fresh), hits=len(hits))
    return True


def _hit_rows(
    run_id: int, query_ref: int, pieces: Pieces, answer: Answer
) -> Iterator[store.HitRow]:
    numbers = [number for number, _ in answer.found]
    columns = (pieces.version, pieces.start, pieces.end)
    places = zip(*(column[numbers].tolist() for column in columns), strict=True)
    for rank, (version, start, end) in enumerate(places, start=1):
        score = answer.found[rank - 1][1]
        yield run_id, query_ref, rank, version, pieces.whole, start, end, score


def _finish(session: Session, run_id: int, ready: Ready) -> None:
    run = store.lock_run(session, run_id)
    if run.state == "running":
        run.state = "done"
        run.finished_at = now(session)
        run.report = run.report | {"pieces": len(ready.pieces)}


def _fail(database: Database, run_id: int, reason: str) -> None:
    with transaction(database) as session:
        run = store.lock_run(session, run_id)
        if run.state in ("planned", "running"):
            run.state, run.error = "failed", reason
