"""Marking: which words of a passage are words of the query."""

import re
import unicodedata
from collections.abc import Iterator, Set

# Words of scripts without blanks (Chinese, Japanese, Korean) are marked by pairs of characters.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0002ffff"
# Vowel signs and accents written apart are no \w, yet belong to their word.
_INSIDE = r"\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}])\w)(?:(?![{_UNSPACED}])[{_INSIDE}])*"
)

_SUFFIXES = ("ing", "ern", "ed", "er", "en", "em", "es", "e")
_SHORTEST = 3  # letters that must stay before a suffix

_ENGLISH = """
a about an and any are as at be been but by can could did do does for from had has have
he her his how i if in into is it its me my no not of on or our she should so than that
the their them then there these they this those to was we were what when where which
who whom why will with would you your
"""
_GERMAN = """
aber als am auch auf aus bei bin bis bist da das dass dem den der des die dies diese
dieser doch du ein eine einem einen einer eines er es für hat ich ihr im ist kann man
mein mit nach nicht noch nur oder sein sich sie sind so um und uns unser vom von vor
wann warum was welche welcher welches wenn wer wie wir wird wo zu zum zur über
au aux avec ce ces cette comment dans de du elle en est et eux il ils je la le les leur
"""
_FRENCH = """
lui mais ne nos notre nous on ou où par pas pour qu que quel quelle quelles quels qui
quoi sa se ses son sont sur un une vos votre vous
al como con cómo cuál cuándo del dónde el ella ellos es está esta este esto la las lo
"""
_SPANISH = """
los más o para pero por qué quién se sin su sus una uno y
"""
_STOPWORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH}".split())


def query_terms(query: str) -> frozenset[str]:
    """Return the stems of a query's words, without function words of a few languages.

    A query of function words alone keeps them all, or nothing could ever be marked.
    """
    words = [_normalize(match[0]) for match in _WORD.finditer(query) if not match["unspaced"]]
    telling = [word for word in words if word not in _STOPWORDS]
    runs = [match[0] for match in _WORD.finditer(query) if match["unspaced"]]
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    return frozenset(pairs) | {_stem(word) for word in telling or (() if pairs else words)}


def mark_terms(text: str, terms: Set[str]) -> list[tuple[bool, str]]:
    """Cut a text into (marked, piece); the pieces joined are exactly the text.

    A word is marked if its stem is among the terms: whole words only, upper and lower
    case alike, and light endings ("laptop", "laptops") alike.
    """
    pieces: list[tuple[bool, str]] = []
    done = 0
    for start, end in _find_marks(text, terms):
        if start > done:
            pieces.append((False, text[done:start]))
        pieces.append((True, text[start:end]))
        done = end
    if done < len(text):
        pieces.append((False, text[done:]))
    return pieces


def _find_marks(text: str, terms: Set[str]) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        if match["unspaced"]:
            yield from _find_pairs(match[0], match.start(), terms)
        elif _stem(_normalize(match[0])) in terms:
            yield match.span()


def _find_pairs(run: str, offset: int, terms: Set[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of an unspaced run that the query's pairs cover together."""
    start = end = 0
    for at in range(len(run)):
        width = 2 if run[at : at + 2] in terms else int(run[at] in terms)
        if not width:
            continue
        if at > end and end > start:
            yield offset + start, offset + end
        if at > end or end == start:
            start = at
        end = max(end, min(at + width, len(run)))
    if end > start:
        yield offset + start, offset + end


def _normalize(word: str) -> str:
    return unicodedata.normalize("NFC", word.casefold())


def _stem(word: str) -> str:
    """Take off a plural, then one light ending; words of one family mostly meet."""
    word = _take_plural(word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            return word[: -len(suffix)]
    return word


def _take_plural(word: str) -> str:
    if len(word) <= _SHORTEST or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s")
