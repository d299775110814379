"""Files: what runs score against labels, from files and no database."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.domain.metric_names import Metric
from app.domain.metrics import NoRelevant, evaluate
from app.domain.ordering import Rule
from app.errors import Invalid
from app.evaluation.units import count_units
from app.formats.judgments import Duplicates, read_foreign_grade
from app.formats.loading import load_hits, load_judgments, name_run


def evaluate_files(
    qrels: str,
    runs: Sequence[str],
    metrics: Sequence[Metric] | None = None,
    *,
    cut: int = 1,
    per_query: bool = True,
    no_relevant: NoRelevant = "skip",
    order: Rule = "score",
    duplicates: Duplicates = "refuse",
) -> dict[str, Any]:
    """Return the object of ``goldspan evaluate --qrels FILE --run FILE... --json``.

    Grades may be whole numbers of any scale, as for trec_eval: the gain of nDCG is the grade
    and relevant is ``grade >= cut``. What is counted is said under ``unit``, see
    `units.count_units`; ``unmatched`` of the ``answers`` found for labelled queries have no
    label. A run's name is its file's, without the endings.

    Raises:
        BadFile: with all bad lines of the first bad file.
        Invalid: where a file or its format cannot be found, or two runs have one name.
    """
    names = _name_runs(runs)
    judgments = load_judgments(qrels, read=read_foreign_grade, duplicates=duplicates)
    found = {}
    for name, path in names.items():
        units = count_units(judgments, load_hits(path), order)
        evaluation = evaluate(units.qrels, units.run, metrics, cut=cut, no_relevant=no_relevant)
        counted = {"answers": units.answers, "unmatched": units.unmatched}
        found[name] = {"unit": units.unit} | counted | evaluation.as_json(per_query=per_query)
    return {"runs": found}


def _name_runs(paths: Iterable[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for path in paths:
        name = name_run(path)
        if name in names:
            raise Invalid(
                f"{names[name]} and {path} would both be named {name}; rename one file."
            )
        names[name] = path
    return names
