"""Files: how a judge's labels agree with people's, from two files and no database."""

from collections.abc import Mapping

from app.domain.agreement import measure, pair_grades
from app.domain.gates import as_json, decide
from app.formats.judgments import Duplicates, Judgment, map_grades
from app.formats.loading import load_judgments

PairKey = tuple[str, str]


def agree_files(
    human: str,
    judge: str,
    *,
    cut: int = 1,
    judge_cut: int | None = None,
    human_mapping: Mapping[str, int] | None = None,
    judge_mapping: Mapping[str, int] | None = None,
    duplicates: Duplicates = "refuse",
    skip_bad: bool = False,
) -> dict[str, object]:
    """Return the object of ``goldspan agreement --human FILE --judge FILE --json``.

    Counted are the pairs that both files grade, every pair once and unweighted; mappings
    bring other scales onto 0..3, and ``duplicates`` decides about pairs that come again.

    Raises:
        BadFile: with all bad lines of the first bad file.
        Invalid: where a file or its format cannot be found.
    """
    grades = [
        _by_pair(
            load_judgments(
                path, read=map_grades(mapping), duplicates=duplicates, skip_bad=skip_bad
            )
        )
        for path, mapping in ((human, human_mapping), (judge, judge_mapping))
    ]
    pairs = pair_grades(*grades)
    agreement = measure(list(pairs.values()), cut, judge_cut)
    return as_json(agreement, decide(agreement, len({query_id for query_id, _ in pairs})))


def _by_pair(judgments: list[Judgment]) -> dict[PairKey, int | None]:
    return {(one.row.query_id, one.row.hit): one.grade for one in judgments}
