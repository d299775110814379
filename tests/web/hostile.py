"""Hostile: a project in which every text that comes from outside tries to run as a script."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts import service as accounts
from app.agreement import service as agreement
from app.assignment import service as assignment
from app.assignment.service import JudgeGrade
from app.db import Database, transaction
from app.evaluation import service as evaluation
from app.judging import service as judging
from app.judging.prompts import Prompt
from app.judging.service import Wish
from app.main import create_app
from app.models import Attempt, Grader, Import, Item, Project, Slot, User
from app.pooling import service as pooling
from app.projects import service as projects
from app.releases import service as releases
from app.releases.service import Override
from app.retrieval import service as retrieval
from app.settings import Settings
from tests.clients import BASE, Browser

SLUG = "hostile"
PATH = f"/projects/{SLUG}"
IMAGE = "<img src=x onerror=document.title='XSS'>"
VECTOR = "\"><svg onload=document.title='XSS'>"
SCRIPT = "</script><script>document.title='XSS'</script>"
SUM = "tpl{{7*7}}lpt"
TEXT = f"{IMAGE}{VECTOR}{SCRIPT}{SUM}"
RAW = ("<img src=x", "<svg onload", "</script><script>document", "tpl49lpt")
ID = TEXT.replace(" ", "\u00a0")  # an id holds no blank
ENDPOINT = "https://judge.example.org/v1"


@dataclass(frozen=True, slots=True)
class World:
    """The project, its people's sessions, and an address for every template of a route."""

    database: Database
    folder: Path
    tokens: dict[str, str]
    examples: dict[str, list[str]]

    def enter(self, name: str | None) -> Browser:
        """Return the browser of admin, viewer, adjudicator, sme, stranger; None is nobody."""
        settings = Settings(data_dir=self.folder, public_url=BASE)
        client = TestClient(
            create_app(settings, self.database),
            base_url=BASE,
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        return Browser(client, self.tokens[name] if name else None)


def build_world(database: Database, folder: Path) -> World:
    """Fill a project through its doors: uploads, then every room after the other."""
    with transaction(database) as session:
        tokens = _add_people(session)
    world = World(database, folder, tokens, {})
    _upload(world)
    with transaction(database) as session:
        project = projects.project_by_slug(session, SLUG)
        _fill(session, project, session.scalars(select(User).order_by(User.id)).first())
    world.examples.update(_list_examples(database))
    return world


def _add_people(session: Session) -> dict[str, str]:
    project = projects.create_project(session, SLUG, name=TEXT)
    tokens = {}
    for role in ("admin", "viewer", "adjudicator", "sme", "stranger"):
        user = accounts.add_user(session, f"{role}@example.org", name=f"{role} {TEXT}")
        if role != "stranger":
            projects.set_roles(session, project, user, {role})
        tokens[role] = accounts.open_session(session, user)
    projects.change_guideline(session, project.id, TEXT)
    return tokens


def _upload(world: World) -> None:
    admin = world.enter("admin")
    documents = [
        {"_id": name, "title": TEXT, "text": f"{TEXT} {name}", "metadata": {"topic": TEXT}}
        for name in (ID, "d2", "d3")
    ]
    queries = [
        {"query_id": name, "text": f"{TEXT} {name}", "need": TEXT, "tags": {"topic": TEXT}}
        for name in (ID, "q2")
    ]
    run = f"{ID} Q0 {ID} 1 9 r\n{ID} Q0 d2 2 8 r\nq2 Q0 d2 1 9 r\nq2 Q0 d3 2 8 r\n"
    for room, rows in (("corpus", documents), ("queries", queries)):
        bad = dict.fromkeys(rows[0], 1) | {TEXT: TEXT}
        text = "\n".join(map(json.dumps, [*rows, bad]))
        _send(admin, room, text, skip_bad="true")
    _send(admin, "runs", run, name=TEXT, format="trec")


def _send(browser: Browser, room: str, text: str, **fields: str) -> None:
    path, files = f"{PATH}/{room}/import", {"file": (f"{TEXT}.jsonl", text.encode())}
    checked = browser.post(path, files=files, data={"step": "check", **fields})
    assert checked.status_code == 200, checked.text
    assert not any(raw in checked.text for raw in RAW)
    taken = browser.post(path, files=files, data={"step": "import", **fields})
    assert taken.status_code == 303, taken.text


def _fill(session: Session, project: Project, admin: User | None) -> None:
    assert admin is not None
    pooling.build(session, project, depth=20, by=admin.id)
    assignment.make_plan(session, project, sample_size=4, seats=1, seed=1, rest="judge")
    sme = session.scalars(select(User).where(User.email == "sme@example.org")).one()
    grader = assignment.grader_of(session, project_id=project.id, user=sme)
    _grade_some(session, grader)
    judge = judging.add_judge(
        session,
        project,
        Wish(name=TEXT[:60], endpoint=ENDPOINT, model=TEXT, prompt=_prompt()),
        allowed=(ENDPOINT,),
        by=admin.id,
    )
    _judge_all(session, project, judge.name)
    agreement.measure_judge(session, project, judge.name, "test", by=admin.id)
    overrides = [Override(judge.name, TEXT)]
    releases.cut_release(session, project, note=TEXT, overrides=overrides, by=admin.id)
    evaluation.evaluate_release(session, project)


def _prompt() -> Prompt:
    shipped = judging.default_prompt()
    return Prompt(f"{shipped.system}\n{IMAGE}{VECTOR}{SCRIPT}", shipped.user)


def _grade_some(session: Session, grader: Grader) -> None:
    """Grade all cards but the last, so that the desk still shows one."""
    after: str | None = None
    for number in range(3):
        view = assignment.next_slot(
            session,
            project_id=grader.project_id,
            grader=grader,
            after=after,
        )
        assert view is not None
        assignment.give_grade(
            session,
            grader=grader,
            token=view.token,
            value=number,
            key=f"key {number}",
            note=TEXT,
            seen_hash=view.card_hash,
        )
        after = view.token


def _judge_all(session: Session, project: Project, name: str) -> None:
    """Launch a batch, and write what its judge would have said."""
    judge = judging.judge_by_name(session, project.id, name)
    batch = judging.launch(session, project, judge, judging.read_scope("pool"))
    (grader,) = assignment.list_graders(session, project.id, "judge")
    ids = session.scalars(select(Item.id).where(Item.project_id == project.id)).all()
    rows = [
        JudgeGrade(
            item_id, 3, TEXT, each.card_hash, each.query_version_id, each.document_version_id
        )
        for item_id, each in assignment.cards_of(session, ids).items()
    ]
    assignment.write_judge_grades(session, grader=grader, rows=rows)
    for outcome in ("verdict", "malformed"):
        session.add(
            Attempt(
                batch_id=batch.id,
                item_id=ids[0],
                started_at=batch.created_at,
                outcome=outcome,
                reason=TEXT,
                model=TEXT,
                answer=TEXT,
            )
        )
    session.flush()


def _list_examples(database: Database) -> dict[str, list[str]]:
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, SLUG)
        taken = {one.kind: one.sha256 for one in session.scalars(select(Import))}
        tokens = list(session.scalars(select(Slot.token).order_by(Slot.id)))
        judge = quote(judging.judges_of(session, project.id)[0].name, safe="")
    run, name = retrieval.quote_name(TEXT), quote(TEXT, safe="")
    found = {
        "corpus": ["corpus", f"corpus?search={quote('<img', safe='')}"],
        "corpus/imports/{sha256}": [f"corpus/imports/{taken['corpus']}"],
        "corpus/documents/{doc_id:path}": [f"corpus/documents/{quote(ID, safe='')}"],
        "queries/imports/{sha256}": [f"queries/imports/{taken['queries']}"],
        "queries/{query_id:path}": [f"queries/{quote(ID, safe='')}"],
        "runs/{name:path}": [f"runs/{run}", f"runs/{run}?query={quote(ID, safe='')}"],
        "grade/next": [f"grade/next?after={tokens[0]}"],
        "grade/cards/{token}": [f"grade/cards/{token}" for token in tokens],
        "grade/cards/{token}/piece": [f"grade/cards/{tokens[0]}/piece"],
        "judges/judge": [f"judges/judge?name={judge}"],
        "judges/new": ["judges/new", f"judges/new?like={judge}"],
        "judges/launch": [f"judges/launch?name={judge}&scope=pool"],
        "judges/batch": ["judges/batch?number=1"],
        "judges/batch/progress": ["judges/batch/progress?number=1"],
        "agreement": ["agreement", "agreement?split=dev"],
        "releases/{number}": ["releases/1"],
        "releases/{number}/download": ["releases/1/download?form=csv"],
        "releases/{number}/export": ["releases/1/export?format=jsonl"],
        "scores/run": [f"scores/run?name={name}"],
        "scores/run/download": [f"scores/run/download?name={name}"],
        "scores/compare": [f"scores/compare?first={name}&second={name}"],
    }
    return {
        "/link/{token}": ["/link/no-such-link"],
        **dict(_spell_out(found)),
    }


def _spell_out(found: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    for start in ("", "/api/v1"):
        for template, addresses in found.items():
            full = [f"{start}{PATH}/{address}" for address in addresses]
            yield f"{start}/projects/{{slug}}/{template}", full
