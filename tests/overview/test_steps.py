"""The one next thing to do, as a table."""

from dataclasses import replace

import pytest

from app.overview.stations import list_stations
from app.overview.steps import State, next_step

CORPUS = State(documents=412)
QUERIES = replace(CORPUS, queries=60, unanswerable=8)
RUNS = replace(QUERIES, runs=4)
POOL = replace(RUNS, pool_items=2318, pool_gradable=2300, pool_depth=20)
PLANNED = replace(POOL, blocks=120, grades_planned=1509, people=2)
GRADED = replace(PLANNED, blocks_done=120, started=True)
JUDGE = replace(GRADED, judges=1)
UNDECIDED = replace(
    JUDGE, gate="not enough labels", gate_judge="small-judge", gate_missing="38 pairs more"
)
RELEASED = replace(GRADED, release=1, release_labels=2300)


@pytest.mark.parametrize(
    ("state", "action", "address"),
    [
        pytest.param(State(), "Import a corpus", "/corpus/import", id="nothing"),
        pytest.param(CORPUS, "Import queries", "/queries/import", id="corpus only"),
        pytest.param(QUERIES, "Go to runs", "/runs", id="nothing retrieved"),
        pytest.param(
            replace(QUERIES, runs_open=3), "Watch the retrieval", "/runs", id="retrieving"
        ),
        pytest.param(RUNS, "Build the pool", "/pool", id="no pool"),
        pytest.param(
            replace(POOL, unpooled=("new",)), "Extend the pool", "/pool", id="a new run"
        ),
        pytest.param(POOL, "Plan the grading", "/assign", id="nobody asked"),
        pytest.param(
            replace(PLANNED, people=0), "Invite graders", "/people", id="nobody there"
        ),
        pytest.param(PLANNED, "See who grades", "/assign", id="grading"),
        pytest.param(
            replace(PLANNED, judge_open=900), "Watch the judge", "/judges", id="judging"
        ),
        pytest.param(JUDGE, "Measure agreement", "/agreement", id="judge not measured"),
        pytest.param(UNDECIDED, "See what is missing", "/agreement", id="gate undecided"),
        pytest.param(
            replace(JUDGE, gate="not trusted"), "Cut a release", "/releases", id="not trusted"
        ),
        pytest.param(GRADED, "Cut a release", "/releases", id="graded"),
        pytest.param(
            replace(POOL, imported_grades=9000), "Cut a release", "/releases", id="imported"
        ),
        pytest.param(RELEASED, "Go to scores", "/scores", id="not scored"),
        pytest.param(
            replace(RELEASED, scored=4), "Read the scores", "/scores", id="everything done"
        ),
    ],
)
def test_the_next_step_is_the_first_thing_missing(
    state: State, action: str, address: str
) -> None:
    step = next_step(state)

    assert (step.action, step.address) == (action, address)
    assert step.sentence.endswith((".", "..."))


def test_the_price_of_grading_is_named_in_hours_of_reading() -> None:
    assert next_step(POOL).price.startswith("All of them by one person: about 13 hours.")


def test_grades_are_counted_in_the_words_of_people() -> None:
    begun = replace(PLANNED, blocks_done=60, started=True)

    assert next_step(PLANNED).sentence == ("1,509 grades by people are wanted; none is in yet.")
    assert next_step(begun).sentence == (
        "1,509 grades by people are wanted; about 754 are still to come."
    )
    assert list_stations(PLANNED, "")[4].count == "None yet"
    assert list_stations(PLANNED, "")[4].note == "1,509 by people wanted"
    assert list_stations(begun, "")[4].note == "of 1,509 grades by people"


def test_the_missing_labels_are_named() -> None:
    assert "38 pairs more" in next_step(UNDECIDED).sentence


def test_the_stations_say_where_the_project_stands() -> None:
    stations = list_stations(replace(UNDECIDED, blocks_done=85), "/projects/shop")

    assert [(each.name, each.count, each.state) for each in stations] == [
        ("Corpus", "412", "done"),
        ("Queries", "60", "done"),
        ("Runs", "4", "done"),
        ("Pool", "2,318", "done"),
        ("Graded", "70 %", "now"),
        ("Judge", "Not enough labels", "attention"),
        ("Release", "None", "waiting"),
        ("Scores", "None", "waiting"),
    ]
    assert stations[3].href == "/projects/shop/pool"


def test_an_empty_project_waits_everywhere() -> None:
    assert {each.state for each in list_stations(State(), "/projects/shop")} == {"waiting"}
