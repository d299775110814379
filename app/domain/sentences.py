"""Sentences: where they end, in many languages, without a model."""

import re
from collections.abc import Iterator

_CLOSERS = r"[\"'”’»)\]）」』】]*"
# Latin, Arabic, Urdu and Indic marks end a sentence before white space only; full-width
# marks always do. A blank line ends a sentence without any mark.
_BREAK = re.compile(
    rf"(?P<mark>[.!?…؟۔।॥]+){_CLOSERS}(?=\s)"
    rf"|[。！？｡][。！？｡.!?…]*{_CLOSERS}"
    r"|(?:\r\n|\r|\n)[^\S\r\n]*(?=[\r\n])"
)
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_REACH = 24  # no abbreviation is longer
_NEXT = re.compile(r"\s+(\S)")
_SHORT_FORMS = """
dr mr mrs ms prof sr jr st vs etc eg ie e.g i.e cf nos fig figs eq vol pp approx dept inc ltd
corp ca bzw usw evtl ggf nr bsp abb z.b d.h u.a vgl inkl sog mme mlle pág núm
"""
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences' (start, end), trimmed, in order, none of them blank."""
    start = 0
    for match in _BREAK.finditer(text):
        if match["mark"] == "." and not _ends_sentence(text, match.start(), match.end()):
            continue
        yield from trim(text, start, match.end())
        start = match.end()
    yield from trim(text, start, len(text))


def trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the range without outer white space, nothing if it holds nothing else."""
    piece = text[start:end]
    inner = piece.strip()
    if inner:
        start += len(piece) - len(piece.lstrip())
        yield start, start + len(inner)


def _ends_sentence(text: str, stop: int, after: int) -> bool:
    following = _NEXT.match(text, after)
    if following is not None and following[1].islower():
        return False
    word = _LAST_WORD.search(text[max(0, stop - _REACH) : stop])
    if word is None:
        return True
    initial = len(word[0]) == 1 and word[0].isupper()
    return not initial and word[0].casefold() not in _ABBREVIATIONS
