"""Detect: which format a file is of, from its name and its first line."""

import json
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import BinaryIO, Literal

from app.errors import Invalid
from app.formats import beir, json_qrels, jsonl, jsonl_spans, tables, trec
from app.formats.checks import Problems
from app.formats.rows import DocumentRow, HitRow, LabelRow, QueryRow

Kind = Literal["corpus", "queries", "run", "qrels"]

CORPUS: dict[str, Callable[[BinaryIO, Problems], Iterator[DocumentRow]]] = {
    "jsonl": jsonl.read_corpus,
    "beir": beir.read_corpus,
}
QUERIES: dict[str, Callable[[BinaryIO, Problems], Iterator[QueryRow]]] = {
    "jsonl": jsonl.read_queries,
    "beir": beir.read_queries,
    "csv": tables.read_csv_queries,
    "tsv": tables.read_tsv_queries,
}
RUN: dict[str, Callable[[BinaryIO, Problems], Iterator[HitRow]]] = {
    "trec": trec.read_run,
    "jsonl": jsonl_spans.read_run,
}
QRELS: dict[str, Callable[[BinaryIO, Problems], Iterator[LabelRow]]] = {
    "trec": trec.read_qrels,
    "beir": beir.read_qrels,
    "jsonl": jsonl_spans.read_labels,
    "json": json_qrels.read_qrels,
}
FORMATS: dict[Kind, tuple[str, ...]] = {
    "corpus": tuple(CORPUS),
    "queries": tuple(QUERIES),
    "run": tuple(RUN),
    "qrels": tuple(QRELS),
}


def sniff(kind: Kind, path: str, first_line: str) -> str:
    """Return the name of the format that a file of this kind is most likely of.

    ``first_line`` is what `lines.peek_line` gives. The reader of that format checks every
    line, so a wrong guess ends in a refusal, never in wrong rows. An empty file has every
    format, and its reader refuses it.

    Raises:
        Invalid: where neither name nor first line tells.
    """
    if not first_line.strip():
        return FORMATS[kind][0]
    brace = first_line.lstrip().startswith("{")
    match kind:
        case "corpus" | "queries" if brace:
            return "beir" if _has_key(first_line, "_id") else "jsonl"
        case "queries":
            return _sniff_table(path, first_line)
        case "run":
            return "jsonl" if brace else "trec"
        case "qrels" if brace:
            return "jsonl" if _has_key(first_line, "query_id") else "json"
        case "qrels":
            return _sniff_qrels(path, first_line)
        case _:
            raise Invalid(_explain(kind, path))


def check_format(kind: Kind, name: str) -> str:
    """Return the name of a format that this kind of file has.

    Raises:
        Invalid: where it has not, with the names it has.
    """
    if name not in FORMATS[kind]:
        raise Invalid(f"{kind} has no format {name!r}; it has {', '.join(FORMATS[kind])}.")
    return name


def _has_key(first_line: str, key: str) -> bool:
    try:
        record = json.loads(first_line)
    except ValueError:
        # Cut at 64 KiB: a first line this long is a record, its id near the start.
        return f'"{key}"' in first_line[:1000]
    return isinstance(record, dict) and key in record


def _sniff_table(path: str, first_line: str) -> str:
    if tables.is_header(first_line.split("\t")):
        return "tsv"
    if tables.is_header([cell.strip().strip('"') for cell in first_line.split(",")]):
        return "csv"
    if _suffix(path) in (".tsv", ".csv"):
        return _suffix(path).removeprefix(".")
    raise Invalid(_explain("queries", path))


def _sniff_qrels(path: str, first_line: str) -> str:
    fields = first_line.split("\t")
    if beir.is_header(fields) or len(fields) == len(beir.COLUMNS):
        return "beir"
    return "beir" if _suffix(path) == ".tsv" and len(first_line.split()) == 3 else "trec"


def _suffix(path: str) -> str:
    return PurePath(path.removesuffix(".gz")).suffix.lower()


def _explain(kind: Kind, path: str) -> str:
    return f"Cannot tell the format of {path}; name it with --format {'|'.join(FORMATS[kind])}."
