"""Reports: what an import of a run took in, or would, in counts and in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.ordering import OrderReport, Rule
from app.domain.words import say_count
from app.retrieval.runfiles import PlacedHit, RunFile, list_some


@dataclass(frozen=True, slots=True)
class RunReport:
    """What an import of a run took in, or would: all are counts but the first ids shown."""

    name: str
    order: str
    queries: int
    missing_queries: int  # queries of the project without a line in the file
    hits: int
    depth: int  # hits of the longest list
    repeated: int  # lines that say the same again, dropped
    unknown_documents: int
    unknown_hits: int
    disagreeing: int  # queries where score and rank tell different orders
    tied_by_rank: int
    tied_in_32_bits: int
    warnings: tuple[str, ...] = ()
    already: bool = False  # the same file was taken before; nothing changed

    @property
    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return asdict(self) | {"warnings": list(self.warnings)}


def make_report(
    name: str,
    order: Rule,
    file: RunFile,
    ordered: Mapping[str, Sequence[PlacedHit]],
    orders: OrderReport,
    off: Mapping[str, Sequence[PlacedHit]],
    *,
    missing: int,
) -> RunReport:
    return RunReport(
        name=name,
        order=order,
        queries=len(ordered),
        missing_queries=missing,
        hits=sum(map(len, ordered.values())),
        depth=max(map(len, ordered.values())),
        repeated=file.problems.dropped,
        unknown_documents=len(off),
        unknown_hits=sum(map(len, off.values())),
        disagreeing=len(orders.disagreeing),
        tied_by_rank=len(orders.tied_by_rank),
        tied_in_32_bits=len(orders.tied_in_32_bits),
        warnings=tuple(_warn(order, orders, off, missing, file.problems.dropped)),
    )


def _warn(
    order: Rule,
    orders: OrderReport,
    off: Mapping[str, Sequence[PlacedHit]],
    missing: int,
    repeated: int,
) -> Iterator[str]:
    if orders.disagreeing:
        other = "rank" if order == "score" else "score"
        yield (
            f"Score and rank tell different orders in "
            f"{say_count(len(orders.disagreeing), 'query')}: "
            f"{list_some(orders.disagreeing)}. The {order} was used; if lower scores are "
            f"better, or the other order is meant, import it under another name in the "
            f"order of its {other}s (--order {other})."
        )
    if orders.tied_by_rank and order == "score":
        yield (
            f"Equal scores were put in another order than the rank column's in "
            f"{say_count(len(orders.tied_by_rank), 'query')}: by hit id, falling, "
            "as trec_eval does."
        )
    if orders.tied_in_32_bits:
        yield (
            f"Scores differ by less than 32 bits can hold in "
            f"{say_count(len(orders.tied_in_32_bits), 'query')}: "
            f"{list_some(orders.tied_in_32_bits)}; other tools may order them otherwise."
        )
    if off:
        yield (
            f"{say_count(len(off), 'document')} not in the corpus: kept, pooled, never graded."
        )
    if missing > 0:
        yield f"{say_count(missing, 'query')} of the project without an answer in it."
    if repeated:
        yield f"{say_count(repeated, 'line')} said the same again; counted once."


def explain(report: RunReport, *, dry_run: bool = False) -> str:
    """Say in one sentence what an import of a run did, or would do."""
    if report.already:
        told = "importing it again would change nothing" if dry_run else "nothing was changed"
        return f"{report.name} was imported from this file before; {told}."
    return (
        f"{report.name}: {say_count(report.hits, 'hit')} for "
        f"{say_count(report.queries, 'query')}, in the order of their {report.order}s."
    )
