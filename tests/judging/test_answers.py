"""Answers: V-044 to V-048 and V-059, on texts alone."""

import pytest

from app.judging.answers import Failure, Kind, Verdict, clean_text, read_answer
from app.judging.replies import Reply, read_reply


def outcome(content: str | None, finish_reason: str = "stop") -> int | Kind:
    result = read_answer(content, finish_reason)
    return result.grade if isinstance(result, Verdict) else result.kind


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"2"', 2),
        ("2.0", 2),
        ('"2.0"', 2),
        ("2e0", 2),
        ("2", 2),
        ("0", 0),
        ('" 2 "', 2),
        ('"02"', 2),
        ("2.5", Kind.MALFORMED),
        ("2.9", Kind.MALFORMED),
        ('"2/3"', Kind.MALFORMED),
        ("true", Kind.MALFORMED),
        ("false", Kind.MALFORMED),
        ("null", Kind.MALFORMED),
        ('"two"', Kind.MALFORMED),
        ("[2]", Kind.MALFORMED),
        ("NaN", Kind.MALFORMED),
        ("1e999", Kind.MALFORMED),
        ('"٢"', Kind.MALFORMED),
        ("9" * 5000, Kind.MALFORMED),
    ],
)
def test_only_whole_numbers_are_grades_v044(written: str, expected: int | Kind) -> None:
    assert outcome(f'{{"reason": "r", "grade": {written}}}') == expected


@pytest.mark.parametrize("written", ["5", "-1", "85", "4", '"4"', "4.0", '"-0001"'])
def test_a_grade_off_the_scale_is_never_clamped_v045(written: str) -> None:
    assert outcome(f'{{"grade": {written}}}') is Kind.OFF_SCALE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On a 0-3 scale this deserves 1.", Kind.MALFORMED),
        ("It is not highly relevant.", Kind.MALFORMED),
        ("I considered 3 but chose grade: 1", Kind.MALFORMED),
        ("grade: 2 (out of 3)", Kind.MALFORMED),
        ("3", 3),
        ("I considered 3.\ngrade: 1", 1),
        ("Grade: 7", Kind.OFF_SCALE),
        ('It says so.\n{"grade": 2}', 2),
        ('Perhaps {"grade": 3}?\n{"grade": 2}', Kind.MALFORMED),
        ('{"grade": 3}\nno, it is worse', Kind.MALFORMED),
        ('```json\n{"grade": 2}\n```', 2),
        ('{"grade": 3, "grade": 0}', Kind.MALFORMED),
        ('{"score": 3}', Kind.MALFORMED),
        ("[" * 100_000, Kind.MALFORMED),
    ],
)
def test_prose_is_read_by_one_anchored_form_v046(text: str, expected: int | Kind) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(
    "text", ['{"rationale":"the grade would be 3 if', '{"grade":2,"rationale":"cut of', "2"]
)
def test_what_the_token_limit_cut_is_truncated_v047(text: str) -> None:
    result = read_answer(text, "length")

    assert isinstance(result, Failure)
    assert result.kind is Kind.TRUNCATED
    assert text not in result.detail


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<think>maybe {"grade":3}? no.</think>{"grade":1}', 1),
        ('first idea {"grade":3}</think>\n{"grade":1}', 1),
        ('<think>{"grade":3}', Kind.MALFORMED),
        ('{"grade":1,"why":"the page shows <think> tags"}', 1),
        ('{"grade":1,"why":"</think>"}', 1),
        ("<think>3</think>", Kind.MALFORMED),
        ('<THINKING>3</THINKING>\n```\n{"grade":0}\n```', 0),
    ],
)
def test_a_draft_in_a_think_block_is_not_the_answer_v048(
    text: str, expected: int | Kind
) -> None:
    assert outcome(text) == expected


def test_reasoning_without_an_answer_is_empty_v048() -> None:
    result = read_answer("", "stop", reasoning='{"grade":1}')

    assert isinstance(result, Failure)
    assert result.kind is Kind.EMPTY
    assert "only reasoning" in result.detail


def test_a_refusal_is_no_grade() -> None:
    filtered = read_answer('{"grade": 0}', "content_filter")
    declined = read_answer(None, "stop", refusal="I cannot help")

    assert isinstance(filtered, Failure)
    assert isinstance(declined, Failure)
    assert filtered.kind is declined.kind is Kind.REFUSED


@pytest.mark.parametrize(
    ("escaped", "reason"),
    [(r"\ud83e\udd8a ok", "🦊 ok"), (r"\ud83e", "�"), (r"a\u0000b", "a�b")],
)
def test_reasons_can_be_stored_and_shown_v059(escaped: str, reason: str) -> None:
    result = read_answer(f'{{"grade":1,"reason":"{escaped}"}}', "stop")

    assert result == Verdict(1, reason)
    assert reason.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "clean"),
    [("\ud83e\udd8a", "🦊"), ("a\udd8ab", "a�b"), ("\ud83eb", "�b"), ("\ufeffx", "\ufeffx")],
)
def test_halves_of_pairs_are_joined_or_replaced_v059(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"choices": [{"message": {"content": "\xff"}}]}', Kind.WRONG_ENCODING),
        (b"<html>Welcome</html>", Kind.MALFORMED),
        (b'{"choices": []}', Kind.MALFORMED),
        (b'{"choices": [{"message": null}]}', Kind.MALFORMED),
        (b'{"choices": NaN}', Kind.MALFORMED),
        (b"[]", Kind.MALFORMED),
        (b"", Kind.MALFORMED),
        (b'{"error": {"message": "upstream"}}', Kind.SERVER_ERROR),
    ],
)
def test_a_body_that_is_no_completion_is_a_failure_v059(body: bytes, kind: Kind) -> None:
    result = read_reply(body)

    assert isinstance(result, Failure)
    assert result.kind is kind


def test_cached_tokens_are_a_part_of_those_that_went_in_v058() -> None:
    reply = read_reply(
        b'{"choices": [{"message": {"content": "1"}}], "usage": {"prompt_tokens": 2000,'
        b'"completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 1800}}}'
    )

    assert isinstance(reply, Reply)
    assert (reply.usage.tokens_in, reply.usage.tokens_cached) == (2000, 1800)


def test_usage_that_is_not_told_is_unknown_v058() -> None:
    reply = read_reply(b'{"choices": [{"message": {"content": "1"}}], "usage": null}')

    assert isinstance(reply, Reply)
    assert reply.usage.tokens_in is None
