"""Labels: which grade counts, and whose it is."""

from app.domain.assignment import consensus
from app.domain.labels import Label, choose_label, grade_document

AGREED = consensus([2, 2], 1)
DISPUTED = consensus([0, 3], 1)


def test_an_adjudicator_comes_before_everybody() -> None:
    label = choose_label(adjudicated=0, consensus=AGREED, judge=3, judge_trusted=True)

    assert label == Label(0, "adjudicated")
    assert choose_label(consensus=consensus([0, 3], 1, adjudicated=1)) == Label(
        1, "adjudicated"
    )


def test_smes_come_before_a_trusted_judge() -> None:
    assert choose_label(consensus=AGREED, judge=0, judge_trusted=True) == Label(2, "consensus")


def test_a_trusted_judge_counts_where_no_sme_graded() -> None:
    nobody = consensus([], 1)

    assert choose_label(consensus=nobody, judge=0, judge_trusted=True) == Label(0, "judge")
    assert choose_label(judge=1, judge_trusted=True) == Label(1, "judge")


def test_a_judge_that_is_not_trusted_counts_only_by_override() -> None:
    assert choose_label(judge=3) is None
    assert choose_label(judge=3, override=True) == Label(3, "override")
    assert choose_label(judge=3, judge_trusted=True, override=True) == Label(3, "judge")


def test_a_dispute_of_smes_has_no_label_whatever_the_judge_says() -> None:
    assert choose_label(consensus=DISPUTED, judge=3, judge_trusted=True) is None
    assert choose_label(consensus=DISPUTED, judge=3, override=True) is None


def test_nobody_means_no_label() -> None:
    assert choose_label() is None


def test_a_document_has_the_highest_grade_of_its_spans() -> None:
    assert grade_document([0, 2, 1]) == 2
    assert grade_document([0]) == 0
    assert grade_document([]) is None
