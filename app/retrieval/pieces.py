"""Pieces: what the built-in retrievers find, the chunks of the current documents by number."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    place: npt.NDArray[np.int64]  # of its hit id among all hit ids, rising
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

    def order(self, scores: npt.ArrayLike, numbers: npt.ArrayLike, depth: int) -> Found:
        """Return the best ``depth``: score falling, then hit id falling, made strict.

        ``numbers`` are those of the pieces with these scores; 0 or less is no hit.
        """
        score = np.asarray(scores, dtype=np.float32)
        number = np.asarray(numbers, dtype=np.int64)
        best = np.lexsort((self.place[number], score))[::-1]
        best = best[score[best] > 0][:depth]
        return list(zip(number[best].tolist(), make_falling(score[best]), strict=True))


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
    hit_ids: list[str] = []
    last = -1
    for version, doc_id, _, _, start, end in iterate_pieces(session, project_id, chunking):
        if version != last:
            doc_ids.append(doc_id)
            last = version
        rows.append((len(doc_ids) - 1, version, start, end))
        hit_ids.append(write_hit_id(Span(doc_id, start, end, whole=chunking.whole)))
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    np.save(folder / "pieces.npy", np.column_stack([table, _find_places(hit_ids)]))
    (folder / "documents.json").write_text(json.dumps(doc_ids), encoding="utf-8")


def _find_places(hit_ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the place of each hit id when all are sorted by code points."""
    places = np.empty(len(hit_ids), dtype=np.int64)
    places[sorted(range(len(hit_ids)), key=hit_ids.__getitem__)] = np.arange(len(hit_ids))
    return places


def read_pieces(folder: Path, chunking: Chunking) -> Pieces:
    """Read what `write_pieces` wrote."""
    table = np.load(folder / "pieces.npy")
    doc_ids = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    document, version, start, end, place = table.T
    return Pieces(doc_ids, document, version, start, end, place, whole=chunking.whole)
