"""Agreement of two files, against figures computed by other tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.agreement.files import agree_files
from app.errors import BadFile
from app.formats.judgments import Duplicates
from tests.data import collection


def expected_of(judge: str) -> dict[str, Any]:
    path = collection("dl21-passage-A") / "expected" / "agreement.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["judges"][judge]
    return found


def agree(judge: str, **options: Any) -> dict[str, Any]:
    folder = collection("dl21-passage-A")
    return agree_files(
        str(folder / "qrels.trec"), str(folder / "judges" / f"{judge}.trec"), **options
    )


def check_figures(found: dict[str, Any], expected: dict[str, Any], cut: int) -> None:
    at_cut = expected["at_threshold"][f"human>={cut},judge>={cut}"]
    assert found["n"] == expected["n_pairs"]
    assert found["confusion"] == expected["confusion_rows_human_cols_judge"]
    figures = {name: found[name] for name in ("tpr", "tnr", "kappa_binary")}
    assert figures == pytest.approx(
        {"tpr": at_cut["TPR"], "tnr": at_cut["TNR"], "kappa_binary": at_cut["kappa"]}, abs=5e-5
    )
    figures = {name: found[name] for name in ("kappa", "kappa_quadratic", "alpha_ordinal")}
    assert figures == pytest.approx(
        {
            "kappa": expected["kappa_nominal"],
            "kappa_quadratic": expected["kappa_quadratic"],
            "alpha_ordinal": expected["alpha_ordinal"],
        },
        abs=5e-5,
    )


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_judge_agrees_as_published_tools_say(cut: int) -> None:
    check_figures(agree("umbrela-gpt-4o", cut=cut), expected_of("umbrela-gpt-4o"), cut)


@pytest.mark.parametrize(
    ("rule", "key"),
    [("first", "first_label"), ("last", "last_label"), ("majority", "majority_ties_to_lower")],
    ids=lambda value: str(value),
)
def test_repeated_labels_are_settled_by_the_rule(rule: Duplicates, key: str) -> None:
    found = agree("umbrela-llama3.2", duplicates=rule)

    check_figures(found, expected_of("umbrela-llama3.2")[key], 1)


def test_repeated_labels_without_a_rule_are_refused() -> None:
    with pytest.raises(
        BadFile, match=r"umbrela-llama3.2.trec, line 5717: .*--duplicates first"
    ):
        agree("umbrela-llama3.2")


def test_the_object_has_the_keys_of_the_contract() -> None:
    assert list(agree("umbrela-gpt-4o")) == [
        "n",
        "confusion",
        "tpr",
        "tnr",
        "kappa",
        "kappa_binary",
        "kappa_quadratic",
        "alpha_ordinal",
        "intervals",
        "gate",
    ]


def test_another_scale_needs_a_mapping(tmp_path: Path) -> None:
    human, judge = tmp_path / "human", tmp_path / "judge"
    human.write_text("q 0 a 3\nq 0 b 0\nq 0 c 1\n", encoding="utf-8")
    judge.write_text("q 0 a yes\nq 0 b no\n", encoding="utf-8")

    with pytest.raises(BadFile, match="line 1: grade 'yes' is not 0, 1, 2 or 3"):
        agree_files(str(human), str(judge))
    found = agree_files(str(human), str(judge), judge_mapping={"yes": 3, "no": 0})
    assert (found["n"], found["tpr"], found["tnr"]) == (2, 1, 1)


def test_files_without_a_common_pair_leave_everything_undefined(tmp_path: Path) -> None:
    human, judge = tmp_path / "human", tmp_path / "judge"
    human.write_text("q 0 a 3\n", encoding="utf-8")
    judge.write_text("q 0 b 3\n", encoding="utf-8")

    found = agree_files(str(human), str(judge))

    assert (found["n"], found["tpr"], found["kappa"]) == (0, None, None)
    assert found["gate"]["answer"] == "not enough labels"  # type: ignore[index]
