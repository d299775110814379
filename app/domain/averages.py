"""Averages: means over values of which some are missing, with the number they rest on."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over ``n`` of ``of`` values; ``mean`` is None where n is 0."""

    mean: float | None
    n: int
    of: int

    @property
    def missing(self) -> int:
        """Count the values that were not there."""
        return self.of - self.n


def average(values: Iterable[float | None]) -> Average:
    """Return the mean of the values that exist.

    None, NaN and infinities are missing: they are counted, and never take part.
    """
    everything = list(values)
    present = [value for value in everything if value is not None and math.isfinite(value)]
    mean = math.fsum(present) / len(present) if present else None
    return Average(mean, len(present), len(everything))
