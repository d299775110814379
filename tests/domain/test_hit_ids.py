"""Hit ids: written and read back without a collision."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.hit_ids import Ambiguous, read_hit_id, write_hit_id
from app.domain.spans import Span
from app.errors import Invalid
from tests.domain.strategies import DOC_IDS, make_spans


def whole(doc_id: str, length: int | None = None) -> Span:
    return Span(doc_id, 0, length, whole=True)


def test_v027_every_item_has_an_id_of_its_own_and_comes_back() -> None:
    spans = [Span("d1", 0, 5), Span("d1", 5, 9), whole("d1:0-5"), whole("d1#0-5", 7)]

    ids = [write_hit_id(span) for span in spans]

    assert ids == ["d1#0-5", "d1#5-9", "d1:0-5", "d1#0-5#0-7"]
    assert [read_hit_id(text) for text in ids[:3]] == spans[:3]
    assert read_hit_id(ids[3]) == Span("d1#0-5", 0, 7)


def test_an_empty_document_whose_id_ends_like_a_span_comes_back_whole() -> None:
    assert read_hit_id(write_hit_id(whole("d#0-5", 0))) == whole("d#0-5", 0)


def test_an_id_that_ends_like_a_span_needs_a_known_length() -> None:
    with pytest.raises(Invalid):
        write_hit_id(whole("d#0-5"))


def test_only_the_last_digits_are_the_span() -> None:
    assert read_hit_id("d#0-5#12-34") == Span("d#0-5", 12, 34)
    assert read_hit_id("BBC#788#6") == whole("BBC#788#6")


@pytest.mark.parametrize(
    "text", ["d#5-3", "d#4-4", "d#-3", "d#1-2 ", "d#1-2\n", "d#١-٢", "d#1-" + "9" * 5000]
)
def test_a_tail_that_is_no_span_belongs_to_the_document(text: str) -> None:
    assert read_hit_id(text) == whole(text)


def test_in_a_foreign_file_a_literal_document_id_wins() -> None:
    assert read_hit_id("d#0-5", {"d#0-5"}.__contains__) == whole("d#0-5")
    assert read_hit_id("d#0-5", {"d"}.__contains__) == Span("d", 0, 5)
    assert read_hit_id("d#0-5", set[str]().__contains__) == Span("d", 0, 5)


def test_two_possible_readings_ask_the_user() -> None:
    known = {"d", "d#0-5"}.__contains__

    assert read_hit_id("d#0-5", known) == Ambiguous(whole("d#0-5"), Span("d", 0, 5))
    assert read_hit_id("d#0-5", known, "document") == whole("d#0-5")
    assert read_hit_id("d#0-5", known, "span") == Span("d", 0, 5)


@settings(deadline=None, max_examples=100)
@given(make_spans(DOC_IDS))
def test_every_span_of_any_document_comes_back(span: Span) -> None:
    assert read_hit_id(write_hit_id(span)) == span
    assert read_hit_id(write_hit_id(span), {span.doc_id}.__contains__) == span


@settings(deadline=None, max_examples=100)
@given(DOC_IDS, st.integers(1, 99))
def test_every_whole_document_comes_back_with_its_document(doc_id: str, length: int) -> None:
    read = read_hit_id(write_hit_id(whole(doc_id, length)))

    assert isinstance(read, Span)
    assert (read.doc_id, read.start, read.length) in [(doc_id, 0, None), (doc_id, 0, length)]
