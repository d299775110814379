"""Looks at a judge, on rows of both databases."""

import json
import math
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.agreement import service
from app.agreement.service import Report
from app.errors import Conflict, Invalid, NotFound
from app.models import GateReport, Grader, Project
from app.projects import service as projects
from tests.agreement.labels import (
    change,
    give,
    give_pairs,
    load_qrels,
    make_items,
    make_judge,
    make_sample,
)
from tests.data import collection
from tests.factories import make_grader, make_project


@pytest.fixture
def project(session: Session) -> Project:
    return make_project(session)


@pytest.fixture
def sme(session: Session, project: Project) -> Grader:
    return make_grader(session, project)


@pytest.fixture
def judge(session: Session, project: Project) -> Grader:
    return make_judge(session, project)


def measure(session: Session, project: Project, **options: Any) -> Report:
    return service.measure_judge(session, project, "judge-a", **options)


def test_a_judge_of_nist_labels_agrees_as_published_tools_say(
    session: Session, project: Project, sme: Grader
) -> None:
    folder = collection("dl21-passage-A")
    judge = make_judge(session, project, "umbrela-gpt-4o")
    load_qrels(
        session,
        project,
        [(folder / "qrels.trec", sme), (folder / "judges/umbrela-gpt-4o.trec", judge)],
    )
    expected = json.loads((folder / "expected/agreement.json").read_text(encoding="utf-8"))
    expected = expected["judges"]["umbrela-gpt-4o"]
    at_cut = expected["at_threshold"]["human>=1,judge>=1"]

    found = service.measure_judge(session, project, "umbrela-gpt-4o").as_json()

    assert (found["n"], found["split"], found["queries"]) == (5716, "all", 27)
    assert found["confusion"] == expected["confusion_rows_human_cols_judge"]
    names = ("tpr", "tnr", "kappa_binary", "kappa", "kappa_quadratic", "alpha_ordinal")
    assert [found[name] for name in names] == pytest.approx(
        [
            at_cut["TPR"],
            at_cut["TNR"],
            at_cut["kappa"],
            expected["kappa_nominal"],
            expected["kappa_quadratic"],
            expected["alpha_ordinal"],
        ],
        abs=5e-5,
    )
    assert found["gate"]["answer"] == "not trusted"
    assert found["gate"]["missing"] == ["3 queries more"]


def test_only_the_split_asked_for_is_measured(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    for split, count in (("dev", 2), ("test", 3)):
        make_sample(session, give_pairs(session, [(1, 1)] * count, sme, judge), split)
    give_pairs(session, [(0, 0)] * 5, sme, judge)

    assert measure(session, project, split="dev").figures["n"] == 2
    assert measure(session, project, split="test").figures["n"] == 3
    assert measure(session, project, split="all").figures["n"] == 10


def test_an_empty_dev_is_said_to_be_empty_by_rule(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    make_sample(session, give_pairs(session, [(1, 1)], sme, judge), "test")

    gate = measure(session, project, split="dev").as_json()["gate"]

    assert gate["answer"] == "not enough labels"
    assert gate["reasons"][0].startswith("dev is empty: under 72 queries")
    assert not any("dev is empty" in each for each in measure(session, project).reasons)


def test_looking_at_dev_leaves_the_cut_free_and_at_test_fixes_it(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    make_sample(session, give_pairs(session, [(1, 1)], sme, judge), "dev")
    make_sample(session, give_pairs(session, [(1, 1)], sme, judge), "test")

    measure(session, project, split="dev")
    projects.change_cut(session, project, 2)
    measure(session, project, split="test")

    with pytest.raises(Conflict, match="The cut is fixed"):
        projects.change_cut(session, project, 1)


def test_the_same_labels_again_are_the_same_look(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    items = give_pairs(session, [(1, 1), (0, 1)], sme, judge)
    first, again = measure(session, project), measure(session, project)

    assert first == again
    assert session.scalar(select(func.count()).select_from(GateReport)) == 1

    give(session, items[0], make_grader(session, project, "bob"), 3)
    third = measure(session, project)
    assert (first.looks, third.looks) == (1, 2)


def test_new_labels_make_a_look_outdated(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    give_pairs(session, [(1, 1)], sme, judge)
    report = measure(session, project)
    held = service.judge_by_name(session, project.id, "judge-a")

    assert not service.is_outdated(session, project, held, report)
    give_pairs(session, [(0, 0)], sme, judge)
    assert service.is_outdated(session, project, held, report)


def test_skips_and_withdrawn_grades_enter_no_figure(  # V-042
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    items = give_pairs(session, [(3, 3), (0, 0), (None, 1), (None, 1)], sme, judge)
    change(session, give(session, items[2], sme, 0), None)

    found = measure(session, project)

    assert (found.figures["n"], found.here["tnr"]) == (2, 1)


def test_one_grade_used_throughout_leaves_kappa_undefined(  # V-061
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    give_pairs(session, [(0, 0)] * 5, sme, judge)

    found = measure(session, project)

    assert (found.here["kappa"], found.here["raw_agreement"]) == (None, 1)
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["kappa_binary"] is None
    assert "binary kappa is undefined: both used one side of the cut only" in found.reasons


def test_only_items_graded_by_both_are_pairs(  # V-062
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    people: list[int | None] = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0]
    judged: list[int | None] = [1, 0, 0, 0, 1, 0, None, None, None, None]
    give_pairs(session, zip(people, judged, strict=True), sme, judge)

    found = measure(session, project).as_json()

    assert (found["n"], found["kappa"]) == (6, pytest.approx(0.6667, abs=5e-5))


def test_weighted_kappa_knows_the_grade_nobody_used(  # V-063
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    pairs = zip([0, 0, 0, 1, 1, 3, 3, 3], [0, 0, 1, 1, 0, 3, 3, 1], strict=True)
    give_pairs(session, pairs, sme, judge)

    here = measure(session, project).here

    figures = [here["kappa"], here["kappa_linear"], here["kappa_quadratic"]]
    assert figures == pytest.approx([0.4419, 0.6279, 0.7624], abs=5e-5)


def test_agreement_stands_beside_kappa_both_distributions_and_the_baseline(  # V-064
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    pairs = [(1, 1)] * 95 + [(1, 0), (1, 0), (1, 0), (0, 1), (0, 1)]
    give_pairs(session, pairs, sme, judge)

    here = measure(session, project).here

    assert here["kappa"] == pytest.approx(-0.0246, abs=5e-5)
    assert (here["raw_agreement"], here["baseline"]) == (0.95, 0.98)
    assert (here["human_counts"][:2], here["judge_counts"][:2]) == ([2, 98], [3, 97])


def test_rates_without_a_class_are_undefined_and_left_out_of_the_mean(  # V-065
    session: Session,
) -> None:
    project = make_project(session, cut=2)
    sme, judge = make_grader(session, project), make_judge(session, project)
    give_pairs(session, [(0, 0), (0, 0), (0, 2), (0, 0), (0, 0)], sme, judge)
    give_pairs(session, [(3, 3), (3, 0)], sme, judge)

    by_query = measure(session, project).figures["by_query"]

    assert by_query["tpr"] == {"mean": 0.5, "n": 1, "of": 2}
    assert by_query["tnr"] == {"mean": 0.8, "n": 1, "of": 2}


def test_what_smes_left_unresolved_enters_nothing_until_it_is_decided(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    (item,) = give_pairs(session, [(0, 3)], sme, judge)
    give(session, item, make_grader(session, project, "bob"), 3)
    before = measure(session, project)

    give(session, item, make_grader(session, project, "eve"), 2, kind="adjudication")
    after = measure(session, project)

    assert (before.figures["n"], before.figures["unresolved"]) == (0, 1)
    assert (after.figures["n"], after.figures["unresolved"]) == (1, 0)
    assert after.here["confusion"][2][3] == 1


def test_a_silent_repeat_is_no_second_opinion(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    (item,) = give_pairs(session, [(3, 3)], sme, judge)
    give(session, item, make_grader(session, project, "bob"), 0, kind="training")

    assert measure(session, project).figures["unresolved"] == 0


def test_a_grade_of_an_older_wording_is_left_out(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    (item,) = give_pairs(session, [(3, 3)], sme, judge)
    held = give(session, item, make_grader(session, project, "bob"), 0)
    other = make_items(session, project, 1)[0]
    held.query_version_id = other.query_ref
    session.flush()

    assert measure(session, project).figures["n"] == 1


def test_each_sme_stands_beside_the_judge_in_the_same_terms(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    bob = make_grader(session, project, "bob")
    items = give_pairs(session, [(1, 1), (0, 0), (3, 3)], sme, judge)
    give(session, items[0], bob, 1)
    give(session, items[1], bob, 3)  # unresolved, and yet it counts here

    smes = measure(session, project).figures["smes"]

    assert [(one["name"], one["graded"], one["n"], one["tpr"], one["tnr"]) for one in smes] == [
        ("ada", 3, 2, 0.5, None),
        ("bob", 2, 2, 1, 0),
    ]


def test_figures_at_cuts_1_and_2_stand_beside_each_other(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    give_pairs(session, [(1, 1), (2, 1), (0, 1)], sme, judge)

    at = measure(session, project).figures["at"]

    assert (at["1"]["tpr"], at["2"]["tpr"]) == (1, 0)


def test_a_judge_may_have_a_cut_of_its_own(session: Session, project: Project) -> None:
    sme, judge = make_grader(session, project), make_judge(session, project, own_cut=2)
    give_pairs(session, [(1, 2), (0, 1)], sme, judge)

    here = measure(session, project).here

    assert (here["tpr"], here["tnr"]) == (1, 1)


def test_disagreements_across_the_cut_come_first(
    session: Session, project: Project, sme: Grader, judge: Grader
) -> None:
    give_pairs(session, [(1, 3), (2, 2), (0, 1)], sme, judge)
    report = measure(session, project)
    held = service.judge_by_name(session, project.id, "judge-a")

    found = service.list_disagreements(session, held, report)

    assert [(one.human, one.judge) for one in found] == [(0, 1), (1, 3)]
    assert found[0].passage.snippet == "An opened item may be returned within 14 days."


def test_no_pair_at_all_is_not_enough_labels(
    session: Session, project: Project, judge: Grader
) -> None:
    report = measure(session, project)

    assert (report.answer, report.here["tpr"]) == ("not enough labels", None)
    assert not any(isinstance(v, float) and math.isnan(v) for v in report.here.values())
    assert project.cut_fixed_at is None


def test_an_unknown_judge_is_refused_with_the_known_ones(
    session: Session, project: Project, judge: Grader
) -> None:
    with pytest.raises(NotFound, match=r"no judge judge-b .* known: judge-a"):
        service.measure_judge(session, project, "judge-b")
    with pytest.raises(Invalid, match="dev or test, not train"):
        service.check_split("train")
