"""Analysis: the terms of a text, the same for documents and queries."""

import re

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

VERSION = 2
"""Part of every index's address: another analysis or other files are another index."""

LONGEST_TERM = 80
# Han, kana, Hangul, Thai, Lao, Burmese, Khmer: written without blanks between words.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def build_analyser() -> TextAnalyzer:
    """Return the analyser of words: letters and digits, folded, with English stems."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_TERM))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("English"))
        .build()
    )


def split_unspaced(text: str) -> list[str]:
    """Return the characters and pairs of characters of scripts without blanks."""
    terms: list[str] = []
    for run in UNSPACED.findall(text):
        terms += run
        terms += (run[at : at + 2] for at in range(len(run) - 1))
    return terms


def pick_unspaced(text: str) -> list[str]:
    """Return what to look for in scripts without blanks: pairs, or a lone character."""
    terms: list[str] = []
    for run in UNSPACED.findall(text):
        terms += [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
    return terms
