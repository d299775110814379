"""Stations: the pipeline of a project as it stands, from counts alone."""

from dataclasses import dataclass
from typing import Literal

from app.domain.words import say_count
from app.overview.steps import State

Mark = Literal["done", "now", "waiting", "attention"]


@dataclass(frozen=True, slots=True)
class Station:
    """One station of the pipeline, as `macros/pipeline.html` draws it."""

    name: str
    count: str
    note: str
    state: Mark
    href: str


def list_stations(state: State, path: str) -> list[Station]:
    """Return the pipeline as it stands; ``path`` is the project's address."""
    return [
        Station(name, count, note, mark, path + address)
        for name, count, note, mark, address in (
            ("Corpus", *_corpus(state), "/corpus"),
            ("Queries", *_queries(state), "/queries"),
            ("Runs", *_runs(state), "/runs"),
            ("Pool", *_pool_station(state), "/pool"),
            ("Graded", *_graded(state), "/assign"),
            ("Judge", *_judge_station(state), "/judges"),
            ("Release", *_release_station(state), "/releases"),
            ("Scores", *_scores(state), "/scores"),
        )
    ]


Told = tuple[str, str, Mark]


def _corpus(state: State) -> Told:
    note = "documents" if state.documents else ""
    return _number(state.documents), note, _done(state.documents)


def _queries(state: State) -> Told:
    note = f"{state.unanswerable:,} unanswerable" if state.unanswerable else ""
    return _number(state.queries), note, _done(state.queries)


def _runs(state: State) -> Told:
    if state.runs_failed:
        return _number(state.runs), f"{state.runs_failed:,} failed", "attention"
    if state.runs_open:
        return _number(state.runs), f"{state.runs_open:,} at work", "now"
    return _number(state.runs), "", _done(state.runs)


def _pool_station(state: State) -> Told:
    if state.pool_items is None:
        return "None", "", "waiting"
    if state.unpooled:
        note = f"{say_count(len(state.unpooled), 'run')} outside"
        return f"{state.pool_items:,}", note, "attention"
    return f"{state.pool_items:,}", f"depth {state.pool_depth}", "done"


def _graded(state: State) -> Told:
    imported = f"{state.imported_grades:,} imported" if state.imported_grades else ""
    if not state.blocks:
        return (imported or "None"), "", _done(state.imported_grades)
    if not state.started:
        return "None yet", imported or f"{state.grades_planned:,} by people wanted", "now"
    share = 100 * state.blocks_done // state.blocks
    note = imported or f"of {say_count(state.grades_planned, 'grade')} by people"
    return f"{share} %", note, "done" if state.blocks_done == state.blocks else "now"


def _judge_station(state: State) -> Told:
    if not state.judges:
        return "None", "", "waiting"
    if state.judge_open:
        return "At work", f"{state.judge_open:,} to go", "now"
    if state.gate is None:
        return "Not measured", "", "attention"
    mark: Mark = "done" if state.gate == "trusted" else "attention"
    return state.gate.capitalize(), state.gate_judge, mark


def _release_station(state: State) -> Told:
    if state.release is None:
        return "None", "", "waiting"
    return str(state.release), f"{state.release_labels:,} labels", "done"


def _scores(state: State) -> Told:
    if not state.scored:
        return "None", "", "waiting"
    whole = state.scored >= state.runs
    return f"{state.scored:,}", f"of {say_count(state.runs, 'run')}", "done" if whole else "now"


def _done(count: int) -> Mark:
    return "done" if count else "waiting"


def _number(count: int) -> str:
    return f"{count:,}" if count else "None"
