"""Chunking: parsing, each way of cutting, and the laws they share."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.chunking import Chunking, cut, parse_chunking
from app.errors import Invalid
from tests.data import collection
from tests.domain.strategies import TEXTS

SPECS = ["whole", "chars:7:3", "chars:5:0", "paragraphs", "sentences:12", "sentences:1"]


def pieces(spec: str, text: str) -> list[str]:
    return [text[start:end] for start, end in cut(parse_chunking(spec), text)]


@pytest.mark.parametrize("text", ["whole", "paragraphs", "chars:400:100", "sentences:600"])
def test_a_chunking_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_chunking(text)) == text


def test_leading_zeros_are_not_canonical() -> None:
    assert str(parse_chunking("chars:0400:00")) == "chars:400:0"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words",
        "chars:400",
        "chars:0:0",
        "chars:100:100",
        "chars:9:-1",
        "sentences:0",
        "Whole",
    ],
)
def test_an_unusable_chunking_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_chunking(text)


def test_a_whole_document_is_one_chunk_marked_whole() -> None:
    assert parse_chunking("whole").whole
    assert cut(Chunking("whole"), "  a b\n") == [(0, 6)]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("text", ["", " \r\n\t\u3000"])
def test_a_blank_text_has_no_chunk(spec: str, text: str) -> None:
    assert pieces(spec, text) == []


def test_fixed_characters_overlap_and_do_not_repeat_the_tail() -> None:
    assert pieces("chars:4:2", "abcdefgh") == ["abcd", "cdef", "efgh"]
    assert pieces("chars:4:0", "🦊bcd🇨🇭") == ["🦊bcd", "🇨🇭"]


def test_paragraphs_end_at_blank_lines_of_any_kind() -> None:
    text = "\n one\r\ntwo\r\n \t\r\nthree\n\n\nfour\r\rfive\n"

    assert pieces("paragraphs", text) == ["one\r\ntwo", "three", "four", "five"]


def test_headings_go_with_the_paragraph_that_follows() -> None:
    text = "# Title\n\n## Refresh\n\nEvery 36 months.\n\n## Loans\nShort.\n\n## End"

    assert pieces("paragraphs", text) == [
        "# Title\n\n## Refresh\n\nEvery 36 months.",
        "## Loans\nShort.",
        "## End",
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="English"),
        pytest.param(
            'He said "Stop." Then left.', ['He said "Stop."', "Then left."], id="quote"
        ),
        pytest.param(
            "See Dr. Lee, e.g. today.", ["See Dr. Lee, e.g. today."], id="abbreviation"
        ),
        pytest.param(
            "J. Smith paid 3.50 kg.", ["J. Smith paid 3.50 kg."], id="initial and number"
        ),
        pytest.param(
            "今日は晴れ。明日は？雨！", ["今日は晴れ。", "明日は？", "雨！"], id="Japanese"
        ),
        pytest.param("終わり。.次", ["終わり。.", "次"], id="mixed marks"),
        pytest.param("هل انتهى؟ نعم.", ["هل انتهى؟", "نعم."], id="Arabic"),
        pytest.param("यह है। वह था।", ["यह है।", "वह था।"], id="Hindi"),
        pytest.param("A title\n\nThen text", ["A title", "Then text"], id="blank line"),
        pytest.param("🦊 One.\r\nTwo.", ["🦊 One.", "Two."], id="emoji and CRLF"),
    ],
)
def test_sentences_end_as_in_their_language(text: str, sentences: list[str]) -> None:
    assert pieces("sentences:1", text) == sentences


def test_sentences_are_packed_and_a_long_one_stays_whole() -> None:
    assert pieces("sentences:9", "One. Two. A very long one. End.") == [
        "One. Two.",
        "A very long one.",
        "End.",
    ]


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(SPECS), TEXTS)
def test_chunks_lie_in_order_inside_the_text_and_cover_it(spec: str, text: str) -> None:
    chunks = cut(parse_chunking(spec), text)

    covered = {at for start, end in chunks for at in range(start, end)}
    assert all(0 <= start < end <= len(text) for start, end in chunks)
    assert all(text[start:end].strip() for start, end in chunks)
    assert chunks == sorted(set(chunks))
    assert covered >= {at for at, char in enumerate(text) if not char.isspace()}
    assert chunks == cut(parse_chunking(spec), text)


@pytest.mark.parametrize("spec", ["chars:400:100", "paragraphs", "sentences:600"])
def test_real_documents_are_cut_into_chunks_of_use(spec: str) -> None:
    lines = (collection("span-gold") / "corpus.jsonl").read_bytes().split(b"\n")
    texts = [json.loads(line)["text"] for line in lines if line]

    chunks = [chunk for text in texts for chunk in pieces(spec, text)]

    assert len(chunks) > 200
    assert sum(map(len, chunks)) >= 0.98 * sum(map(len, texts))
