"""Units: what a metric counts, when labels and hits are spans, documents or one of each."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from app.domain.hit_ids import Ambiguous, read_hit_id
from app.domain.ordering import Rule, order_hits
from app.domain.span_metrics import GoldSpan, rank_units
from app.domain.spans import Span
from app.formats.judgments import Judgment, group_grades
from app.formats.rows import HitRow, LabelRow

Unit = Literal["id", "document", "span"]


@dataclass(frozen=True, slots=True)
class Units:
    """Labels and one run in the same units, as ``metrics.evaluate`` takes them."""

    unit: Unit
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, Sequence[str]]

    @property
    def answers(self) -> int:
        """Count what the run found for queries that have labels."""
        return sum(len(found) for query, found in self.run.items() if query in self.qrels)

    @property
    def unmatched(self) -> int:
        """Count those of `answers` that have no label."""
        return sum(
            hit not in self.qrels[query]
            for query, found in self.run.items()
            if query in self.qrels
            for hit in found
        )


def count_units(
    judgments: Sequence[Judgment], hits: Mapping[str, Sequence[HitRow]], order: Rule = "score"
) -> Units:
    """Bring the labels of a file and the hits of a run, query by query, into one unit.

    *span* where any label has a start and an end: a hit finds the labelled spans it matches
    (`span_metrics.rank_units`). *document* where the labels are of documents and the hits of
    spans, in fields or in ids such as ``refunds#24-89`` where ``refunds`` is labelled: a
    document counts at its best hit. *id* else: ids are compared as they are written.
    """
    ordered = {query_id: order_hits(rows, order) for query_id, rows in hits.items()}
    if any(judgment.row.start is not None for judgment in judgments):
        return _count_spans(judgments, ordered)
    qrels = group_grades(judgments)
    if any(row.start is not None for rows in ordered.values() for row in rows):
        return Units("document", qrels, _keep_documents(ordered))
    run = {query_id: [row.hit for row in rows] for query_id, rows in ordered.items()}
    documents = _read_documents(qrels, run)
    return Units("id", qrels, run) if documents is None else Units("document", qrels, documents)


def read_span(row: HitRow | LabelRow) -> Span:
    """Return where a row points; an id of one column is read as Goldspan writes it."""
    if row.doc_id is not None and row.start is not None:
        return Span(row.doc_id, row.start, row.end)
    if row.doc_id is not None:
        return Span(row.doc_id, 0, None, whole=True)
    read = read_hit_id(row.hit)
    return read.span if isinstance(read, Ambiguous) else read


def _count_spans(
    judgments: Sequence[Judgment], ordered: Mapping[str, Sequence[HitRow]]
) -> Units:
    gold: dict[str, list[GoldSpan]] = {}
    for judgment in judgments:
        labelled = GoldSpan(read_span(judgment.row), judgment.grade)
        gold.setdefault(judgment.row.query_id, []).append(labelled)
    ranked = {
        query_id: rank_units(gold.get(query_id, []), map(read_span, ordered.get(query_id, [])))
        for query_id in gold | dict.fromkeys(ordered)
    }
    return Units(
        "span",
        {query_id: ranked[query_id].grades for query_id in gold},
        {query_id: ranked[query_id].ranking for query_id in ordered},
    )


def _read_documents(
    qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, list[str]]
) -> dict[str, list[str]] | None:
    """Return the documents of hits whose ids are spans of labelled ids; None without any.

    A labelled id is taken literally. Where one labelled id is a span of another, labels are
    of spans already, and the ids stay as they are.
    """
    labelled = {hit for grades in qrels.values() for hit in grades}
    if any(_document_of(hit, labelled) for hit in labelled):
        return None
    found = {
        query_id: [
            hit if hit in labelled else _document_of(hit, labelled) or hit for hit in hits
        ]
        for query_id, hits in run.items()
    }
    if found == run:
        return None
    return {query_id: list(dict.fromkeys(hits)) for query_id, hits in found.items()}


def _document_of(hit: str, labelled: Set[str]) -> str | None:
    """Return the labelled document that an id reads as a span of."""
    if "#" not in hit:
        return None
    read = read_hit_id(hit)
    if isinstance(read, Ambiguous) or read.doc_id == hit or read.doc_id not in labelled:
        return None
    return read.doc_id


def _keep_documents(ordered: Mapping[str, Sequence[HitRow]]) -> dict[str, list[str]]:
    return {
        query_id: list(dict.fromkeys(read_span(row).doc_id for row in rows))
        for query_id, rows in ordered.items()
    }
