"""Scale: the four grades, and how codes of other scales become them."""

from collections.abc import Mapping
from enum import IntEnum

from app.errors import Invalid


class Grade(IntEnum):
    """How well a passage answers the need of a query."""

    IRRELEVANT = 0
    TANGENTIAL = 1
    PARTIAL = 2
    COMPLETE = 3

    @property
    def word(self) -> str:
        """The grade as a person reads it: "Irrelevant" to "Complete"."""
        return self.name.capitalize()


GRADES = (0, 1, 2, 3)
_BY_TEXT = {str(grade): grade for grade in GRADES}


def parse_mapping(text: str) -> dict[str, int]:
    """Read ``4=3,3=2,-1=0`` as source code (opaque text) to grade.

    Raises:
        Invalid: a part is not CODE=GRADE, a code comes twice, or a grade is not 0 to 3.
    """
    mapping: dict[str, int] = {}
    for part in text.split(","):
        code, grade = _parse_pair(part)
        if code in mapping:
            raise Invalid(f"The mapping names the code {code} twice. Name each code once.")
        mapping[code] = grade
    return mapping


def _parse_pair(part: str) -> tuple[str, int]:
    code, equals, target = (piece.strip() for piece in part.rpartition("="))
    if not equals or not code:
        raise Invalid(
            f"“{part}” is not of the form CODE=GRADE. Write for example 4=3,3=2,-1=0."
        )
    if target not in _BY_TEXT:
        raise Invalid(f"“{part}” maps to “{target}”, but grades are 0, 1, 2 and 3.")
    return code, _BY_TEXT[target]


def read_grade(text: str, mapping: Mapping[str, int] | None = None) -> int | None:
    """Read a grade as files write it; None if the text is no grade.

    Without a mapping only ``0``, ``1``, ``2`` and ``3`` are grades: not ``2.0``, ``02``
    or ``two``. A mapping comes first; a code it does not name is read as without it.
    """
    if mapping is not None and text in mapping:
        return mapping[text]
    return _BY_TEXT.get(text)
