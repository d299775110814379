"""Words: numbers beside what they count, as people write them."""

from collections.abc import Sequence


def say_count(number: int, thing: str) -> str:
    """Return "1 pair", "2 queries", "1,509 grades" of a thing named in the singular."""
    return f"{number:,} {say_thing(number, thing)}"


def say_thing(number: int, thing: str) -> str:
    """Return the form of a thing, named in the singular, that stands beside a number."""
    return thing if number == 1 else make_plural(thing)


def make_plural(thing: str) -> str:
    """Return the plural of a regular noun: pairs, queries, passes."""
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(("s", "x", "ch", "sh")) else f"{thing}s"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return "a", "a and b" or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
