"""Projection: grades carried to other chunks, and the laws that protect them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.domain.chunking import cut, parse_chunking
from app.domain.projection import Projected, SpanLabel, project
from app.domain.spans import Span
from tests.data import collection


def span(start: int, end: int) -> Span:
    return Span("d", start, end)


def label(start: int, end: int, grade: int, *evidence: Span) -> SpanLabel:
    return SpanLabel(span(start, end), grade, evidence)


EVIDENCED = label(0, 100, 3, span(10, 20), span(60, 70))


@pytest.mark.parametrize(
    ("chunk", "labels", "projected"),
    [
        pytest.param(span(0, 60), [label(20, 80, 2)], Projected(2, "matched"), id="matches"),
        pytest.param(
            span(0, 60),
            [label(0, 40, 1), label(30, 60, 3)],
            Projected(3, "matched"),
            id="highest of several",
        ),
        pytest.param(
            span(10, 30), [label(0, 100, 3)], Projected(3, "inherited"), id="piece of a longer"
        ),
        pytest.param(
            span(10, 30),
            [label(0, 100, 3), label(10, 29, 3)],
            Projected(3, "matched"),
            id="matched rather than inherited",
        ),
        pytest.param(span(0, 75), [EVIDENCED], Projected(3, "evidence"), id="all evidence"),
        pytest.param(span(0, 50), [EVIDENCED], Projected(2, "evidence"), id="part of it"),
        pytest.param(span(0, 15), [EVIDENCED], Projected(2, "evidence"), id="a piece of it"),
        pytest.param(span(20, 60), [EVIDENCED], Projected(None, "touching"), id="none of it"),
        pytest.param(
            span(20, 60),
            [EVIDENCED, label(20, 50, 1)],
            Projected(1, "matched"),
            id="none of it, but another label",
        ),
        pytest.param(
            span(90, 190),
            [label(0, 100, 3), label(100, 200, 0)],
            Projected(None, "touching"),
            id="touches a positive one",
        ),
        pytest.param(
            span(0, 100), [label(0, 50, 0), label(40, 80, 0)], Projected(0, "read"), id="read"
        ),
        pytest.param(
            span(0, 100), [label(0, 79, 0)], Projected(None, "unjudged"), id="too much unread"
        ),
        pytest.param(span(0, 9), [], Projected(None, "unjudged"), id="no labels"),
        pytest.param(
            span(50, 150),
            [label(0, 100, 3), label(50, 150, 0)],
            Projected(0, "matched"),
            id="its own grade first",
        ),
        pytest.param(
            span(0, 9),
            [SpanLabel(Span("e", 0, 9), 3)],
            Projected(None, "unjudged"),
            id="another document",
        ),
    ],
)
def test_labels_are_projected(
    chunk: Span, labels: list[SpanLabel], projected: Projected
) -> None:
    assert project(chunk, labels) == projected


def test_a_whole_document_of_unknown_length_has_its_own_grade_or_none() -> None:
    unknown = Span("d", 0, None, whole=True)

    assert project(unknown, [SpanLabel(unknown, 0)]) == Projected(0, "matched")
    assert project(unknown, [label(0, 9, 2)]) == Projected(2, "matched")
    assert project(unknown, [label(0, 9, 0)]) == Projected(None, "unjudged")


def test_an_empty_document_has_its_own_grade_or_none() -> None:
    empty = Span("d", 0, 0, whole=True)

    assert project(empty, [SpanLabel(empty, 0)]) == Projected(0, "matched")
    assert project(empty, []) == Projected(None, "unjudged")


@st.composite
def make_labels(draw: st.DrawFn) -> SpanLabel:
    start = draw(st.integers(0, 30))
    length = draw(st.integers(1, 20))
    grade = draw(st.integers(0, 3))
    inside = draw(st.lists(st.integers(start, start + length - 1), max_size=2 if grade else 0))
    return label(start, start + length, grade, *(span(at, at + 1) for at in inside))


@settings(deadline=None, max_examples=100)
@given(
    st.lists(make_labels(), max_size=6),
    st.integers(1, 40),
    st.integers(1, 20),
    st.sampled_from([-1, 1]),
)
def test_moving_a_chunk_by_one_character_never_turns_a_3_into_a_0(
    labels: list[SpanLabel], start: int, length: int, step: int
) -> None:
    here, there = span(start, start + length), span(start + step, start + step + length)
    assume(there not in [each.span for each in labels])

    assert (project(here, labels).grade, project(there, labels).grade) != (3, 0)


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["chars:9:4", "chars:5:0", "paragraphs", "sentences:10"]),
    st.lists(st.integers(0, 3), min_size=60, max_size=60),
)
def test_projecting_the_items_own_chunking_gives_the_items_grades(
    spec: str, grades: list[int]
) -> None:
    text = "One. Two two.\n\nThree three three. Four.\n\nFive five five five five."
    spans = [span(start, end) for start, end in cut(parse_chunking(spec), text)]
    labels = [SpanLabel(each, grade) for each, grade in zip(spans, grades, strict=False)]

    assert [project(each.span, labels).grade for each in labels] == [
        each.grade for each in labels
    ]


def test_real_gold_spans_are_found_again_on_another_chunking() -> None:
    folder = collection("span-gold")
    texts = {row["doc_id"]: row["text"] for row in read_rows(folder / "corpus.jsonl")}
    chunking = parse_chunking("chars:400:100")
    cuts = {doc_id: cut(chunking, text) for doc_id, text in texts.items()}
    gold = [
        SpanLabel(Span(row["doc_id"], row["start"], row["end"]), row["grade"])
        for row in read_rows(folder / "gold_spans.jsonl")
    ]

    found = [
        any(
            project(Span(each.span.doc_id, start, end), [each]).grade == 3
            for start, end in cuts[each.span.doc_id]
            if start < each.span.reach and each.span.start < end
        )
        for each in gold
    ]

    assert len(found) == 487
    assert all(found)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
