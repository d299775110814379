"""Spans: offsets in code points, and what two spans share."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.spans import Span, find_context, span_coverage, union_length
from app.errors import Invalid
from tests.domain.strategies import SPANS


@pytest.mark.parametrize(
    ("start", "end", "whole"),
    [
        (3, 3, False),
        (4, 3, False),
        (-1, 3, False),
        (0, None, False),
        (1, 9, True),
        (0, -1, True),
    ],
)
def test_an_impossible_span_is_refused(start: int, end: int | None, whole: bool) -> None:
    with pytest.raises(Invalid):
        Span("d", start, end, whole)


def test_only_a_whole_document_may_be_empty_or_of_unknown_length() -> None:
    assert Span("d", 0, 0, whole=True).length == 0
    assert Span("d", 0, None, whole=True).length is None


def test_v020_v021_v022_v023_offsets_are_code_points() -> None:
    cases = [
        ("🦊 fox says hi", 6, 10, "says"),
        ("𝒜bc needle 𝒜", 4, 10, "needle"),
        ("🇨🇭🇨🇭 Alps", 5, 9, "Alps"),
        ("👩🏽\u200d🔬 lab notes", 5, 8, "lab"),
        ("cafe\u0301 noir served", 6, 10, "noir"),
        ("one\r\ntwo\r\nthree", 10, 15, "three"),
        ("a\rb", 2, 3, "b"),
        ("a &lt; b & c <i>d</i>", 13, 21, "<i>d</i>"),
    ]

    assert all(find_context(text, start, end, 9)[1] == word for text, start, end, word in cases)


def test_v025_overlapping_and_nested_spans_share_what_they_share() -> None:
    wide, nested, crossing = Span("d", 0, 10), Span("d", 0, 4), Span("d", 6, 12)

    assert (wide.overlap(nested), wide.overlap(crossing), nested.overlap(crossing)) == (4, 4, 0)


def test_v026_touching_spans_share_nothing() -> None:
    left, right = Span("d", 0, 4), Span("d", 4, 8)

    assert left.overlap(right) == 0
    assert not left.matches(right)


def test_v029_context_is_cut_by_code_points() -> None:
    text = "🦊" + 99 * "x" + "needle" + 99 * "y" + "🦊"

    before, span, after = find_context(text, 100, 106, 100)

    assert (before[0], len(before), span, after[-1]) == ("🦊", 100, "needle", "🦊")


def test_v030_the_second_of_two_equal_words_is_found_by_its_offsets() -> None:
    assert find_context("no yes no yes no", 7, 9, 4) == ("yes ", "no", " yes")


def test_half_of_the_shorter_span_is_a_match() -> None:
    assert Span("d", 0, 10).matches(Span("d", 8, 12))
    assert not Span("d", 0, 10).matches(Span("d", 8, 13))
    assert not Span("d", 0, 10).matches(Span("e", 0, 10))


def test_a_document_of_unknown_length_holds_its_spans_and_matches_itself() -> None:
    unknown = Span("d", 0, None, whole=True)

    assert unknown.overlap(Span("d", 5, 9)) == 4
    assert unknown.iou(Span("d", 5, 9)) is None
    assert unknown.matches(Span("d", 0, 7, whole=True))
    assert unknown.iou(unknown) == 1.0


def test_an_empty_document_matches_no_span() -> None:
    empty = Span("d", 0, 0, whole=True)

    assert not empty.matches(Span("d", 0, 4))
    assert empty.iou(Span("d", 0, 4)) == 0.0


def test_coverage_counts_every_character_once() -> None:
    gold = [Span("d", 0, 10), Span("d", 5, 20), Span("e", 0, 20)]
    chunks = [Span("d", 10, 30), Span("d", 15, 25), Span("f", 0, 9)]

    assert span_coverage(chunks, gold) == 10 / 40
    assert span_coverage([Span("d", 0, None, whole=True)], gold) == 20 / 40


def test_coverage_of_nothing_has_no_answer() -> None:
    assert span_coverage([Span("d", 0, 4)], []) is None


def test_spans_are_sorted_by_document_start_and_end() -> None:
    spans = [Span("e", 0, 1), Span("d", 0, None, whole=True), Span("d", 2, 3), Span("d", 0, 9)]

    assert [span.doc_id + str(span.start) for span in sorted(spans)] == ["d0", "d0", "d2", "e0"]
    assert sorted(spans)[0].end == 9


@settings(deadline=None, max_examples=100)
@given(SPANS, SPANS)
def test_sharing_is_symmetric_and_bounded(one: Span, other: Span) -> None:
    shared = one.iou(other)

    assert shared is not None
    assert 0 <= shared <= 1
    assert shared == other.iou(one)
    assert one.matches(other) == other.matches(one)
    assert (shared == 1) == (one == other)


@settings(deadline=None, max_examples=100)
@given(st.lists(SPANS, max_size=6), st.lists(SPANS, min_size=1, max_size=6))
def test_unions_agree_with_sets_of_characters(chunks: list[Span], gold: list[Span]) -> None:
    wanted = spell_out(gold)

    assert union_length(gold) == len(wanted)
    assert span_coverage(chunks, gold) == len(wanted & spell_out(chunks)) / len(wanted)


def spell_out(spans: list[Span]) -> set[tuple[str, int]]:
    return {(span.doc_id, at) for span in spans for at in range(span.start, span.reach)}
