"""Cards: what they hold, their hash, and the marked words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.cards import Card, build_card, card_hash, mark_terms, query_terms
from app.errors import Invalid
from tests.domain.strategies import TEXTS

TEXT = """# Handbook

Intro.

## Laptops ##

### Refresh

```
# no heading

# still none
```

Engineers get one.
# not after a blank line

## Phones

None."""


def card_at(phrase: str, title: str = "Handbook", context_chars: int = 6) -> Card:
    start = TEXT.index(phrase)
    return build_card(
        query="laptop",
        need="when",
        title=title,
        text=TEXT,
        start=start,
        end=start + len(phrase),
        context_chars=context_chars,
    )


def test_a_card_has_the_headings_above_its_span() -> None:
    assert card_at("Engineers get one.").title_path == ("Handbook", "Laptops", "Refresh")
    assert card_at("Intro.").title_path == ("Handbook",)
    assert card_at("None.").title_path == ("Handbook", "Phones")
    assert card_at("None.", title="Guide").title_path == ("Guide", "Handbook", "Phones")
    assert card_at("None.", title="").title_path == ("Handbook", "Phones")


def test_a_heading_inside_the_span_is_not_above_it() -> None:
    assert card_at("## Phones\n\nNone.").title_path == ("Handbook",)


def test_the_context_is_cut_by_code_points() -> None:
    text = "🦊" + 99 * "x" + "needle" + 99 * "y" + "🦊"

    card = build_card(
        query="", need="", title="", text=text, start=100, end=106, context_chars=100
    )

    assert (card.before[0], card.span, card.after[-1]) == ("🦊", "needle", "🦊")


def test_a_whole_document_is_its_own_span_even_if_empty() -> None:
    card = build_card(query="q", need="", title="T", text="", start=0, end=0, whole=True)

    assert card == Card("q", "", ("T",), "", "", "")


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 2), (0, 4)])
def test_a_span_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(Invalid):
        build_card(query="q", need="", title="T", text="abc", start=start, end=end)


def test_the_hash_is_of_the_canonical_json() -> None:
    card = Card("q", "n", ("T", "é"), "", "🦊", "z")

    # printf '%s' '{"after":"z","before":"","need":"n",..}' | sha256sum
    assert card_hash(card) == HASH


HASH = "7e65c1d653768fc2448140a816c655bfcd3448e80be2636900d30a8ee1597bfb"


def test_every_field_counts_in_the_hash() -> None:
    cards = [card_at("None."), card_at("Intro."), card_at("None.", context_chars=5)]

    assert len({card_hash(card) for card in cards}) == 3


def marked(query: str, text: str) -> list[str]:
    return [piece for hit, piece in mark_terms(text, query_terms(query)) if hit]


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("What is the laptop policy?", "The Laptops, policies.", ["Laptops", "policies"]),
        ("engineer boxes", "Engineers, engine, box", ["Engineers", "box"]),
        ("replacing", "replace replaced replacement", ["replace", "replaced"]),
        ("Richtlinie", "die Richtlinien", ["Richtlinien"]),
        ("art", "part of the art", ["art"]),
        ("no yes", "no yes no", ["yes"]),
        ("café", "cafe\u0301 cafe", ["cafe\u0301"]),
        ("STRASSE", "Die Straße", ["Straße"]),
        ("who is it", "Who knows", ["Who"]),
        ("天気予報", "明日の天気は、予報", ["天気", "予報"]),
        ("מחשב נייד", "כל מחשב כאן", ["מחשב"]),
        ("C++ 3.11", "python 3.11", ["3", "11"]),
        ("", "anything", []),
    ],
)
def test_words_of_the_query_are_marked(query: str, text: str, words: list[str]) -> None:
    assert marked(query, text) == words


@settings(deadline=None, max_examples=100)
@given(TEXTS, TEXTS)
def test_marked_pieces_joined_are_the_text(text: str, query: str) -> None:
    pieces = mark_terms(text, query_terms(query))

    assert "".join(piece for _, piece in pieces) == text
    assert all(piece for _, piece in pieces)


@settings(deadline=None, max_examples=50)
@given(TEXTS.filter(bool), st.data())
def test_before_span_and_after_are_a_piece_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    card = build_card(
        query="", need="", title="", text=text, start=start, end=end, context_chars=9
    )

    assert card.before + card.span + card.after == text[max(0, start - 9) : end + 9]
