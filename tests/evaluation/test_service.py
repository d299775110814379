"""Runs scored with a release, on both databases."""

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import Invalid, NotFound
from app.evaluation import reports, service
from app.models import Evaluation, Project, Release, Score
from tests.evaluation.rows import label, make_release, make_run
from tests.factories import make_document, make_project, make_query

SPAN, OTHER = (3, 9), (20, 40)


def set_up(session: Session) -> tuple[Project, Release]:
    """Make two queries, a label each, and two runs: the second answers one query only."""
    project = make_project(session)
    first = make_query(session, project, query_id="q1")
    second = make_query(session, project, query_id="q2")
    a, b = make_document(session, project), make_document(session, project)
    labels = [label(session, first, a, 3, SPAN), label(session, second, b, 1, OTHER)]
    release = make_release(session, project, [first, second], labels)
    make_run(
        session,
        project,
        "good",
        [(first, [(a, SPAN)]), (second, [(a, SPAN), (b, OTHER)])],
        chunking="paragraphs",
    )
    make_run(session, project, "half", [(first, [(a, SPAN)])], chunking="chars:400:100")
    return project, release


def test_every_finished_run_is_scored_once(session: Session) -> None:
    project, _ = set_up(session)

    first = service.evaluate_release(session, project)
    again = service.evaluate_release(session, project)

    assert [each.name for each in first] == ["good", "half"]
    assert [each.id for each in again] == [each.id for each in first]
    assert session.scalar(select(func.count()).select_from(Evaluation)) == 2
    assert first[0].summary["metrics"]["mrr"]["mean"] == 0.75


def test_the_values_behind_a_mean_are_kept_by_query(session: Session) -> None:
    project, _ = set_up(session)
    good, half = service.evaluate_release(session, project)

    assert service.values_of(session, good, ["mrr"]) == {"mrr": {"q1": 1.0, "q2": 0.5}}
    assert service.values_of(session, half, ["mrr"]) == {"mrr": {"q1": 1.0, "q2": 0.0}}
    assert half.summary["unanswered"] == ["q2"]
    rows = service.list_queries(session, good, ["mrr", "ndcg@5"], limit=1)
    assert [(row.query_id, row.values["mrr"]) for row in rows] == [("q1", 1.0)]
    onward = service.list_queries(session, good, ["mrr"], after=rows[0].position)
    assert [row.query_id for row in onward] == ["q2"]


def test_another_cut_is_another_evaluation(session: Session) -> None:
    project, release = set_up(session)

    (strict, _) = service.evaluate_release(session, project, cut=2)

    assert strict.cut == 2
    assert strict.summary["nothing_relevant"] == ["q2"]
    assert service.count_waiting(session, project, release, cut=1) == 2


def test_labels_of_a_judge_are_no_human_share(session: Session) -> None:
    project = make_project(session)
    query, a = make_query(session, project), make_document(session, project)
    make_release(session, project, [query], [label(session, query, a, 2)], source="judge")
    make_run(session, project, "run", [(query, [(a, None)])])

    (found,) = service.evaluate_release(session, project)

    assert (found.share("labelled", 5), found.share("human", 5)) == (1.0, 0.0)
    assert found.chunking == "whole documents"
    assert found.summary["unit"] == "document"


def test_holes_are_the_results_without_a_label(session: Session) -> None:
    project = make_project(session)
    query, a = make_query(session, project), make_document(session, project)
    b = make_document(session, project, None)
    make_release(session, project, [query], [label(session, query, a, 2)])
    make_run(session, project, "new", [(query, [(b, None), (a, None)])])

    (found,) = service.evaluate_release(session, project)

    assert found.holes(5) == 1


def test_runs_of_other_chunkings_stand_apart(session: Session) -> None:
    project, _ = set_up(session)

    groups = reports.group_runs(service.evaluate_release(session, project))

    assert [(group.chunking, [run.name for run in group.runs]) for group in groups] == [
        ("paragraphs", ["good"]),
        ("chars:400:100", ["half"]),
    ]


def test_two_runs_are_compared_over_their_common_queries(session: Session) -> None:
    project, _ = set_up(session)
    good, half = service.evaluate_release(session, project)

    found = service.compare(session, good, half, "mrr")

    assert (found.n, found.mean_difference) == (2, 0.25)
    assert found.p_value == 1.0
    with pytest.raises(Invalid, match="no made_up in common"):
        service.compare(session, good, half, "made_up")


def test_json_has_the_keys_of_the_command_line(session: Session) -> None:
    project, release = set_up(session)
    scored = service.evaluate_release(session, project)

    found = reports.as_json(
        project.slug,
        release.number,
        scored,
        values=service.all_values(session, scored),
    )["runs"]["half"]

    assert (found["mean"]["mrr"], found["n"]["mrr"], found["unanswered"]) == (0.5, 2, ["q2"])
    assert found["answered_only"]["mrr"] == {"mean": 1.0, "n": 1}
    assert found["queries"]["q2"]["mrr"] == 0.0
    assert (found["cut"], found["unit"], found["no_relevant"]) == (1, "span", "skip")
    assert found["human_share"]["5"] == 1.0


def test_nothing_relevant_counts_0_only_by_the_switch(session: Session) -> None:
    project, release = set_up(session)
    scored = service.evaluate_release(session, project, cut=3)

    skipped = reports.as_json(project.slug, release.number, scored)["runs"]["good"]
    zero = reports.as_json(project.slug, release.number, scored, no_relevant="zero")
    counted = zero["runs"]["good"]

    assert (skipped["mean"]["mrr"], skipped["n"]["mrr"]) == (1.0, 1)
    assert (counted["mean"]["mrr"], counted["n"]["mrr"]) == (0.5, 2)
    assert counted["no_relevant"] == "zero"


def test_a_project_without_release_has_no_scores(session: Session) -> None:
    with pytest.raises(NotFound, match="no release yet"):
        service.evaluate_release(session, make_project(session))


def test_scores_are_of_the_release_and_not_of_what_came_later(session: Session) -> None:
    project, _ = set_up(session)
    before = service.evaluate_release(session, project)[0].summary
    make_release(session, project, [], [], number=2)
    service.evaluate_release(session, project)

    assert service.evaluate_release(session, project, 1)[0].summary == before
    assert session.scalar(select(func.count(Score.evaluation_id.distinct()))) == 2


def test_v075_the_depth_of_the_runs_stands_in_the_name(session: Session) -> None:
    project, _ = set_up(session)
    good, half = service.evaluate_release(session, project)

    def name_map(depth: int | None) -> str:
        columns = reports.list_columns(5, 1, depth)
        return next(reports.short_title(each) for each in columns if each.key == "map")

    assert name_map(reports.shared_depth([good])) == "MAP@2"
    assert name_map(reports.shared_depth([good, half])) == "MAP"
