"""Pages of agreement, as a person meets them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.db import Database, transaction
from app.models import Grader, Project
from tests.agreement.labels import give_pairs, make_judge, make_sample
from tests.clients import Browser, sign_in
from tests.factories import make_grader, make_project


@dataclass
class Place:
    database: Database
    folder: Path
    slug: str
    sme: Grader
    judge: Grader

    @property
    def path(self) -> str:
        return f"/projects/{self.slug}/agreement"

    def browser(self, *roles: str) -> Browser:
        return sign_in(self.database, self.folder, slug=self.slug, roles=roles or ("admin",))

    def give(
        self, pairs: Sequence[tuple[int | None, int | None]], split: str | None = None
    ) -> None:
        with transaction(self.database) as session:
            items = give_pairs(session, pairs, self.sme, self.judge)
            if split is not None:
                make_sample(session, items, split)


@pytest.fixture
def place(database: Database, tmp_path: Path) -> Place:
    with transaction(database) as session:
        project: Project = make_project(session)
        sme, judge = make_grader(session, project), make_judge(session, project)
    return Place(database, tmp_path, project.slug, sme, judge)


def test_without_a_judge_the_page_says_where_judges_are(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        slug = make_project(session).slug

    shown = sign_in(database, tmp_path, slug=slug).get(f"/projects/{slug}/agreement").text

    assert "No judge yet" in shown
    assert f'href="/projects/{slug}/judges"' in shown


def test_nothing_is_shown_of_a_test_before_somebody_looks(place: Place) -> None:
    place.give([(3, 0)])

    shown = place.browser().get(place.path).text

    assert "Nobody has looked at judge-a yet" in shown
    assert "How long may a customer" not in shown


def test_a_look_shows_the_verdict_first_and_every_reason(place: Place) -> None:
    place.give([(0, 0)] * 5)
    browser = place.browser()

    answer = browser.post(place.path, data={"judge": "judge-a"})
    shown = browser.get(answer.headers["location"]).text

    assert answer.status_code == 303
    assert "Not enough labels" in shown
    assert "5 pairs; 100 are needed." in shown
    assert "undefined" in shown  # V-061, V-065
    assert "nan" not in shown.lower().replace("finance", "")
    assert "unweighted" in shown
    assert shown.index("Not enough labels") < shown.index("Against the gate")


def test_agreement_is_shown_beside_both_distributions_and_the_baseline(  # V-064
    place: Place,
) -> None:
    place.give([(1, 1)] * 95 + [(1, 0), (1, 0), (1, 0), (0, 1), (0, 1)])
    browser = place.browser()
    browser.post(place.path, data={"judge": "judge-a"})

    shown = browser.get(place.path).text

    for figure in ("-0.025", "0.950", "0.980", ">98<", ">97<"):
        assert figure in shown


def test_an_empty_dev_offers_no_look(place: Place) -> None:
    place.give([(1, 1), (0, 0)], "test")

    shown = place.browser().get(f"{place.path}?split=dev").text

    assert "The dev labels are empty" in shown
    assert "Measure on dev" not in shown


def test_dev_is_looked_at_apart_from_test(place: Place) -> None:
    place.give([(1, 1), (0, 0)], "dev")
    place.give([(1, 0)], "test")
    browser = place.browser()

    answer = browser.post(place.path, data={"judge": "judge-a", "split": "dev"})
    shown = browser.get(answer.headers["location"]).text

    assert "on the dev labels" in shown
    assert "2 pairs of 1 query" in shown
    assert "Nobody has looked" in browser.get(place.path).text


def test_a_viewer_reads_and_may_not_look(place: Place) -> None:
    place.give([(1, 1)])
    browser = place.browser("viewer")

    assert browser.get(place.path).status_code == 200
    assert browser.post(place.path, data={"judge": "judge-a"}).status_code == 403


def test_a_grader_sees_nothing_of_it(place: Place) -> None:
    assert place.browser("sme").get(place.path).status_code == 403


def test_an_unknown_judge_is_not_there(place: Place) -> None:
    assert place.browser().get(f"{place.path}?judge=nobody").status_code == 404


def test_texts_are_shown_as_they_are(place: Place) -> None:  # V-083
    with transaction(place.database) as session:
        place.judge = make_judge(
            session, session.get_one(Project, place.sme.project_id), "<b>x"
        )
    place.give([(3, 0)])
    browser = place.browser()
    browser.post(place.path, data={"judge": "<b>x"})

    shown = browser.get(place.path, params={"judge": "<b>x"}).text

    assert "&lt;b&gt;x" in shown
    assert "<b>x" not in shown
