"""Parameters: what may be sent to a judge beside model and messages."""

from collections.abc import Mapping
from typing import Any

from app.errors import Invalid

PARAMETERS = {
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "reasoning_effort",
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that a judge cannot have.

    Raises:
        Invalid: a name is unknown, or a value is no number (reasoning_effort: no text).
    """
    for name, value in parameters.items():
        if name not in PARAMETERS:
            raise Invalid(f"Unknown parameter {name}. Known: {', '.join(sorted(PARAMETERS))}.")
        wanted: Any = str if name == "reasoning_effort" else int | float
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise Invalid(f"The parameter {name} cannot be {value!r}.")
