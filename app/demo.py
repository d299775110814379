"""Demo: the sample project, built by the same commands a user would type."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import Session

from app import sample, terminal
from app.accounts import service as accounts
from app.assignment import service as assignment
from app.db import Database, transaction
from app.errors import NotFound
from app.evaluation import service as evaluation
from app.formats import jsonl, jsonl_spans
from app.formats.rows import DocumentRow, LabelRow, QueryRow
from app.pooling import service as pooling
from app.projects import service as projects
from app.releases import service as releases
from app.settings import Settings

SLUG = "saltmere"
VISITOR = "visitor@saltmere.example"
SEED = "20261130"
UNANSWERABLE = {"no": False, "yes": True}

Run = Callable[[Sequence[str]], None]


def build(database: Database, run: Run) -> None:
    """Build the sample project, or what is missing of it, and say each command."""
    with TemporaryDirectory(prefix="goldspan-demo-") as folder:
        write_files(Path(folder))
        for words in _commands(database, Path(folder)):
            terminal.say(f"$ goldspan {shlex.join(words)}".replace(f"{folder}/", ""))
            run(words)
    with transaction(database) as session:
        evaluation.evaluate_release(session, projects.project_by_slug(session, SLUG))


def _commands(database: Database, folder: Path) -> Iterator[Sequence[str]]:
    """Yield the commands whose result is not there yet, in the order of the pipeline."""
    if not _is_there(database, lambda session: accounts.user_by_email(session, VISITOR)):
        yield ("user", "add", VISITOR, "--name", "Visitor")
    if not _is_there(database, lambda session: projects.project_by_slug(session, SLUG)):
        yield ("project", "create", SLUG, "--name", "Saltmere handbook")
    for role in ("admin", "sme"):
        yield ("project", "member", SLUG, VISITOR, "--role", role)
    yield ("import", "corpus", SLUG, str(folder / "corpus.jsonl"))
    yield ("import", "queries", SLUG, str(folder / "queries.jsonl"))
    yield ("retrieve", SLUG)
    if not _is_there(database, _pool):
        yield ("pool", "build", SLUG)
    for path in sorted(folder.glob("grades-*.jsonl")):
        name = path.stem.removeprefix("grades-")
        yield ("import", "grades", SLUG, str(path), "--sme", name)
    if not _is_there(database, _plan):
        yield ("assign", SLUG, "--sample", "120", "--seed", SEED)
    if not _is_there(database, _release):
        yield ("release", SLUG, "--note", "The grades that came with the sample")


def _is_there(database: Database, find: Callable[[Session], object]) -> bool:
    with transaction(database, write=False) as session:
        try:
            return find(session) is not None
        except NotFound:
            return False


def _pool(session: Session) -> object:
    return pooling.pool_of(session, projects.project_by_slug(session, SLUG).id)


def _plan(session: Session) -> object:
    plans = assignment.list_plans(session, projects.project_by_slug(session, SLUG).id)
    return plans or None


def _release(session: Session) -> object:
    return releases.find_release(session, projects.project_by_slug(session, SLUG).id)


def write_files(folder: Path) -> None:
    """Write the sample as the files a user would import."""
    _write(folder / "corpus.jsonl", jsonl.write_corpus(_documents()))
    _write(folder / "queries.jsonl", jsonl.write_queries(_queries()))
    grades = sample.load_grades()
    for name in sorted({grade.grader or "" for grade in grades}):
        rows = [
            _label(number, grade)
            for number, grade in enumerate(grades, 1)
            if grade.grader == name
        ]
        _write(folder / f"grades-{name}.jsonl", jsonl_spans.write_labels(rows))


def _write(path: Path, pieces: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)


def _documents() -> Iterator[DocumentRow]:
    for number, document in enumerate(sample.load_corpus(), 1):
        tags = {name: [text] for name, text in document.tags.items()}
        yield DocumentRow(number, document.doc_id, document.title, document.text, tags)


def _queries() -> Iterator[QueryRow]:
    for number, query in enumerate(sample.load_queries(), 1):
        tags = {name: [text] for name, text in query.tags.items() if name != "answerable"}
        answerable = UNANSWERABLE.get(query.tags.get("answerable", ""))
        yield QueryRow(number, query.query_id, query.text, query.need, tags, answerable)


def _label(number: int, grade: sample.SampleGrade) -> LabelRow:
    return LabelRow(
        line=number,
        query_id=grade.query_id,
        hit=f"{grade.doc_id}#{grade.start}-{grade.end}",
        doc_id=grade.doc_id,
        start=grade.start,
        end=grade.end,
        grade_text=str(grade.grade),
        note=grade.note or None,
    )


def make_link(database: Database, settings: Settings) -> str:
    """Make the link that signs the visitor in."""
    with transaction(database) as session:
        token = accounts.make_link(session, accounts.user_by_email(session, VISITOR))
    return f"{settings.public_url}/link/{token}"
