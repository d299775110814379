"""Pages and downloads of releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from app.db import Database, transaction
from app.models import Project
from app.web.streaming import Attachment
from tests.agreement.labels import give, give_pairs, make_items, make_judge
from tests.clients import Browser, sign_in
from tests.factories import make_document, make_grader, make_item, make_project, make_query


@dataclass
class Place:
    database: Database
    folder: Path
    slug: str

    @property
    def path(self) -> str:
        return f"/projects/{self.slug}/releases"

    def browser(self, *roles: str) -> Browser:
        return sign_in(self.database, self.folder, slug=self.slug, roles=roles or ("admin",))

    def project(self, session: Session) -> Project:
        return session.query(Project).filter_by(slug=self.slug).one()


@pytest.fixture
def place(database: Database, tmp_path: Path) -> Place:
    with transaction(database) as session:
        slug = make_project(session).slug
    return Place(database, tmp_path, slug)


def grade(place: Place, pairs: Sequence[tuple[int | None, int | None]]) -> None:
    with transaction(place.database) as session:
        project = place.project(session)
        give_pairs(session, pairs, make_grader(session, project), make_judge(session, project))


def test_without_labels_the_page_says_what_to_do(place: Place) -> None:
    browser = place.browser()

    assert "No release yet" in browser.get(place.path).text
    assert "Nothing is labelled yet" in browser.get(f"{place.path}/new").text
    assert browser.post(place.path, data={"number": "1"}).status_code == 409


def test_a_release_is_cut_once_however_often_the_button_is_pressed(place: Place) -> None:
    grade(place, [(3, None), (0, None)])
    browser = place.browser()

    first = browser.post(place.path, data={"number": "1", "note": "first"})
    again = browser.post(place.path, data={"number": "1", "note": "first"})

    assert (first.status_code, first.headers["location"]) == (303, f"{place.path}/1")
    assert again.headers["location"] == f"{place.path}/1"
    assert browser.get(f"{place.path}/2").status_code == 404
    shown = browser.get(f"{place.path}/1").text
    assert "SMEs&#39; consensus" in shown
    assert "first" in browser.get(place.path).text


def test_what_stays_out_is_said_before_and_an_override_is_shown_after(place: Place) -> None:
    grade(place, [(3, 3), (None, 2)])
    browser = place.browser()

    assert "1 that only a judge graded" in browser.get(f"{place.path}/new").text
    refused = browser.post(place.path, data={"number": "1", "override": "judge-a"})
    browser.post(
        place.path, data={"number": "1", "override": "judge-a", "reason": "only a pilot"}
    )

    assert refused.status_code == 422
    shown = browser.get(f"{place.path}/1").text
    assert "Judge, by override" in shown
    assert "By an admin: only a pilot" in shown


def test_a_download_is_an_attachment_with_release_and_source_in_its_name(place: Place) -> None:
    grade(place, [(3, None), (0, None)])
    browser = place.browser("admin", "viewer")
    browser.post(place.path, data={"number": "1"})

    got = browser.get(f"{place.path}/1/download?form=trec&source=human")

    name = f"{place.slug}-release-1-human.trec"
    assert got.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert [line.split()[-1] for line in got.text.splitlines()] == ["3", "0"]
    assert browser.get(f"{place.path}/1/download?form=parquet").status_code == 422


def test_ids_that_do_not_fit_are_refused_before_the_download(place: Place) -> None:
    with transaction(place.database) as session:
        project = place.project(session)
        version = make_document(session, project, doc_id="a b")
        item = make_item(session, make_query(session, project), version)
        give(session, item, make_grader(session, project), 2)
    browser = place.browser()
    browser.post(place.path, data={"number": "1"})

    refused = browser.get(f"{place.path}/1/download?form=trec")

    assert refused.status_code == 422
    assert "&#39;a b&#39;" in refused.text
    assert "a%20b 2" in browser.get(f"{place.path}/1/download?form=trec&escape=true").text
    assert "a b" in browser.get(f"{place.path}/1").text


def test_a_viewer_reads_and_downloads_but_may_not_cut(place: Place) -> None:
    grade(place, [(3, None)])
    place.browser().post(place.path, data={"number": "1"})
    browser = place.browser("viewer")

    assert browser.get(f"{place.path}/1/download?form=csv").status_code == 200
    assert browser.get(f"{place.path}/new").status_code == 403
    assert browser.post(place.path, data={"number": "2"}).status_code == 403
    assert place.browser("sme").get(place.path).status_code == 403


@pytest.mark.anyio
async def test_a_client_that_goes_away_leaves_no_connection_taken(  # V-079
    place: Place, anyio_backend: str
) -> None:
    def make(session: Session) -> Iterator[bytes]:
        session.connection()
        for _ in range(10_000):
            yield b"x" * 1000

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        sent.append(message)
        if len(sent) > 5:
            raise OSError("the client went away")

    sent: list[object] = []
    answer = Attachment(place.database, make, name="x", kind="text/plain")
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever the server raises
        await answer({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)

    assert place.database.reader.pool.checkedout() == 0  # type: ignore[attr-defined]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_many_labels_are_read_query_by_query(place: Place) -> None:
    with transaction(place.database) as session:
        project = place.project(session)
        sme = make_grader(session, project)
        for _ in range(12):
            for item in make_items(session, project, 3):
                give(session, item, sme, 1)
    browser = place.browser()
    browser.post(place.path, data={"number": "1"})

    assert len(browser.get(f"{place.path}/1/download?form=csv").text.splitlines()) == 37
