"""Service of the corpus: taking documents in, and handing their texts to other rooms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from app.corpus import intake, store, store_pages
from app.corpus.store import NewDocument, NewText
from app.corpus.store_pages import Listed
from app.errors import Invalid, NotFound
from app.formats.detect import CORPUS
from app.formats.rows import DocumentRow
from app.models import UNKNOWN, Document, DocumentVersion, Project
from app.projects import imports
from app.projects import service as projects
from app.projects.imports import Checked, ImportReport, Told, hear_nothing
from app.projects.taking import Intake, Loading, import_checked, preview_checked

PAGE = 50
SHOWN = 500


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """The current version of a document; ``length`` in code points, None without a text."""

    version_id: int
    doc_id: str
    length: int | None
    known: bool
    """False for a document that a run named and whose text nobody has."""


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """How much there is: documents with a text, documents without, code points."""

    known: int
    unknown: int
    characters: int


def _show(row: DocumentRow) -> dict[str, Any]:
    return {
        "doc_id": row.doc_id,
        "title": row.title,
        "text": row.text[:SHOWN],
        "length": len(row.text),
        "tags": row.tags,
        "access": row.access,
    }


INTAKE = Intake("corpus", intake.compare, intake.apply, lambda row: len(row.text), _show)


def check_corpus(
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    told: Told = hear_nothing,
) -> Checked[DocumentRow]:
    """Read a whole file of documents without a database, so that no lock waits for it.

    Raises:
        BadFile: with all bad lines, unless they are to be skipped.
        Invalid: where the file or its format cannot be found.
    """
    return imports.check_file(
        "corpus", CORPUS, path, file_name=file_name, form=format, skip_bad=skip_bad, told=told
    )


def import_corpus(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    by: int | None = None,
    checked: Checked[DocumentRow] | None = None,
    told: Told = hear_nothing,
) -> ImportReport:
    """Take in a file of documents, all or nothing; the same file again changes nothing.

    Hand in ``checked`` where the file was checked before the transaction began.

    Raises:
        BadFile: with all bad lines, and those that contradict texts in use.
        Invalid: where the file or its format cannot be found.
    """
    checked = checked or check_corpus(
        path, file_name=file_name, format=format, skip_bad=skip_bad
    )
    return import_checked(session, project.id, checked, INTAKE, by=by, told=told)


def preview_corpus(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    checked: Checked[DocumentRow] | None = None,
    told: Told = hear_nothing,
) -> ImportReport:
    """Say what `import_corpus` would do, with the first 20 rows; a reading session will do."""
    checked = checked or check_corpus(
        path, file_name=file_name, format=format, skip_bad=skip_bad
    )
    return preview_checked(session, project.id, checked, INTAKE, told=told)


LOADING = Loading("document", check_corpus, import_corpus, preview_corpus)


def document_versions(
    session: Session, project_id: int, doc_ids: Iterable[str]
) -> dict[str, VersionInfo]:
    """Return the current version of each document by its id; unheard-of ids are left out."""
    known = store.known_documents(session, project_id, doc_ids)
    return {
        doc_id: VersionInfo(each.version_id, doc_id, each.length, each.sha256 != UNKNOWN)
        for doc_id, each in known.items()
    }


def add_unknown(
    session: Session, project_id: int, doc_ids: Iterable[str]
) -> dict[str, VersionInfo]:
    """Add the documents that are not in the corpus by name only, and return all of them."""
    wanted = list(dict.fromkeys(doc_ids))
    projects.lock(session, project_id)
    there = store.known_documents(session, project_id, wanted)
    missing = [
        NewDocument(doc_id, NewText(UNKNOWN), {}) for doc_id in wanted if doc_id not in there
    ]
    for piece in store.split(missing):
        store.add_documents(session, project_id, list(piece))
    return document_versions(session, project_id, wanted)


def iterate_texts(
    session: Session, project_id: int, after: int = 0, size: int = 1_000
) -> Iterator[tuple[int, str, str, str]]:
    """Yield (version, id, title, text) of the current texts by rising version number.

    ``after`` is the last version already seen; ``size`` rows are in memory at a time.
    """
    while rows := store.texts_after(session, project_id, after, size):
        yield from rows
        after = rows[-1][0]


def text_of(session: Session, version_id: int) -> tuple[str, str, str | None]:
    """Return (id, title, text) of any version; the text is None where nobody has it."""
    found = store.text_of(session, version_id)
    if found is None:
        raise NotFound("There is no such version of a document.")
    return found


def fingerprint(session: Session, project_id: int) -> str:
    """Return what changes whenever a current text does; named documents do not count.

    It is kept, not computed, so that large corpora are not read for it.
    """
    return store.stamp_of(session, project_id)


def counts(session: Session, project_id: int) -> CorpusCounts:
    """Count documents and characters."""
    return CorpusCounts(*store_pages.count_documents(session, project_id))


def access_labels(session: Session, project_id: int) -> dict[str, int]:
    """Return the access labels in use, each with its number of documents."""
    return dict(store_pages.count_access(session, project_id))


def list_documents(
    session: Session, project_id: int, *, after: str = "", search: str = ""
) -> tuple[list[Listed], str | None]:
    """Return 50 documents by id, and the id to go on after; None at the end."""
    if "\x00" in after + search:
        raise Invalid("The NUL character cannot be searched for.")
    found = store_pages.list_documents(
        session, project_id, after=after, search=search, limit=PAGE + 1
    )
    return found[:PAGE], found[PAGE - 1].doc_id if len(found) > PAGE else None


def document_by_id(
    session: Session, project_id: int, doc_id: str
) -> tuple[Document, list[DocumentVersion]]:
    """Return a document and its versions, the current one first."""
    found = (
        None if "\x00" in doc_id else store_pages.document_by_id(session, project_id, doc_id)
    )
    if found is None:
        raise NotFound(f"There is no document {doc_id[:200]!r} in this project.")
    versions = store_pages.versions_of(session, found.id)
    versions.sort(key=lambda version: version.id != found.current_version_id)
    return found, versions
