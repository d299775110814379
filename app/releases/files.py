"""Files: what is asked of a release as a file, checked first, then written as a stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.errors import Invalid
from app.models import Project, Release
from app.releases import store
from app.releases.archive import zip_files
from app.releases.export import (
    ENDINGS,
    KINDS,
    Form,
    Source,
    Unit,
    encode,
    keep_source,
    list_rows,
    refuse_unfit,
    write_beir_corpus,
    write_beir_queries,
    write_labels,
)
from app.releases.reading import find_release, read_labels


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """One file to be made of a release; everything that could be refused has been asked."""

    release_id: int
    form: Form
    unit: Unit | None
    source: Source
    escape: bool
    packed: bool
    file_name: str
    kind: str


def plan_export(
    session: Session,
    project: Project,
    number: int | None = None,
    *,
    form: Form,
    unit: Unit | None = None,
    source: Source = "all",
    escape: bool = False,
    packed: bool = False,
) -> ExportPlan:
    """Check that a release can be written as asked, and name the file.

    ``unit`` None is "as labelled": spans by their hit ids; for jsonl then one line a query,
    and one line a label with ``span``. ``packed`` is a BEIR folder as a zip.

    Raises:
        NotFound: there is no such release.
        Invalid: the format cannot hold its ids, or packing is asked of another format.
    """
    if packed and form != "beir":
        raise Invalid("Only beir is written as a folder or a zip.")
    release = find_release(session, project.id, number)
    refuse_unfit(release.manifest["unwritable"], form, unit, escape=escape)
    parts = [project.slug, f"release-{release.number}", *([unit] if unit else []), source]
    ending = "zip" if packed else ENDINGS[form]
    return ExportPlan(
        release.id,
        form,
        unit,
        source,
        escape,
        packed,
        file_name=f"{'-'.join(parts)}.{ending}",
        kind="application/zip" if packed else KINDS[form],
    )


def stream_export(session: Session, plan: ExportPlan) -> Iterator[bytes]:
    """Yield the bytes of a planned file in constant memory; equal labels give equal bytes."""
    if plan.packed:
        return zip_files((name, make()) for name, make in list_beir_files(session, plan))
    return encode(_write(session, plan))


def export(
    session: Session,
    project: Project,
    number: int | None = None,
    *,
    form: Form,
    unit: Unit | None = None,
    source: Source = "all",
    escape: bool = False,
) -> Iterator[bytes]:
    """Yield a release as a file; see `plan_export`, which refuses before the first byte."""
    plan = plan_export(
        session, project, number, form=form, unit=unit, source=source, escape=escape
    )
    return stream_export(session, plan)


def _write(session: Session, plan: ExportPlan) -> Iterator[str]:
    refs = store.query_refs_of(session, plan.release_id)
    release = session.get_one(Release, plan.release_id)
    labels = read_labels(session, plan.release_id, refs, release.manifest["labels"])
    rows = list_rows(keep_source(labels, plan.source), plan.unit)
    by_query = plan.form == "jsonl" and plan.unit != "span"
    queries = store.queries_of(session, plan.release_id) if by_query else ()
    return write_labels(rows, queries, plan.form, plan.unit, escape=plan.escape)


def list_beir_files(
    session: Session, plan: ExportPlan
) -> list[tuple[str, Callable[[], Iterator[bytes]]]]:
    """Return the files of a BEIR folder: every labelled text, the queries, the qrels."""
    texts = store.texts_of
    spans = plan.unit != "document"
    return [
        (
            "corpus.jsonl",
            lambda: encode(
                write_beir_corpus(texts(session, plan.release_id, spans=spans), plan.unit)
            ),
        ),
        (
            "queries.jsonl",
            lambda: encode(write_beir_queries(store.queries_of(session, plan.release_id))),
        ),
        ("qrels/test.tsv", lambda: encode(_write(session, plan))),
    ]
