"""Pieces: what the built-in retrievers find, the chunks of the current documents by number."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from app.corpus import service as corpus
from app.domain.chunking import Chunking, cut
from app.domain.hit_ids import write_hit_id
from app.domain.ordering import make_falling
from app.domain.spans import Span

Found = list[tuple[int, float]]
"""Numbers of pieces, best first, with strictly falling scores."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a retriever returned for one query, and the milliseconds it took."""

    found: Found
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The table of the pieces; every array is as long as there are pieces."""

    doc_ids: list[str]
    document: npt.NDArray[np.int64]  # place in doc_ids
    version: npt.NDArray[np.int64]  # id of the document version
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    whole: bool

    def __len__(self) -> int:
        return len(self.document)

    def span(self, number: int) -> Span:
        """Return the span of a piece."""
        return Span(
            self.doc_ids[self.document[number]],
            int(self.start[number]),
            int(self.end[number]),
            whole=self.whole,
        )

    def hit_id(self, number: int) -> str:
        """Return the hit id of a piece."""
        return write_hit_id(self.span(number))

    def order(self, scored: Sequence[tuple[float, int]], depth: int) -> Found:
        """Return the best ``depth``: score falling, then hit id falling, made strict."""
        best = self._break_ties(sorted(scored, reverse=True))[:depth]
        scores = [score for score, _ in best]
        if any(above <= below for above, below in pairwise(scores)):
            scores = make_falling(scores)
        return [(number, score) for (_, number), score in zip(best, scores, strict=True)]

    def _break_ties(self, falling: list[tuple[float, int]]) -> list[tuple[float, int]]:
        """Order hits of equal scores by hit id; few are, and ids cost time to write."""
        ordered: list[tuple[float, int]] = []
        for _, tied in groupby(falling, key=itemgetter(0)):
            group = list(tied)
            if len(group) > 1:
                group.sort(key=lambda pair: self.hit_id(pair[1]), reverse=True)
            ordered += group
        return ordered


def iterate_pieces(
    session: Session, project_id: int, chunking: Chunking
) -> Iterator[tuple[int, str, str, str, int, int]]:
    """Yield (version, document id, title, text of the piece, start, end) by number."""
    for version, doc_id, title, text in corpus.iterate_texts(session, project_id):
        for start, end in cut(chunking, text):
            yield version, doc_id, title, text[start:end], start, end


def write_pieces(folder: Path, session: Session, project_id: int, chunking: Chunking) -> None:
    """Write the table of the pieces into a folder."""
    doc_ids: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    last = -1
    for version, doc_id, _, _, start, end in iterate_pieces(session, project_id, chunking):
        if version != last:
            doc_ids.append(doc_id)
            last = version
        rows.append((len(doc_ids) - 1, version, start, end))
    np.save(folder / "pieces.npy", np.array(rows, dtype=np.int64).reshape(-1, 4))
    (folder / "documents.json").write_text(json.dumps(doc_ids), encoding="utf-8")


def read_pieces(folder: Path, chunking: Chunking) -> Pieces:
    """Read what `write_pieces` wrote."""
    table = np.load(folder / "pieces.npy")
    doc_ids = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    return Pieces(
        doc_ids, table[:, 0], table[:, 1], table[:, 2], table[:, 3], whole=chunking.whole
    )
