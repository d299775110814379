"""Items: found by identity or added, never twice."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.db import now
from app.domain.spans import Span
from app.pooling import store
from app.pooling.store import ItemKey

QUERIES = 500


def item_identity(query_ref: int, version_id: int, span: Span) -> ItemKey:
    """Return the identity of an item: a whole document is one, whatever its known length."""
    if span.whole or span.end is None:
        return ItemKey(query_ref, version_id, True, 0, 0)
    return ItemKey(query_ref, version_id, False, span.start, span.end)


def find_or_add_items(
    session: Session, project_id: int, wanted: Mapping[ItemKey, int]
) -> dict[ItemKey, int]:
    """Return identity to item id, adding what is missing.

    ``wanted`` gives for each identity the end to store, in code points: its own for a span;
    the length of a whole document, 0 where nobody knows it.
    """
    by_query: dict[int, list[ItemKey]] = {}
    for key in wanted:
        by_query.setdefault(key.query_ref, []).append(key)
    refs = sorted(by_query)
    found: dict[ItemKey, int] = {}
    for start in range(0, len(refs), QUERIES):
        part = refs[start : start + QUERIES]
        keys = [key for ref in part for key in by_query[ref]]
        found |= _find_or_add(session, project_id, part, keys, wanted)
    return found


def _find_or_add(
    session: Session,
    project_id: int,
    refs: Sequence[int],
    keys: Sequence[ItemKey],
    wanted: Mapping[ItemKey, int],
) -> dict[ItemKey, int]:
    there = store.items_of(session, refs)
    moment = now(session)
    missing = [_row(project_id, key, wanted[key], moment) for key in keys if key not in there]
    if missing:
        store.add_items(session, missing)
        there = store.items_of(session, refs)
    return {key: there[key] for key in keys}


def _row(project_id: int, key: ItemKey, end: int, moment: datetime) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "query_ref": key.query_ref,
        "document_version_id": key.version_id,
        "whole": key.whole,
        "span_start": key.start,
        "span_end": end,
        "kind": "relevance",
        "created_at": moment,
    }
