"""Reports: what an import of grades did, in figures and in words."""

from dataclasses import asdict, dataclass
from typing import Any

from app.assignment.graders import Kind


@dataclass(frozen=True, slots=True)
class GradesReport:
    """What an import of grades took in, or would.

    ``grades`` = ``added`` + ``unchanged`` + ``changed``. ``left_out`` lines are of queries
    the project does not have; ``unknown_documents`` are kept by name.
    """

    grader: str
    kind: Kind
    file_name: str
    grades: int
    queries: int
    by_grade: dict[str, int]
    added: int = 0
    unchanged: int = 0
    changed: int = 0
    repeated: int = 0
    unknown_queries: int = 0
    unknown_documents: int = 0
    left_out: int = 0
    already: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON keys."""
        return asdict(self)

    def explain(self) -> list[str]:
        """Say in words what was done."""
        if self.already:
            return [f"{self.file_name} was imported before; nothing was changed."]
        counts = [
            (self.added, "new"),
            (self.unchanged, "unchanged"),
            (self.changed, "changed"),
            (self.repeated, "repeated lines counted once"),
            (self.unknown_documents, "documents without a text, kept by name"),
            (self.left_out, "lines of unknown queries left out"),
        ]
        parts = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        who = "SME" if self.kind == "sme" else "judge"
        return [
            f"{self.file_name}: {self.grades:,} grades of {who} {self.grader}"
            f" on {self.queries:,} queries; {parts or 'none'}."
        ]
