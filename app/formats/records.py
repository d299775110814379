"""Records: one JSON object a line, read strictly and written the same way every time."""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import NoReturn

from app.formats.checks import BadRow

Record = dict[str, object]

SEPARATORS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def _refuse_constant(name: str) -> NoReturn:
    raise BadRow(f"{name} is not JSON; write a number or leave the key out")


def _refuse_repeated_keys(pairs: list[tuple[str, object]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadRow(f"the key {twice!r} is there twice in one object; keep one")
    return record


_decoder = json.JSONDecoder(
    parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated_keys
)


def parse_json(text: str) -> object:
    """Read one JSON value; NaN, Infinity and repeated keys are refused.

    Raises:
        BadRow: where it is not JSON, with the column.
    """
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise BadRow(
            f"not JSON at column {error.colno}: {error.msg}; the line may be cut off"
        ) from error
    except RecursionError:
        raise BadRow("the JSON is nested too deep") from None
    except ValueError:
        raise BadRow("the JSON holds a number of more than 4,300 digits") from None


def parse_record(text: str, known: Collection[str], remedy: str = "") -> Record:
    """Read one JSON object with no other keys than the known ones.

    Raises:
        BadRow: where it is no object, or has an unknown key (named, with the known ones).
    """
    record = parse_json(text)
    if not isinstance(record, dict):
        raise BadRow("the line is JSON, but no object {...}")
    unknown = [key for key in record if key not in known]
    if unknown:
        names = ", ".join(map(repr, unknown))
        raise BadRow(f"unknown key {names}; known are {', '.join(known)}{remedy}")
    return record


def drop_blank(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Leave out the lines that hold nothing but blanks and tabs; they are no rows."""
    return ((line, text) for line, text in lines if text.strip(" \t\r\n"))


def write_json(value: object) -> str:
    """Write one JSON value on one line, characters as they are, keys in the order given.

    Only the three separators at which careless readers split lines are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.translate(SEPARATORS)
