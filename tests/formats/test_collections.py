"""Real files: read whole, or refused at the right lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import BadFile
from app.formats import beir, detect, jsonl, jsonl_spans, trec
from app.formats.checks import Problems
from app.formats.detect import CORPUS, QRELS, QUERIES, RUN, sniff
from app.formats.judgments import settle_judgments
from app.formats.lines import peek_line
from app.formats.rows import LabelRow
from tests.data import collection
from tests.formats.reading import Reader

ALL_READERS: dict[str, dict[str, Reader[object]]] = {
    "corpus": {**CORPUS},
    "queries": {**QUERIES},
    "run": {**RUN},
    "qrels": {**QRELS},
}


def read_file(path: Path, kind: detect.Kind) -> tuple[str, int, Problems]:
    problems = Problems(path.name)
    with path.open("rb") as stream:
        name = sniff(kind, path.name, peek_line(stream))
        rows = sum(1 for _ in ALL_READERS[kind][name](stream, problems))
    return name, rows, problems


@pytest.mark.parametrize(
    ("folder", "file", "kind", "form", "rows"),
    [
        ("dl21-passage-A", "corpus.jsonl", "corpus", "jsonl", 5716),
        ("dl21-passage-A", "queries.jsonl", "queries", "jsonl", 27),
        ("dl21-passage-A", "qrels.trec", "qrels", "trec", 5716),
        ("dl21-passage-A", "judges/umbrela-llama3.2.trec", "qrels", "trec", 22864),
        ("dl21-passage-A", "runs/uogTrPC.trec", "run", "trec", 2679),
        ("cranfield", "corpus.jsonl", "corpus", "jsonl", 1400),
        ("cranfield", "queries.jsonl", "queries", "jsonl", 225),
        ("cranfield", "qrels.best_is_4.trec", "qrels", "trec", 1837),
        ("cranfield", "runs/simple_bm25.trec", "run", "trec", 11250),
        ("beir-dbpedia-mini", "corpus.jsonl", "corpus", "beir", 5000),
        ("beir-dbpedia-mini", "queries.jsonl", "queries", "beir", 50),
        ("beir-dbpedia-mini", "qrels/test.tsv", "qrels", "beir", 3709),
        ("beir-dbpedia-mini", "qrels.trec", "qrels", "trec", 3709),
        ("trec-covid-round1-A", "queries.jsonl", "queries", "jsonl", None),
        ("trec-covid-round1-A", "qrels.trec", "qrels", "trec", None),
        ("trec-covid-round1-A", "runs/BITEM_BL.trec", "run", "trec", None),
        ("trec-covid-round1-A", "runs/RMITBM1.trec", "run", "trec", None),
        ("llmjudge-A", "qrels.dev.human.trec", "qrels", "trec", None),
        ("trec_eval-tests-A", "qrels.test", "qrels", "trec", None),
        ("trec_eval-tests-A", "results.test", "run", "trec", None),
        ("span-gold", "corpus.jsonl", "corpus", "jsonl", 3),
        ("span-gold", "queries.jsonl", "queries", "jsonl", 317),
        ("span-gold", "gold_spans.jsonl", "qrels", "jsonl", 487),
    ],
)
def test_a_collection_is_read_whole(
    folder: str, file: str, kind: detect.Kind, form: str, rows: int | None
) -> None:
    path = collection(folder) / file
    lines = sum(1 for line in path.read_bytes().split(b"\n") if line.strip())

    name, found, problems = read_file(path, kind)

    assert not problems.shown
    assert (name, found) == (form, lines if rows is None else rows)


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_every_small_fixture_is_read(kind: detect.Kind) -> None:
    for path in sorted(collection("small-fixtures").glob(f"*.{kind}")):
        name, found, problems = read_file(path, kind)

        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
        assert (name, found, problems.total) == ("trec", len(lines), 0), path.name


QRELS_ODDITIES = {
    "qrels/comment_lines.qrels": [1, 4, 7],
    "qrels/crlf.qrels": [],
    "qrels/crlf_stray_grade_in_binary_file.qrels": [],
    "qrels/doc_ids_unicode_comma_quote.qrels": [],
    "qrels/doc_ids_with_colons.qrels": [],
    "qrels/double_blank_and_iteration_0.5.qrels": [],
    "qrels/grade_minus_1_one_blank.qrels": list(range(1, 13)),
    "qrels/grade_minus_2_spam.qrels": list(range(1, 15)),
    "qrels/ids_with_hash_tabs_no_eol.qrels": [],
    "qrels/mixed_tabs_blanks_trailing_tab.qrels": [],
    "qrels/no_final_newline.qrels": [],
    "qrels/query_ids_with_slash_percent.qrels": [],
    "qrels/smart_rel_float_columns.rel": [1, 2, 3, 4, 5, 6],
    "qrels/subtopic_in_column2_conflicting_duplicates.qrels": [4, 6, 8, 10, 11, 12],
    "judge-labels/decimal_grades.trec": list(range(1, 9)),
    "judge-labels/label_5_on_a_0_3_scale.trec": [4, 5],
    "judge-labels/label_ERROR.trec": [9, 10],
    "judge-labels/no_label_column.txt": [1, 2, 3, 4, 5, 6],
    "judge-labels/same_pair_four_labels.trec": [2, 3, 4, 6, 7, 8, 10, 11, 12],
    "beir/qrels_without_header.tsv": [],
    "beir/qrels_four_columns.tsv": [],
}


def settle(path: Path) -> list[int | None]:
    problems = Problems(path.name)
    with path.open("rb") as stream:
        name = sniff("qrels", path.name, peek_line(stream))
        settle_judgments(QRELS[name](stream, problems), problems)
    return [problem.line for problem in problems.shown]


@pytest.mark.parametrize("file", QRELS_ODDITIES)
def test_odd_qrels_are_read_or_refused_by_line(file: str) -> None:
    assert settle(collection("oddities") / file) == QRELS_ODDITIES[file]


@pytest.mark.parametrize(
    ("file", "bad"),
    [
        ("cut_off_last_line_5_fields.run", [6]),
        ("cut_off_tag.run", []),
        ("exponent_scores.run", []),
        ("negative_scores_tie_in_32_bit.run", []),
        ("no_final_newline.run", []),
        ("rank_descending.run", []),
        ("rank_from_0_ties_tabs.run", []),
        ("tied_scores.run", []),
    ],
)
def test_odd_runs_are_read_or_refused_by_line(file: str, bad: list[int]) -> None:
    _, rows, problems = read_file(collection("oddities") / "runs" / file, "run")

    assert [problem.line for problem in problems.shown] == bad
    assert rows > 3


def read_odd(file: str, reader: Reader[LabelRow]) -> Iterator[LabelRow]:
    with (collection("oddities") / file).open("rb") as stream:
        yield from reader(stream, Problems(file))


@pytest.mark.parametrize(
    ("file", "reader"),
    [("runs/empty.run", trec.read_run), ("beir/qrels_header_only.tsv", beir.read_qrels)],
)
def test_files_without_rows_are_refused(file: str, reader: Reader[LabelRow]) -> None:
    with pytest.raises(BadFile, match="no rows"):
        list(read_odd(file, reader))


def test_four_columns_of_beir_qrels_are_refused_with_a_remedy() -> None:
    problems = Problems("four")
    with (collection("oddities") / "beir/qrels_four_columns.tsv").open("rb") as stream:
        assert not list(beir.read_qrels(stream, problems))

    assert "use format trec" in problems.shown[0].reason
    assert problems.total == 5


def test_odd_corpora_keep_every_character() -> None:
    folder = collection("oddities") / "corpora"
    with (folder / "surrogate_pair_escapes.jsonl").open("rb") as stream:
        pairs = list(beir.read_corpus(stream, Problems("pairs")))
    with (folder / "bom_inside_text.jsonl").open("rb") as stream:
        marks = list(jsonl.read_corpus(stream, Problems("marks")))

    assert "\U0001090a" in pairs[0].text
    assert (len(pairs), len(marks)) == (2, 3)
    assert any("\ufeff" in row.text for row in marks)


def test_gold_spans_are_the_text_they_say() -> None:
    folder = collection("span-gold")
    with (folder / "corpus.jsonl").open("rb") as stream:
        texts = {row.doc_id: row.text for row in jsonl.read_corpus(stream, Problems("c"))}
    with (folder / "gold_spans.jsonl").open("rb") as stream:
        spans = list(jsonl_spans.read_labels(stream, Problems("g")))

    assert all(texts[row.doc_id or ""][row.start : row.end] == row.text for row in spans)
