"""Vectors: exact nearest neighbours by cosine, a block of vectors in memory at a time."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

from app.retrieval.pieces import Answer, Pieces

Matrix = npt.NDArray[np.float32]
BLOCK = 65_536
DECIMALS = 6
MORE = 20  # as in bm25: ties at the end of the list are cut by our own second key


class Embedder(Protocol):
    """Makes vectors of length 1 (or 0 where nothing is known of a text)."""

    def embed(self, texts: Sequence[str]) -> Matrix: ...


def scale_rows(vectors: Matrix) -> Matrix:
    """Return the rows at length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


class Dense:
    """The vectors of the pieces, one row a piece, and what makes those of queries."""

    def __init__(self, file: Path, embedder: Embedder, pieces: Pieces) -> None:
        self._vectors: Matrix = np.load(file, mmap_mode="r")
        self._embedder = embedder
        self._pieces = pieces

    def search(self, texts: Sequence[str], depth: int) -> list[Answer]:
        """Return the nearest pieces for each text; a cosine of 0 or less is no hit."""
        begun = perf_counter()
        scores, numbers = self._nearest(self._embedder.embed(texts), depth + MORE)
        found = [
            self._pieces.order(row, ids, depth)
            for row, ids in zip(scores, numbers, strict=True)
        ]
        each = 1000 * (perf_counter() - begun) / max(1, len(texts))
        return [Answer(one, each) for one in found]

    def _nearest(self, queries: Matrix, k: int) -> tuple[Matrix, npt.NDArray[np.int64]]:
        scores = np.empty((len(queries), 0), dtype=np.float32)
        numbers = np.empty((len(queries), 0), dtype=np.int64)
        for start in range(0, len(self._vectors), BLOCK):
            block = queries @ self._vectors[start : start + BLOCK].T
            ids = np.broadcast_to(np.arange(start, start + block.shape[1]), block.shape)
            scores = np.concatenate([scores, block], axis=1)
            numbers = np.concatenate([numbers, ids], axis=1)
            if scores.shape[1] > k:
                best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
                scores = np.take_along_axis(scores, best, axis=1)
                numbers = np.take_along_axis(numbers, best, axis=1)
        # Equal texts differ in the last bits, by their places in the blocks.
        return np.round(scores, DECIMALS), numbers
