"""Cards of items: the same for SMEs and judges, with the hash of what was seen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.assignment import store_grades
from app.domain.cards import Card, build_card, card_hash
from app.errors import Invalid, NotFound

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class ItemCard:
    """An item's card, its hash, and the versions it was built from."""

    item_id: int
    card: Card
    card_hash: str
    query_version_id: int
    document_version_id: int


def card_of(session: Session, item_id: int) -> ItemCard:
    """Return the card of one item.

    Raises:
        NotFound: there is no such item.
        Invalid: nobody has the text of its document.
    """
    found = cards_of(session, [item_id]).get(item_id)
    if found is None:
        raise NotFound("There is no such passage.")
    return found


def cards_of(session: Session, item_ids: Iterable[int]) -> dict[int, ItemCard]:
    """Return the cards of items, built from the current wording of their queries.

    Raises:
        Invalid: nobody has the text of a document.
    """
    wanted: Sequence[int] = list(dict.fromkeys(item_ids))
    cards: dict[int, ItemCard] = {}
    for start in range(0, len(wanted), AT_ONCE):
        for row in store_grades.card_parts(session, wanted[start : start + AT_ONCE]):
            cards[row.id] = _build(row)
    return cards


def _build(row: Row[*tuple[Any, ...]]) -> ItemCard:
    if row.text is None:
        raise Invalid("The text of this document is not in the corpus, so it has no card.")
    card = build_card(
        query=row.query,
        need=row.need,
        title=row.title,
        text=row.text,
        start=row.span_start,
        end=row.span_end,
        whole=row.whole,
        context_chars=row.context_chars,
    )
    return ItemCard(
        row.id, card, card_hash(card), row.query_version_id, row.document_version_id
    )
