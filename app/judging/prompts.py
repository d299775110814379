"""Prompts: a judge's instructions, and how a card is put into them as data."""

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from app.domain.cards import Card, card_hash
from app.errors import Invalid

FOLDER = Path(__file__).with_name("prompts")
FIELDS = (
    "query",
    "need",
    "title_path",
    "before",
    "span",
    "after",
    "card",
    "guidelines",
)
SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
ANSWER_LIKE = re.compile(r"""\bgrade["'”]?\s*(?:is|=|:)\s*["'“]?[0-9]""", re.IGNORECASE)
LABELS = {
    "query": "QUERY",
    "need": "NEED",
    "title_path": "TITLE",
    "before": "BEFORE",
    "span": "PASSAGE",
    "after": "AFTER",
}

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system and a user text with named slots such as ``{span}``.

    The slots are query, need, title_path, before, span, after, card (all of these) and
    guidelines. Other braces, as in ``{"grade": 0}``, are plain text. ``{query}`` and either
    ``{span}`` or ``{card}`` must occur (a card holds its query).
    """

    system: str
    user: str

    def __post_init__(self) -> None:
        used = set(SLOT.findall(self.system)) | set(SLOT.findall(self.user))
        for name in sorted(used - set(FIELDS)):
            raise Invalid(
                f"The prompt has an unknown slot {{{name}}}. Known: {', '.join(FIELDS)}."
            )
        for name in ("query", "span"):
            if name not in used and "card" not in used:
                raise Invalid(f"The prompt lacks the slot {{{name}}} (or {{card}} for all).")


def load_prompt(name: str = "plain") -> Prompt:
    """Return a prompt that ships with Goldspan.

    Raises:
        Invalid: there is none of that name.
    """
    files = {path.stem: path for path in FOLDER.glob("*.toml")}
    if name not in files:
        raise Invalid(f"There is no prompt {name}. There are: {', '.join(sorted(files))}.")
    data = tomllib.loads(files[name].read_text(encoding="utf-8"))
    return Prompt(data["system"].strip(), data["user"].strip())


def store_prompt(prompt: Prompt) -> str:
    """Return the prompt as one text, equal for equal prompts."""
    return json.dumps(asdict(prompt), sort_keys=True, ensure_ascii=False)


def restore_prompt(text: str) -> Prompt:
    """Read what :func:`store_prompt` wrote."""
    return Prompt(**json.loads(text))


def render(
    prompt: Prompt, card: Card, *, guidelines: str = "", boundary: str | None = None
) -> list[Message]:
    """Return the messages of one call, the same for the same card and prompt.

    Slots are filled in a single pass, so a passage that holds ``{query}`` stays as it is.
    Texts of documents stand between lines with a boundary that does not occur in the card.
    """
    fence = boundary or make_boundary(card)
    values = _slot_values(card, guidelines, fence)
    return [
        {"role": "system", "content": _fill(prompt.system, values)},
        {"role": "user", "content": _fill(prompt.user, values)},
    ]


def make_boundary(card: Card) -> str:
    """Return 16 hex digits made from the card's hash that occur nowhere in the card."""
    everything = "\n".join(_texts(card)).lower()
    seed = card_hash(card)
    while True:
        seed = hashlib.sha256(seed.encode()).hexdigest()
        if seed[:16] not in everything:
            return seed[:16]


def looks_like_answer(card: Card) -> bool:
    """Say whether a text of the card seems to dictate a grade, so that a person may look."""
    return any(ANSWER_LIKE.search(text) for text in _texts(card))


def estimate_tokens(messages: list[Message]) -> int:
    """Guess the tokens of a call before it is made: a quarter of its UTF-8 bytes."""
    size = sum(len(message["content"].encode("utf-8", "replace")) for message in messages)
    return -(-size // 4)


def _texts(card: Card) -> tuple[str, ...]:
    return (card.query, card.need, *card.title_path, card.before, card.span, card.after)


def _slot_values(card: Card, guidelines: str, boundary: str) -> dict[str, str]:
    path = " > ".join(card.title_path)
    texts = (card.query, card.need, path, card.before, card.span, card.after)
    parts = dict(zip(LABELS, texts, strict=True))
    fenced = {name: _fence(LABELS[name], parts[name], boundary) for name in LABELS}
    whole = "\n".join(fenced[name] for name in LABELS if parts[name] or name == "span")
    plain = {"query": card.query, "need": card.need, "guidelines": guidelines}
    return fenced | plain | {"card": whole}


def _fence(label: str, text: str, boundary: str) -> str:
    return f"[{label} {boundary}]\n{text}\n[/{label} {boundary}]"


def _fill(template: str, values: dict[str, str]) -> str:
    return SLOT.sub(lambda slot: values[slot.group(1)], template)
