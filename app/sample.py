"""Sample: read the sample project, a fictional company's handbook, that ships with the code."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import BadFile, Problem

FOLDER = Path(__file__).resolve().parents[1] / "sample"
FENCE = "---\n"
FENCE_END = "\n---\n"


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """One page of the handbook: its text without the front matter, and what that says.

    ``tags`` holds kind, area, language, source and effective (an ISO date); ``access`` is
    a label, or None for a page that everybody may read.
    """

    doc_id: str
    title: str
    text: str
    tags: dict[str, str]
    access: str | None


@dataclass(frozen=True, slots=True)
class SampleQuery:
    """One question, its need ("Complete if ...") and its tags (name to text)."""

    query_id: str
    text: str
    need: str
    tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class SampleGrade:
    """A graded span in code points, end exclusive; ``grader`` is None for the author's gold."""

    query_id: str
    doc_id: str
    start: int
    end: int
    grade: int
    note: str
    grader: str | None = None


def load_corpus(folder: Path = FOLDER) -> tuple[SampleDocument, ...]:
    """Return the documents in order of their ids; the id is the file's name without ``.md``.

    Raises BadFile where a file does not start with front matter or has no title.
    """
    return tuple(_read_document(path) for path in sorted((folder / "corpus").glob("*.md")))


def load_queries(folder: Path = FOLDER) -> tuple[SampleQuery, ...]:
    """Return the queries in the order of ``queries.jsonl``."""
    return tuple(SampleQuery(**row) for _, row in _read_rows(folder / "queries.jsonl"))


def load_gold(folder: Path = FOLDER) -> tuple[SampleGrade, ...]:
    """Return the author's graded spans; raises BadFile naming each quote not found once."""
    return _read_grades(folder, "gold.jsonl", "reason")


def load_grades(folder: Path = FOLDER) -> tuple[SampleGrade, ...]:
    """Return the demo SMEs' graded spans; raises BadFile naming each quote not found once."""
    return _read_grades(folder, "grades.jsonl", "note")


def split_front_matter(content: str, file: str) -> tuple[dict[str, str], str]:
    """Return the ``key: value`` lines between two fences, and the text after them, trimmed."""
    if not content.startswith(FENCE) or FENCE_END not in content:
        raise BadFile([Problem(file, 1, "no front matter: start with lines between two ---")])
    head, body = content[len(FENCE) :].split(FENCE_END, 1)
    fields = (line.partition(":") for line in head.splitlines() if line.strip())
    return {key.strip(): value.strip() for key, _, value in fields}, body.strip()


def find_quote(text: str, quote: str) -> int:
    """Return where the quote starts, in code points; ValueError unless it occurs once."""
    start = text.find(quote) if quote else -1
    if start < 0:
        raise ValueError("the quote is not in the document")
    if text.find(quote, start + 1) >= 0:
        raise ValueError("the quote occurs more than once in the document; make it longer")
    return start


def _read_document(path: Path) -> SampleDocument:
    fields, text = split_front_matter(path.read_text(encoding="utf-8"), path.name)
    title, access = fields.pop("title", ""), fields.pop("access", None)
    if not title:
        raise BadFile([Problem(path.name, 1, "the front matter has no title")])
    return SampleDocument(path.stem, title, text, {"language": "en"} | fields, access)


def _read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, json.loads(line)


def _read_grades(folder: Path, name: str, note_field: str) -> tuple[SampleGrade, ...]:
    texts = {document.doc_id: document.text for document in load_corpus(folder)}
    grades: list[SampleGrade] = []
    problems: list[Problem] = []
    for number, row in _read_rows(folder / name):
        try:
            grades.append(_anchor(row, texts, note_field))
        except ValueError as error:
            problems.append(Problem(name, number, f"{error}: {row['quote']!r}"))
    if problems:
        raise BadFile(problems)
    return tuple(grades)


def _anchor(row: dict[str, Any], texts: dict[str, str], note_field: str) -> SampleGrade:
    if row["doc_id"] not in texts:
        raise ValueError(f"there is no document {row['doc_id']}")
    start = find_quote(texts[row["doc_id"]], row["quote"])
    return SampleGrade(
        query_id=row["query_id"],
        doc_id=row["doc_id"],
        start=start,
        end=start + len(row["quote"]),
        grade=row["grade"],
        note=row.get(note_field, ""),
        grader=row.get("grader"),
    )
