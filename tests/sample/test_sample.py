"""The sample project holds what it promises, and its quotes stand where they should."""

import json
import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from app.errors import BadFile
from app.sample import (
    FOLDER,
    find_quote,
    load_corpus,
    load_gold,
    load_grades,
    load_queries,
    split_front_matter,
)

RUNNING_EXAMPLE = "What is the laptop refresh policy for engineers?"
LONG = {"employee-handbook", "tw40-manual"}


def paragraphs() -> list[str]:
    blocks = (block for document in load_corpus() for block in document.text.split("\n\n"))
    return [block for block in blocks if len(block) > 40]


def triples(paragraph: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", paragraph.lower())
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}


def shared_triples(texts: list[set[tuple[str, ...]]]) -> Counter[tuple[int, int]]:
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        for triple in text:
            places[triple].append(number)
    return Counter(pair for numbers in places.values() for pair in combinations(numbers, 2))


def write_project(folder: Path, quote: str) -> None:
    (folder / "corpus").mkdir()
    (folder / "corpus" / "a.md").write_text(
        "---\ntitle: A\nkind: policy\n---\n\nOne tide, two tides.\n", encoding="utf-8"
    )
    row = {"query_id": "q1", "doc_id": "a", "quote": quote, "grade": 2, "reason": ""}
    (folder / "gold.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


def test_at_least_32_documents_are_of_ordinary_length_and_two_are_long() -> None:
    lengths = {document.doc_id: len(document.text) for document in load_corpus()}
    ordinary = {name: size for name, size in lengths.items() if name not in LONG}
    assert len(ordinary) >= 32
    assert {name: size for name, size in ordinary.items() if not 1_500 <= size <= 8_000} == {}
    assert min(lengths[name] for name in LONG) > 20_000


def test_the_kinds_and_languages_are_there() -> None:
    tags = [document.tags for document in load_corpus()]
    kinds = {tag["kind"] for tag in tags}
    assert {"policy", "how-to", "faq", "table", "changelog"} <= kinds
    assert {tag["language"] for tag in tags} == {"en", "de", "he"}


def test_the_right_to_left_document_is_prose_in_its_script() -> None:
    (hebrew,) = (d.text for d in load_corpus() if d.tags["language"] == "he")
    letters = [letter for letter in hebrew if letter.isalpha()]
    assert sum("\u05d0" <= letter <= "\u05ea" for letter in letters) > 0.95 * len(letters)


def test_every_document_says_its_title_area_source_and_date() -> None:
    for document in load_corpus():
        assert document.title
        assert {"kind", "area", "source", "effective"} <= document.tags.keys()
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", document.tags["effective"]), document.doc_id


def test_files_are_utf8_with_plain_line_ends_and_no_placeholders() -> None:
    for path in [path for path in FOLDER.rglob("*") if path.is_file()]:
        content = path.read_bytes().decode("utf-8")
        assert "\r" not in content, path
        assert not re.search(r"lorem|\bTODO\b|\bTBD\b|\bXXX\b|\ufffd", content), path


def test_no_paragraph_occurs_twice() -> None:
    repeated = [block for block, times in Counter(paragraphs()).items() if times > 1]
    assert repeated == []


def test_no_paragraph_nearly_repeats_another() -> None:
    blocks = paragraphs()
    texts = [triples(block) for block in blocks]
    close = [
        (blocks[one], blocks[other])
        for (one, other), shared in shared_triples(texts).items()
        if shared >= 0.5 * min(len(texts[one]), len(texts[other]))
    ]
    assert close == []


def test_at_least_44_queries_have_a_need_and_all_tags() -> None:
    queries = load_queries()
    allowed = {
        "type": {"fact", "procedure", "comparison", "list", "exception"},
        "source": {"search log", "support", "interview"},
        "risk": {"normal", "high"},
        "answerable": {"yes", "no"},
        "language": {"en", "de", "he"},
    }
    assert len(queries) >= 44
    for query in queries:
        assert query.need.startswith("Complete if "), query
        assert all(query.tags[name] in values for name, values in allowed.items()), query
    for name, values in allowed.items():
        assert {query.tags[name] for query in queries} == values


def test_ids_and_texts_of_queries_are_unique() -> None:
    queries = load_queries()
    assert len({query.query_id for query in queries}) == len(queries)
    assert len({query.text for query in queries}) == len(queries)


def test_the_running_example_has_a_complete_answer_and_near_misses() -> None:
    (query,) = (query for query in load_queries() if query.text == RUNNING_EXAMPLE)
    grades = Counter(gold.grade for gold in load_gold() if gold.query_id == query.query_id)
    assert grades[3] == 1
    assert grades[0] >= 2


def test_every_quote_of_gold_and_grades_is_found_exactly_once() -> None:
    texts = {document.doc_id: document.text for document in load_corpus()}
    known = {query.query_id for query in load_queries()}
    for graded in load_gold() + load_grades():
        quote = texts[graded.doc_id][graded.start : graded.end]
        assert texts[graded.doc_id].count(quote) == 1
        assert quote == quote.strip() != ""
        assert graded.query_id in known
        assert graded.grade in range(4)


def test_at_least_90_gold_spans_answer_every_answerable_query() -> None:
    gold = load_gold()
    best = {query.query_id: -1 for query in load_queries()}
    for graded in gold:
        best[graded.query_id] = max(best[graded.query_id], graded.grade)
    answerable = {q.query_id for q in load_queries() if q.tags["answerable"] == "yes"}
    assert sum(graded.query_id in answerable for graded in gold) >= 90
    assert {name for name in answerable if best[name] < 3} == set()


def test_at_least_five_unanswerable_queries_have_no_gold_above_zero() -> None:
    unanswerable = {q.query_id for q in load_queries() if q.tags["answerable"] == "no"}
    assert len(unanswerable) >= 5
    assert [g for g in load_gold() if g.query_id in unanswerable and g.grade > 0] == []


def test_no_span_is_graded_twice_by_one_grader() -> None:
    for graded in (load_gold(), load_grades()):
        keys = [(g.grader, g.query_id, g.doc_id, g.start, g.end) for g in graded]
        assert len(set(keys)) == len(keys)


def test_every_gold_span_gives_its_reason() -> None:
    assert [gold for gold in load_gold() if not gold.note] == []


def test_two_experts_grade_a_part_and_sometimes_disagree() -> None:
    by_grader: dict[str | None, dict[tuple[str, str, int, int], int]] = defaultdict(dict)
    for graded in load_grades():
        span = (graded.query_id, graded.doc_id, graded.start, graded.end)
        by_grader[graded.grader][span] = graded.grade
    first, second = sorted(by_grader.values(), key=len, reverse=True)
    both = first.keys() & second.keys()
    assert 0 < sum(first[span] != second[span] for span in both) < len(both) / 2
    assert 0 in first.values()
    assert 0 in second.values()


@pytest.mark.parametrize(
    ("quote", "reason"),
    [("three tides", "is not in the document"), ("tide", "more than once"), ("", "is not in")],
)
def test_a_quote_that_is_missing_or_ambiguous_is_refused_by_name(
    tmp_path: Path, quote: str, reason: str
) -> None:
    write_project(tmp_path, quote)
    with pytest.raises(BadFile, match=reason) as refusal:
        load_gold(tmp_path)
    assert str(refusal.value).startswith("gold.jsonl, line 1: the quote ")
    assert str(refusal.value).endswith(repr(quote))


def test_places_are_code_points_of_the_text_without_front_matter(tmp_path: Path) -> None:
    write_project(tmp_path, "two tides")
    (graded,) = load_gold(tmp_path)
    assert (graded.start, graded.end) == (10, 19)
    assert find_quote("\U0001f30a wellingtons", "wellingtons") == 2


def test_a_document_without_front_matter_is_refused() -> None:
    with pytest.raises(BadFile, match=r"a\.md, line 1: no front matter"):
        split_front_matter("A tide.\n", "a.md")
