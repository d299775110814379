"""Service of judging: who a judge is, and which pairs a launch is about."""

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.assignment.service import JudgeGrade
from app.errors import Conflict, Invalid, NotFound
from app.judging import batches, service
from app.judging.prompts import Prompt
from app.judging.service import Scope
from app.models import Batch, BatchChunk, BatchPair, Document, Grader, Item, Judge, Project
from app.projects import service as projects
from tests.factories import make_document, make_item, make_project, make_query
from tests.judging.rows import AWAY, add_judge, make_pairs, make_pool, put_in_pool


@pytest.fixture
def project(session: Session) -> Project:
    return make_project(session)


def grade(session: Session, grader: Grader, item: Item) -> None:
    card = assignment.card_of(session, item.id)
    row = JudgeGrade(item.id, 1, None, None, card.query_version_id, card.document_version_id)
    assignment.write_judge_grades(session, grader=grader, rows=[row])


def grader_of(session: Session, judge: Judge) -> Grader:
    return session.scalars(select(Grader).where(Grader.judge_id == judge.id)).one()


def test_a_judge_is_its_identity_and_grades_under_a_pseudonym(
    session: Session, project: Project
) -> None:
    judge = add_judge(session, project, key_name="GOLDSPAN_SECRET_X")

    assert add_judge(session, project, key_name="GOLDSPAN_SECRET_X") is judge
    assert len(judge.identity_hash) == 64
    assert judge.parameters == {"temperature": 0.0, "max_tokens": 500}
    grader = grader_of(session, judge)
    assert (grader.kind, grader.name, grader.pseudonym) == ("judge", "first", "judge-1")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"temperature": 0.5},
        {"temperature": None},
        {"max_tokens": 100},
        {"prompt": Prompt("Be strict.", "{card}")},
        {"url": "https://other.example.org/v1"},
    ],
)
def test_whatever_changes_makes_another_judge(
    session: Session, project: Project, change: dict[str, object]
) -> None:
    first = add_judge(session, project)
    with pytest.raises(Conflict, match="never changes"):
        add_judge(session, project, **change)  # type: ignore[arg-type]

    second = add_judge(session, project, **({"name": "second"} | change))  # type: ignore[arg-type]
    assert first.identity_hash != second.identity_hash


def test_another_guideline_makes_another_judge(session: Session, project: Project) -> None:
    first = add_judge(session, project)
    projects.change_guideline(session, project.id, "Be strict.")
    second = add_judge(session, project, name="second")

    assert first.identity_hash != second.identity_hash
    old = service.guideline_of(session, first)
    assert old is not None
    assert old.version == 1


def test_the_same_judge_under_another_name_is_refused(
    session: Session, project: Project
) -> None:
    add_judge(session, project)

    with pytest.raises(Conflict, match="under the name first"):
        add_judge(session, project, name="second")


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"model": ""}, "model"),
        ({"key_name": "PATH"}, "OPENAI_API_KEY"),
        ({"key_name": "GOLDSPAN_SECRET_"}, "OPENAI_API_KEY"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": 2.5}, "temperature"),
        ({"max_tokens": 0}, "tokens"),
    ],
)
def test_what_cannot_be_a_judge_is_refused_in_words(
    session: Session, project: Project, wish: dict[str, object], words: str
) -> None:
    with pytest.raises(Invalid, match=words):
        add_judge(session, project, **wish)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "http://169.254.169.254/v1", "https://10.0.0.1/v1", "x"]
)
def test_addresses_that_must_not_be_called_are_refused(
    session: Session, project: Project, url: str
) -> None:
    wish = service.Wish("first", url, "m")

    with pytest.raises(Invalid):
        service.add_judge(session, project, wish)


def test_a_key_stays_with_the_endpoint_it_was_first_used_with(
    session: Session, project: Project
) -> None:
    add_judge(session, project, key_name="GOLDSPAN_SECRET_A")
    other = make_project(session)

    with pytest.raises(Conflict, match="another endpoint"):
        add_judge(session, other, "https://evil.example.org/v1", key_name="GOLDSPAN_SECRET_A")

    same_host = add_judge(session, other, f"{AWAY}/eu", key_name="GOLDSPAN_SECRET_A")
    assert same_host.key_name == "GOLDSPAN_SECRET_A"


def test_a_prompt_file_is_two_texts() -> None:
    prompt = service.read_prompt('system = "Be strict."\nuser = """{query}\n{span}"""')

    assert prompt == Prompt("Be strict.", "{query}\n{span}")
    for bad in ("system = 1", 'system = ""\nuser = "{card}"\nmore = ""', "= x"):
        with pytest.raises(Invalid):
            service.read_prompt(bad)


@pytest.mark.parametrize("text", ["", "all", "=x", "type=", "slice"])
def test_what_is_no_scope_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="no scope"):
        service.read_scope(text)


def make_mixed(session: Session, project: Project) -> tuple[Judge, dict[str, Item]]:
    """Pool items that a scope takes or leaves, by name."""
    pool = make_pool(session, project)
    tagged = make_query(session, project, tags={"type": ["policy", "how-to"]})
    plain = make_query(session, project, tags={"type": "faq"})
    items = {
        name: make_item(session, query, make_document(session, project))
        for name, query in [
            ("tagged", tagged), ("plain", plain), ("judged", plain), ("seen", tagged),
            ("secret", plain), ("off corpus", plain),
        ]
    }  # fmt: skip
    unpooled = make_item(session, plain, make_document(session, project))
    off = items.pop("off corpus")
    put_in_pool(session, pool, *items.values())
    put_in_pool(session, pool, off, gradable=False)
    version = items["secret"].document_version_id
    document = session.scalars(
        select(Document).where(Document.current_version_id == version)
    ).one()
    document.access = "legal"
    judge = add_judge(session, project)
    grade(session, grader_of(session, judge), items["judged"])
    other = add_judge(session, project, name="other", model="n")
    grade(session, grader_of(session, other), items["seen"])
    assert unpooled.id
    return judge, items


def asked(session: Session, project: Project, judge: Judge, scope: str) -> set[int]:
    batch = service.launch(session, project, judge, service.read_scope(scope))
    return set(session.scalars(select(BatchPair.item_id).where(BatchPair.batch_id == batch.id)))


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        ("pool", {"tagged", "plain", "seen"}),
        ("unjudged", {"tagged", "plain"}),
        ("type=policy", {"tagged", "seen"}),
        ("type=faq", {"plain"}),
    ],
)
def test_a_scope_takes_what_it_says_and_only_what_the_judge_has_not_graded(
    session: Session, project: Project, scope: str, names: set[str]
) -> None:
    judge, items = make_mixed(session, project)
    preview = service.preview_batch(session, project, judge, service.read_scope(scope))

    assert preview.pairs == len(names)
    assert preview.tokens > 100 * len(names)
    assert asked(session, project, judge, scope) == {items[name].id for name in names}


def test_restricted_documents_go_only_where_they_may(
    session: Session, project: Project
) -> None:
    judge, items = make_mixed(session, project)
    pool = Scope("pool")
    assert service.preview_batch(session, project, judge, pool).refused == 1

    service.allow_access(session, judge, ["legal"])

    assert service.preview_batch(session, project, judge, pool).refused == 0
    assert items["secret"].id in asked(session, project, judge, "pool")


def test_the_validation_sample_is_a_scope(session: Session, project: Project) -> None:
    make_pairs(session, project, 6)
    judge = add_judge(session, project)
    with pytest.raises(Conflict, match="nothing to ask"):
        asked(session, project, judge, "validation")


def test_an_unknown_tag_or_no_pool_is_refused(session: Session, project: Project) -> None:
    judge = add_judge(session, project)
    with pytest.raises(NotFound, match="no pool"):
        asked(session, project, judge, "pool")
    make_pool(session, project)
    with pytest.raises(NotFound, match="risk=high"):
        asked(session, project, judge, "risk=high")


def test_a_judge_has_one_batch_at_a_time(session: Session, project: Project) -> None:
    make_pairs(session, project, 3)
    judge = add_judge(session, project)
    batch = service.launch(session, project, judge, Scope("pool"))

    with pytest.raises(Conflict, match="at work already"):
        service.launch(session, project, judge, Scope("pool"))

    service.cancel(session, batch)
    again = service.launch(session, project, judge, Scope("pool"))
    assert service.number_of(session, again) == 2
    assert service.batch_by_number(session, project.id, 2) is again


def test_imported_labels_cannot_be_asked(session: Session, project: Project) -> None:
    make_pairs(session, project, 1)
    imported = assignment.imported_grader(
        session, project.id, kind="judge", name="file", file_sha="0"
    )
    judge = session.get_one(Judge, imported.judge_id)

    with pytest.raises(Invalid, match="imported"):
        service.preview_batch(session, project, judge, Scope("pool"))


def test_pairs_are_cut_into_chunks_by_query(
    session: Session, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "CHUNK", 4)
    make_pairs(session, project, 10, per_query=5)
    judge = add_judge(session, project)
    batch = service.launch(session, project, judge, Scope("pool"))

    by_chunk = session.execute(
        select(BatchPair.chunk, func.count(), func.count(Item.query_ref.distinct()))
        .join(Item, Item.id == BatchPair.item_id)
        .where(BatchPair.batch_id == batch.id)
        .group_by(BatchPair.chunk)
        .order_by(BatchPair.chunk)
    ).all()
    assert [tuple(row) for row in by_chunk] == [(0, 4, 1), (1, 4, 2), (2, 2, 1)]
    wanted = select(func.count()).where(BatchChunk.batch_id == batch.id)
    assert session.scalar(wanted) == 3


def test_the_sweep_finds_only_open_chunks_of_batches_at_work(
    session: Session, project: Project
) -> None:
    make_pairs(session, project, 3)
    batch = service.launch(session, project, add_judge(session, project), Scope("pool"))

    def found() -> list[str]:
        session.flush()
        return [work.key for work in service.planned_work(session)]

    assert found() == [f"judge-{batch.id}-0-1"]
    service.pause(session, batch)
    assert found() == []
    service.resume(session, batch)
    assert found() == [f"judge-{batch.id}-0-2"]
    service.cancel(session, batch)
    assert found() == []


def test_a_finished_batch_with_holes_says_so_v053(session: Session, project: Project) -> None:
    make_pairs(session, project, 3)
    batch = service.launch(session, project, add_judge(session, project), Scope("pool"))
    first = session.scalars(select(BatchPair).where(BatchPair.batch_id == batch.id)).first()
    assert first is not None
    first.state, first.reason = "failed", "timeout"
    session.get_one(Batch, batch.id).state = "finished"
    session.flush()

    standing = service.standing_of(session, batch)

    assert standing.words == "finished, 1 failed"
    assert standing.as_json()["reasons"] == {"timeout": 1}
