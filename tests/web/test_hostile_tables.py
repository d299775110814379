"""Tables for people: nothing in them runs as a formula; numbers stay numbers."""

import pytest

from app.evaluation.reports import csv_line


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        pytest.param("-1+1", "'-1+1", id="a sum"),
        pytest.param("=1", "'=1", id="a formula"),
        pytest.param("@SUM(1)", "'@SUM(1)", id="a function"),
        pytest.param("+4", "+4", id="a number as text"),
        pytest.param("-5", "-5", id="a negative number as text"),
        pytest.param(-5, "-5", id="a number"),
        pytest.param("\t=1", "'\t'=1", id="behind a tab"),
        pytest.param("\r=1", "'\r'=1", id="behind a line end"),
        pytest.param("＝1", "'＝1", id="a wide sign"),
        pytest.param(";=1", ";'=1", id="behind another separator"),
        pytest.param("bm25@chars:400:100", "bm25@chars:400:100", id="a run"),
        pytest.param(None, "", id="undefined"),
    ],
)
def test_v086_no_cell_is_a_formula(cell: object, written: str) -> None:
    assert csv_line([cell, "x"]) == f"{written},x\n"
