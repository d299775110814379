"""Much at once: graders, a judge, exports and slow clients, and a disk that is full."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.assignment.service import JudgeGrade
from app.db import Database, transaction
from app.main import create_app
from app.models import GradeEvent, Grader, Item, Slot
from app.projects import service as projects
from app.releases import service as releases
from app.settings import Settings
from app.web.security import SESSION, form_token
from app.web.streaming import Attachment
from tests.assignment.desk import Desk, give, make_desk
from tests.browser.site import serve
from tests.clients import sign_in
from tests.databases import sqlite_database
from tests.factories import make_document, make_grader, make_item, make_query

RATERS = 8
GRADES = 20  # of each; 200, and 500 of the judge, hold too but take minutes
JUDGED = 100


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    with sqlite_database(tmp_path) as fresh:
        yield fresh


def count_grades(database: Database) -> int:
    with transaction(database, write=False) as session:
        return session.scalars(select(func.count()).select_from(GradeEvent)).one()


def grade_many(database: Database, grader: Grader, wanted: int) -> int:
    """Read a card, then write its grade, each in a transaction of its own."""
    done = 0
    while done < wanted:
        with transaction(database) as session:
            view = assignment.next_slot(session, project_id=grader.project_id, grader=grader)
        assert view is not None
        with transaction(database) as session:
            give(session, grader, view, done % 4, key=f"{grader.id}.{done}")
        done += 1
    return done


def judge_many(database: Database, judge: Grader, item_ids: list[int]) -> int:
    """Write grades of a judge, ten a transaction."""
    for start in range(0, len(item_ids), 10):
        with transaction(database) as session:
            cards = assignment.cards_of(session, item_ids[start : start + 10])
            rows = [
                JudgeGrade(
                    item_id,
                    1,
                    None,
                    card.card_hash,
                    card.query_version_id,
                    card.document_version_id,
                )
                for item_id, card in cards.items()
            ]
            assignment.write_judge_grades(session, grader=judge, rows=rows)
    return len(item_ids)


def export_often(database: Database, desk: Desk, until: threading.Event) -> int:
    """Read a release again and again; every copy has the same bytes."""
    sizes = set()
    while not until.is_set():
        with transaction(database, write=False) as session:
            sizes.add(sum(map(len, releases.export(session, desk.project, 1, form="csv"))))
        time.sleep(0.02)
    return len(sizes)


def test_v095_raters_a_judge_and_an_export_at_once_on_sqlite(sqlite: Database) -> None:
    with transaction(sqlite) as session:
        desk = make_desk(session, queries=RATERS, items=GRADES)
        project = desk.project
        people = [make_grader(session, project, f"sme {n}") for n in range(RATERS)]
        judge = assignment.add_grader(session, project.id, kind="judge", name="j")
        assignment.write_judge_grades(session, grader=judge, rows=[])
        done = make_item(session, make_query(session, project), make_document(session, project))
        give_directly(session, done, people[0])
        releases.cut_release(session, project)
        ids = [item.id for item in desk.items[:JUDGED]]
    before, until = count_grades(sqlite), threading.Event()

    with ThreadPoolExecutor(RATERS + 2) as pool:
        reading = pool.submit(export_often, sqlite, desk, until)
        rating = [pool.submit(grade_many, sqlite, one, GRADES) for one in people]
        judging = pool.submit(judge_many, sqlite, judge, ids)
        written = [one.result() for one in (*rating, judging)]
        until.set()
        assert reading.result() == 1

    assert written == [GRADES] * RATERS + [JUDGED]
    assert count_grades(sqlite) - before == RATERS * GRADES + JUDGED


def give_directly(session: Session, item: Item, grader: Grader) -> None:
    """Add a grade that no queue asked for, so that there is something to release."""
    card = assignment.card_of(session, item.id)
    session.add(
        GradeEvent(
            slot_id=None,
            slot_kind="imported",
            item_id=item.id,
            grader_id=grader.id,
            value=2,
            query_version_id=card.query_version_id,
            document_version_id=card.document_version_id,
        )
    )
    session.flush()


def rate_over_http(base: str, slug: str, token: str, cards: int) -> list[float]:
    """Grade cards as a browser without scripts does; return how long each answer took."""
    line = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
    headers = {
        "Cookie": f"{SESSION}={token}",
        "Origin": base,
        "X-CSRF-Token": form_token(token),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    took: list[float] = []
    path = f"/projects/{slug}/grade/start"
    body = ""
    for number in range(cards + 1):
        begun = time.monotonic()
        line.request("POST", path, body=body, headers=headers)
        answer = line.getresponse()
        answer.read()
        took.append(time.monotonic() - begun)
        assert answer.status == 303, answer.status
        where = answer.headers["location"]
        line.request("GET", where, headers=headers)
        shown = line.getresponse()
        text = shown.read().decode()
        assert shown.status == 200, text[-500:]
        if number < cards:
            seen = text.split('name="seen" value="')[1].split('"')[0]
            path, body = where, f"value=2&key={number}-{token[:8]}&seen={seen}"
    line.close()
    return took


def test_v096_slow_downloads_and_clients_that_vanish_leave_raters_alone(
    sqlite: Database, tmp_path: Path
) -> None:
    raters, cards = 10, 5
    with transaction(sqlite) as session:
        desk = make_desk(session, queries=raters, items=cards + 1)
        slug = desk.project.slug
        grader = make_grader(session, desk.project)
        for _ in range(300):
            document = make_document(session, desk.project, doc_id=f"long {'x' * 4000} {_}")
            give_directly(
                session, make_item(session, make_query(session, desk.project), document), grader
            )
        releases.cut_release(session, desk.project)
    tokens = [
        sign_in(
            sqlite, tmp_path, name=f"r{n}", slug=slug, roles=("sme", "viewer")
        ).client.cookies.get(SESSION)
        for n in range(raters)
    ]

    with serve(sqlite, tmp_path) as site, ExitStack() as kept:
        for _ in range(20):
            kept.enter_context(begin_download(site.base, slug, tokens[0] or ""))
        with ThreadPoolExecutor(raters) as pool:
            work = [
                pool.submit(rate_over_http, site.base, slug, t or "", cards) for t in tokens
            ]
            took = sorted(second for one in work for second in one.result())
        assert took[int(len(took) * 0.95)] < 15
        assert sqlite.reader.pool.checkedout() <= 1  # type: ignore[attr-defined]

    assert count_grades(sqlite) == 300 + raters * cards


def begin_download(base: str, slug: str, token: str) -> socket.socket:
    """Ask for a file of more than a megabyte and read only how it begins."""
    place = urlsplit(base)
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(60)
    line.connect((place.hostname, place.port))
    path = f"/projects/{slug}/releases/1/download?form=csv"
    asked = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {SESSION}={token}\r\n\r\n"
    line.sendall(asked.encode())
    assert b"200 OK" in line.recv(1024)
    return line


def test_a_download_that_fails_half_way_is_a_refusal_and_not_half_a_file(
    sqlite: Database, tmp_path: Path
) -> None:
    def make(session: Session) -> Iterator[bytes]:
        yield b"first"
        raise RuntimeError("the second block cannot be made")

    app = create_app(Settings(data_dir=tmp_path), sqlite)
    app.add_api_route(
        "/broken", lambda: Attachment(sqlite, make, name="x.csv", kind="text/csv")
    )
    answer = TestClient(app, raise_server_exceptions=False).get("/broken")

    assert answer.status_code == 500
    assert "first" not in answer.text


def limit_pages(database: Database, pages: Callable[[], int]) -> None:
    """Let the file grow no further, as a full disk does."""

    def apply(connection: object, _record: object, _proxy: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages()}")  # type: ignore[attr-defined]

    event.listen(database.writer, "checkout", apply)


def test_v099_a_full_disk_is_said_and_loses_nothing(sqlite: Database, tmp_path: Path) -> None:
    with transaction(sqlite) as session:
        desk = make_desk(session, queries=1, items=30)
        slug = desk.project.slug
    sme = sign_in(sqlite, tmp_path, slug=slug, roles=("sme", "admin"))
    full = [2**30]
    limit_pages(sqlite, lambda: full[0])
    assert sme.post(f"/projects/{slug}/grade/start").status_code == 303
    stored, refused = 0, 0

    for number in range(25):
        if number == 2:
            full[0] = 1  # means: no more than there is
        status = grade_next(sqlite, sme, slug, number)
        stored, refused = stored + (status == 303), refused + (status == 503)
    assert stored + refused == 25
    assert refused > 0
    assert count_grades(sqlite) == stored
    full[0] = 2**30

    assert grade_next(sqlite, sme, slug, 99) == 303
    assert count_grades(sqlite) == stored + 1
    with sqlite.reader.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def grade_next(database: Database, sme: object, slug: str, number: int) -> int:
    """Grade the first open card with a long note; return the status of the answer."""
    with transaction(database, write=False) as session:
        token = session.scalars(
            select(Slot.token).where(Slot.state == "open").order_by(Slot.id).limit(1)
        ).one()
        project = projects.project_by_slug(session, slug)
        (grader,) = assignment.list_graders(session, project.id, "sme")
        seen = assignment.slot_view(session, grader=grader, token=token).card_hash
    data = {"value": "1", "key": f"k{number}", "seen": seen, "note": "n" * 4000}
    sent = sme.post(f"/projects/{slug}/grade/cards/{token}", data=data)  # type: ignore[attr-defined]
    return int(sent.status_code)
