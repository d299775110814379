"""LSA: vectors without a network, from the corpus' own words; it is not a neural model."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from tantivy import TextAnalyzer

from app.retrieval import analysis
from app.retrieval.vectors import Matrix, scale_rows

DIMENSIONS = 256
MOST_TERMS = 200_000


def list_terms(analyser: TextAnalyzer, text: str) -> list[str]:
    """Return the terms of a text: words, and characters of scripts without blanks."""
    return [*analyser.analyze(text), *analysis.split_unspaced(text)]


def write_lsa(folder: Path, texts: Iterable[str]) -> None:
    """Fit on the texts of the pieces and write terms, weights, axes and vectors."""
    analyser = analysis.build_analyser()
    vectorizer = _make_vectorizer(analyser, max_features=MOST_TERMS)
    weights = vectorizer.fit_transform(texts)
    dimensions = min(DIMENSIONS, *(size - 1 for size in weights.shape))
    if dimensions < 1:  # a single piece or a single term has no axes to find
        axes = np.eye(weights.shape[1], dtype=np.float32)
    else:
        svd = TruncatedSVD(dimensions, random_state=0).fit(weights)
        axes = np.asarray(svd.components_, dtype=np.float32)
    terms = {term: int(place) for term, place in vectorizer.vocabulary_.items()}
    (folder / "terms.json").write_text(json.dumps(terms), encoding="utf-8")
    np.save(folder / "weights.npy", vectorizer.idf_)
    np.save(folder / "axes.npy", axes)
    np.save(folder / "vectors.npy", scale_rows(weights @ axes.T))


def _make_vectorizer(analyser: TextAnalyzer, **options: object) -> TfidfVectorizer:
    return TfidfVectorizer(
        analyzer=lambda text: list_terms(analyser, text),
        sublinear_tf=True,
        dtype=np.float32,
        **options,
    )


class Lsa:
    """What `write_lsa` wrote, ready to make vectors of queries."""

    def __init__(self, folder: Path) -> None:
        terms = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
        self._vectorizer = _make_vectorizer(analysis.build_analyser(), vocabulary=terms)
        self._vectorizer.idf_ = np.load(folder / "weights.npy")
        self._axes: Matrix = np.load(folder / "axes.npy")

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one vector a text; a text of unknown terms gets zeros."""
        return scale_rows(self._vectorizer.transform(texts) @ self._axes.T)
