"""Endpoint: vectors from an OpenAI-compatible embeddings address."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from app.errors import Unavailable
from app.models import Project
from app.outside.client import embed_texts
from app.outside.transport import Endpoint
from app.retrieval.vectors import Matrix, scale_rows
from app.settings import Settings, read_secret

PART = 1_024  # texts kept at a time: a crash asks again for no more


class Remote:
    """The embeddings endpoint of a project."""

    def __init__(self, project: Project, settings: Settings) -> None:
        key = read_secret(project.embed_key_name) if project.embed_key_name else None
        self._endpoint = Endpoint(project.embed_url or "", key, settings.endpoints)
        self._model = project.embed_model or ""

    @property
    def folder_name(self) -> str:
        """Where its vectors are kept: another address or model is another folder."""
        digest = hashlib.sha256(f"{self._endpoint.url} {self._model}".encode())
        return f"vectors-{digest.hexdigest()[:16]}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one vector a text.

        Raises:
            Unavailable: the endpoint failed.
        """
        # An endpoint refuses an empty text; one blank stands for it.
        vectors = embed_texts(self._endpoint, self._model, [text or " " for text in texts])
        return scale_rows(np.array(vectors, dtype=np.float32))

    def write_vectors(self, folder: Path, texts: Iterable[str]) -> None:
        """Write the vectors of the pieces, going on behind the parts that are there."""
        stream = iter(texts)
        parts: list[Path] = []
        while part := list(islice(stream, PART)):
            file = folder / f"part-{len(parts):06}.npy"
            parts.append(file)
            if not file.exists():
                unfinished = folder / "unfinished.npy"
                np.save(unfinished, self.embed(part))
                unfinished.rename(file)
        _join(folder / "vectors.npy", parts)


def _join(target: Path, parts: Sequence[Path]) -> None:
    arrays = [np.load(part, mmap_mode="r") for part in parts]
    if len({array.shape[1] for array in arrays}) != 1:
        raise Unavailable("The embeddings endpoint answered with vectors of several lengths.")
    rows = sum(len(array) for array in arrays)
    joined = np.lib.format.open_memmap(
        target, mode="w+", dtype=np.float32, shape=(rows, arrays[0].shape[1])
    )
    at = 0
    for array in arrays:
        joined[at : at + len(array)] = array
        at += len(array)
    joined.flush()
    for part in parts:
        part.unlink()
