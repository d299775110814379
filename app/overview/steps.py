"""Steps: the one next thing to do in a project, from counts alone."""

from dataclasses import dataclass

from app.domain.assignment import SECONDS_PER_GRADE
from app.domain.words import say_count


@dataclass(frozen=True, slots=True)
class State:
    """Counts of a project, all cheap to get; a run is counted once it is finished."""

    documents: int = 0
    queries: int = 0
    unanswerable: int = 0
    runs: int = 0
    runs_open: int = 0
    runs_failed: int = 0
    unpooled: tuple[str, ...] = ()
    pool_items: int | None = None
    pool_gradable: int = 0
    pool_depth: int = 0
    blocks: int = 0
    blocks_done: int = 0
    grades_planned: int = 0
    started: bool = False
    """Somebody has begun to grade what was planned."""
    imported_grades: int = 0
    people: int = 0
    judges: int = 0
    judge_open: int = 0
    gate: str | None = None
    gate_judge: str = ""
    gate_missing: str = ""
    release: int | None = None
    release_labels: int = 0
    scored: int = 0

    @property
    def grades_wanted(self) -> int:
        """Estimate the planned grades still to come, by the mean size of blocks."""
        if not self.blocks:
            return 0
        return round(self.grades_planned * (self.blocks - self.blocks_done) / self.blocks)

    @property
    def has_grades(self) -> bool:
        return bool(self.blocks_done or self.imported_grades)


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: a sentence, what it costs, the word on the button, where it leads."""

    sentence: str
    price: str
    action: str
    address: str


def next_step(state: State) -> Step:
    """Return the first thing that is missing, in the order of the pipeline."""
    for look in (_gather, _pool, _grade, _judge, _release):
        found = look(state)
        if found is not None:
            return found
    if state.blocks > state.blocks_done:
        return _go_on(state)
    return Step(
        f"Every run is scored with release {state.release}.",
        "A new retriever starts the circle again: only what it finds anew is graded.",
        "Read the scores",
        "/scores",
    )


def _gather(state: State) -> Step | None:
    if not state.documents:
        return Step(
            "Bring the documents that answers are to be found in.",
            "A file of JSON lines, one document a line.",
            "Import a corpus",
            "/corpus/import",
        )
    if not state.queries:
        return Step(
            "Bring the questions, each with what makes an answer complete.",
            "A file of JSON lines, or a table.",
            "Import queries",
            "/queries/import",
        )
    if not state.runs and state.runs_open:
        return Step(
            f"{say_count(state.runs_open, 'run')} at work.", "", "Watch the retrieval", "/runs"
        )
    if not state.runs:
        return Step(
            "Let retrievers answer the questions, or import what yours found.",
            "The built-in ones take seconds to minutes, and no key.",
            "Go to runs",
            "/runs",
        )
    return None


def _pool(state: State) -> Step | None:
    if state.pool_items is None:
        return Step(
            f"Pool the top of {say_count(state.runs, 'run')}, near-duplicates folded.",
            "It takes seconds; nothing is graded yet.",
            "Build the pool",
            "/pool",
        )
    if state.unpooled:
        names = ", ".join(state.unpooled[:3]) + (" ..." if len(state.unpooled) > 3 else "")
        return Step(
            f"{say_count(len(state.unpooled), 'run')} not in the pool yet: {names}.",
            "Only what they find anew has to be graded.",
            "Extend the pool",
            "/pool",
        )
    return None


def _grade(state: State) -> Step | None:
    if not state.blocks and not state.imported_grades and state.release is None:
        return Step(
            f"Plan who grades the {say_count(state.pool_gradable, 'passage')} of the pool.",
            f"All of them by one person: {say_duration(state.pool_gradable)}. "
            "A sample by people and the rest by a judge takes less.",
            "Plan the grading",
            "/assign",
        )
    if state.blocks > state.blocks_done and not state.people:
        return Step(
            "The grading is planned, and nobody is there to grade.",
            f"{say_duration(state.grades_wanted).capitalize()} of reading in all.",
            "Invite graders",
            "/people",
        )
    if state.blocks > state.blocks_done and state.gate is None and not state.judge_open:
        return _go_on(state)
    return None


def _go_on(state: State) -> Step:
    return Step(
        say_wanted(state),
        f"{say_duration(state.grades_wanted).capitalize()} of reading, "
        f"shared by {say_count(state.people, 'grader')}.",
        "See who grades",
        "/assign",
    )


def _judge(state: State) -> Step | None:
    if state.judge_open:
        return Step(
            f"A judge is at work on {say_count(state.judge_open, 'passage')}.",
            "",
            "Watch the judge",
            "/judges",
        )
    if not state.has_grades or not state.judges:
        return None
    if state.gate is None:
        return Step(
            "See how far the judge agrees with people, before its labels count.",
            "Each look at the test split is written down.",
            "Measure agreement",
            "/agreement",
        )
    if state.gate == "not enough labels" and state.release is None and state.gate_missing:
        return Step(
            f"{state.gate_judge} cannot be trusted or refused yet: {state.gate_missing}.",
            "More grades by people decide it.",
            "See what is missing",
            "/agreement",
        )
    return None


def _release(state: State) -> Step | None:
    if state.release is None:
        return Step(
            "Freeze the labels there are into a numbered release.",
            "It never changes afterwards; a later one may hold more.",
            "Cut a release",
            "/releases",
        )
    if state.scored < state.runs:
        waiting = state.runs - state.scored
        return Step(
            f"Score {say_count(waiting, 'run')} with release {state.release}.",
            "It takes seconds.",
            "Go to scores",
            "/scores",
        )
    return None


def say_wanted(state: State) -> str:
    """Say how many grades people were asked for, and how many are still to come."""
    be = "is" if state.grades_planned == 1 else "are"
    wanted = f"{say_count(state.grades_planned, 'grade')} by people {be} wanted"
    if not state.started:
        return f"{wanted}; none is in yet."
    left = max(1, state.grades_wanted)
    return f"{wanted}; about {left:,} {'is' if left == 1 else 'are'} still to come."


def say_duration(grades: int) -> str:
    """Say how long that many grades take, at 20 seconds each."""
    minutes = grades * SECONDS_PER_GRADE / 60
    if minutes < 90:
        return f"about {max(1, round(minutes))} minutes"
    return f"about {round(minutes / 60):,} hours"
