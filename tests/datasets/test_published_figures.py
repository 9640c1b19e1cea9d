"""The published figures are tidy: what datasets/README.md says of them holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from perflab.claims.ledger import find_ledgers
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    import pandas as pd

DATASETS = CHECKOUT / "datasets"
README = (DATASETS / "README.md").read_text(encoding="utf-8")
TIMES = {"ns", "us", "ms", "s"}


def explained_columns() -> list[tuple[str, str]]:
    """The README's table of columns: each with its explanation, in order."""
    table = README[README.index("| column | meaning |") : README.index("`place`, `section`, `scenario`")]
    rows = re.findall(r"^\| (`.+?`) \| (.*) \|$", table, re.MULTILINE)
    return [(name, meaning) for names, meaning in rows for name in re.findall(r"`(\w+)`", names)]


def words(column: str) -> set[str]:
    """What the README allows in a column."""
    return set(re.findall(r"`([^`]+)`", dict(explained_columns())[column]))


def test_every_ledger_has_published_figures_and_the_readme_names_them() -> None:
    files = {path.name for path in (DATASETS / "published").glob("*.csv")}
    assert {f"{report}.csv" for report in find_ledgers(DATASETS / "claims")} <= files
    assert files == set(re.findall(r"^\| `([\w-]+\.csv)`", README, re.MULTILINE))


def test_the_columns_are_those_that_the_readme_explains(figures: pd.DataFrame) -> None:
    assert list(figures.columns) == [name for name, _ in explained_columns()]


@pytest.mark.parametrize("column", ["place", "unit", "qualifier", "relation", "statistic"])
def test_a_column_holds_only_words_that_the_readme_lists(figures: pd.DataFrame, column: str) -> None:
    may_be_empty = column in {"qualifier", "statistic"}
    assert set(figures[column]) <= words(column) | ({""} if may_be_empty else set())


def test_no_figure_stands_twice(figures: pd.DataFrame) -> None:
    key = re.search(r"((?:`\w+`(?:, | and ))+`\w+`) together are unique", README.replace("\n", " "))
    assert key
    names = re.findall(r"\w+", key[1].replace(" and ", " "))
    assert figures[figures.duplicated(names, keep=False)].empty


def test_what_identifies_a_figure_is_filled_in_and_clean(figures: pd.DataFrame) -> None:
    assert (figures[["section", "scenario", "system", "metric"]] != "").all(axis=None)
    for column in figures.select_dtypes(exclude="number"):
        assert (figures[column] == figures[column].str.strip()).all(), column


def test_every_row_has_a_finite_figure_above_zero(figures: pd.DataFrame) -> None:
    numbers = figures[["value", "low", "high"]].to_numpy()
    assert np.isfinite(numbers).any(axis=1).all()
    assert (numbers[~np.isnan(numbers)] > 0).all()
    assert np.isfinite(numbers[~np.isnan(numbers)]).all()


def test_a_range_has_two_ends_in_order_and_its_value_between_them(figures: pd.DataFrame) -> None:
    assert (figures["low"].isna() == figures["high"].isna()).all()
    ranges = figures[figures["low"].notna()]
    middle = ranges["value"].fillna((ranges["low"] + ranges["high"]) / 2)
    assert ((ranges["low"] < middle) & (middle < ranges["high"])).all()


def test_a_metric_is_always_of_one_dimension(figures: pd.DataFrame) -> None:
    dimension = figures["unit"].where(~figures["unit"].isin(TIMES), "time")
    for metric, found in dimension.groupby(figures["metric"]):
        assert len(set(found)) == 1, metric


def test_nothing_measured_is_below_a_figure(figures: pd.DataFrame) -> None:
    assert not (figures[figures["qualifier"] == "below"]["relation"].isin({"measured", "setting"})).any()
