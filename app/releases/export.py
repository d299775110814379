"""Export: the labels of a release as files that programs read, always in the same order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from app.domain.hit_ids import write_hit_id
from app.domain.spans import Span
from app.domain.words import say_count
from app.errors import MAX_SHOWN, Invalid
from app.formats import beir, json_qrels, jsonl_spans, label_tables, trec
from app.formats.rows import DocumentRow, LabelRow, QueryLabelsRow, QueryRow
from app.releases.store import LabelledText, ReleasedLabel, ReleasedQuery

Form = Literal["trec", "beir", "json", "jsonl", "csv"]
Unit = Literal["span", "document"]
Source = Literal["all", "human", "judge"]
FORMS: tuple[Form, ...] = ("trec", "beir", "json", "jsonl", "csv")
UNITS: tuple[Unit, ...] = ("span", "document")
SOURCES: tuple[Source, ...] = ("all", "human", "judge")
ENDINGS = {"trec": "trec", "beir": "tsv", "json": "json", "jsonl": "jsonl", "csv": "csv"}
KINDS = {
    "trec": "text/plain; charset=utf-8",
    "beir": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
}
HUMAN = frozenset({"adjudicated", "consensus"})
BLOCK = 65_536


@dataclass(slots=True)
class Unfit:
    """Ids that one kind of file cannot hold: how many labels have one, and the first 50."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, written: str) -> None:
        self.count += 1
        if len(self.first) < MAX_SHOWN and written not in self.first:
            self.first.append(written)

    def as_json(self) -> dict[str, Any]:
        return {"count": self.count, "first": self.first}


class Fitness:
    """Finds, while labels go by, which files could not hold their ids (V-080)."""

    def __init__(self) -> None:
        self.columns, self.tabs, self.hits = Unfit(), Unfit(), Unfit()

    def watch(self, labels: Iterable[ReleasedLabel]) -> Iterator[ReleasedLabel]:
        for label in labels:
            self._look(label)
            yield label

    def _look(self, label: ReleasedLabel) -> None:
        for written, first in ((label.query_id, True), (label.doc_id, False)):
            if not _fits_columns(written, first=first):
                self.columns.add(written)
            if not written or any(mark in written for mark in "\t\n\r"):
                self.tabs.add(written)
        if label.whole and label.length is None and _hit_of(label) is None:
            self.hits.add(label.doc_id)

    def as_json(self) -> dict[str, Any]:
        return {
            "trec": self.columns.as_json(),
            "beir": self.tabs.as_json(),
            "hit_id": self.hits.as_json(),
        }


def refuse_unfit(unfit: dict[str, Any], form: Form, unit: Unit | None, *, escape: bool) -> None:
    """Refuse a file that cannot hold the ids of a release, before its first byte.

    Raises:
        Invalid: with the first 50 ids and what to do.
    """
    kind = "trec" if form == "trec" and not escape else "beir" if form == "beir" else None
    wrong: dict[str, Any] = unfit[kind] if kind else {"count": 0}
    if wrong["count"]:
        shown = ", ".join(map(repr, wrong["first"]))
        raise Invalid(
            f"The format {form} cannot hold the ids {shown}"
            f" ({say_count(wrong['count'], 'label')}): {trec.UNWRITABLE}."
            " Export jsonl, or trec with --escape."
        )
    by_hit = unit != "document" and form != "csv" and (form, unit) != ("jsonl", "span")
    if by_hit and unfit["hit_id"]["count"]:
        shown = ", ".join(map(repr, unfit["hit_id"]["first"]))
        raise Invalid(
            f"The documents {shown} have ids that end like a span, and nobody knows their"
            " length, so they cannot be written in one column. Export jsonl --unit span."
        )


def keep_source(labels: Iterable[ReleasedLabel], source: Source) -> Iterator[ReleasedLabel]:
    """Yield people's labels, the judges' labels, or all."""
    for label in labels:
        if source == "all" or (label.source in HUMAN) == (source == "human"):
            yield label


def list_rows(labels: Iterable[ReleasedLabel], unit: Unit | None) -> Iterator[LabelRow]:
    """Yield the rows of a file; a document's grade is the highest of its spans."""
    if unit != "document":
        yield from map(_row_of, labels)
        return
    for _, spans in groupby(labels, key=lambda label: (label.query_ref, label.doc_id)):
        best = max(spans, key=lambda label: label.value)  # the first of the highest
        yield _row_of(replace(best, whole=True, length=None), hit=best.doc_id)


def _row_of(label: ReleasedLabel, hit: str | None = None) -> LabelRow:
    start, end = (None, None) if label.whole else (label.start, label.end)
    return LabelRow(
        0,
        label.query_id,
        hit if hit is not None else _hit_of(label) or "",
        label.doc_id,
        start,
        end,
        str(label.value),
        tags={"source": [label.source]},
    )


def _hit_of(label: ReleasedLabel | LabelledText) -> str | None:
    """Return the hit id, or None where there is none (see `write_hit_id`)."""
    end = label.length if label.whole else label.end
    try:
        return write_hit_id(Span(label.doc_id, label.start, end, label.whole))
    except Invalid:
        return None


def _fits_columns(written: str, *, first: bool) -> bool:
    try:
        trec.refuse_unwritable((written,), first=first)
    except Invalid:
        return False
    return True


def write_labels(
    rows: Iterable[LabelRow],
    queries: Sequence[ReleasedQuery],
    form: Form,
    unit: Unit | None,
    *,
    escape: bool = False,
) -> Iterator[str]:
    """Yield a file piece by piece; zeros are kept in every format (V-077)."""
    if form == "jsonl" and unit != "span":
        return jsonl_spans.write_query_labels(_gather_queries(rows, queries))
    writers: dict[Form, Callable[[Iterable[LabelRow]], Iterator[str]]] = {
        "trec": lambda given: trec.write_qrels(given, escape=escape),
        "beir": beir.write_qrels,
        "json": json_qrels.write_qrels,
        "jsonl": jsonl_spans.write_labels,
        "csv": label_tables.write_csv_labels,
    }
    return writers[form](rows)


def _gather_queries(
    rows: Iterable[LabelRow], queries: Sequence[ReleasedQuery]
) -> Iterator[QueryLabelsRow]:
    known = {query.query_id: query for query in queries}
    for query_id, labels in groupby(rows, key=lambda row: row.query_id):
        query = known[query_id]
        grades = {label.hit: int(label.grade_text) for label in labels}
        yield QueryLabelsRow(query_id, query.text, grades, query.tags)


def write_beir_queries(queries: Iterable[ReleasedQuery]) -> Iterator[str]:
    """Yield ``queries.jsonl`` of a BEIR folder, the needs as narratives."""
    return beir.write_queries(
        QueryRow(0, query.query_id, query.text, query.need, query.tags) for query in queries
    )


def write_beir_corpus(texts: Iterable[LabelledText], unit: Unit | None) -> Iterator[str]:
    """Yield ``corpus.jsonl`` of a BEIR folder: every labelled text that is known, by its id."""
    return beir.write_corpus(
        DocumentRow(
            0, text.doc_id if unit == "document" else _hit_of(text) or "", text.title, text.text
        )
        for text in texts
        if text.text is not None
    )


def encode(pieces: Iterable[str]) -> Iterator[bytes]:
    """Join pieces to blocks of about 64 thousand characters, as UTF-8."""
    block: list[str] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield "".join(block).encode()
            block, size = [], 0
    if block:
        yield "".join(block).encode()
