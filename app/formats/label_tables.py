"""Label tables: labels as CSV for programs, every cell exactly what is stored."""

from collections.abc import Iterable, Iterator

from app.formats.rows import LabelRow

COLUMNS = ("query_id", "doc_id", "start", "end", "grade", "source")


def write_csv_labels(rows: Iterable[LabelRow]) -> Iterator[str]:
    """Yield the header, then one CSV record a label; start and end are empty for documents.

    Ids and sources are quoted; nothing is changed, so a spreadsheet may take an id that
    begins with ``=`` for a formula. ``source`` is the tag of that name.
    """
    yield ",".join(COLUMNS) + "\n"
    for row in rows:
        start = "" if row.start is None else str(row.start)
        end = "" if row.end is None else str(row.end)
        source = " ".join(row.tags.get("source", []))
        ids = f"{_quote(row.query_id)},{_quote(row.doc_id or row.hit)}"
        yield f"{ids},{start},{end},{row.grade_text},{_quote(source)}\n"


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
