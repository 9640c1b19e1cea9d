"""The published figures are tidy: what datasets/README.md says of them holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

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


def test_every_ledger_has_published_figures_and_the_readme_names_them() -> None:
    files = {path.name for path in (DATASETS / "published").glob("*.csv")}
    assert {f"{report}.csv" for report in find_ledgers(DATASETS / "claims")} <= files
    assert files == set(re.findall(r"^\| `([\w-]+\.csv)`", README, re.MULTILINE))


def test_columns_and_words_are_those_that_the_readme_explains(figures: pd.DataFrame) -> None:
    explained = dict(explained_columns())
    assert list(figures.columns) == list(explained)
    for column in ("place", "unit", "qualifier", "relation", "statistic"):
        allowed = set(re.findall(r"`([^`]+)`", explained[column]))
        assert set(figures[column]) <= allowed | ({""} if column in {"qualifier", "statistic"} else set()), column


def test_no_figure_stands_twice_and_what_identifies_it_is_filled_in(figures: pd.DataFrame) -> None:
    key = re.search(r"((?:`\w+`(?:, | and ))+`\w+`) together are unique", README.replace("\n", " "))
    assert key
    names = re.findall(r"\w+", key[1].replace(" and ", " "))
    assert figures[figures.duplicated(names, keep=False)].empty
    assert (figures[["section", "scenario", "system", "metric"]] != "").all(axis=None)
    for column in figures.select_dtypes(exclude="number"):
        assert (figures[column] == figures[column].str.strip()).all(), column


def test_numbers_are_finite_and_above_zero_and_a_ranges_value_lies_in_it(figures: pd.DataFrame) -> None:
    numbers = figures[["value", "low", "high"]].to_numpy()
    assert np.isfinite(numbers).any(axis=1).all()
    assert (numbers[~np.isnan(numbers)] > 0).all()
    assert np.isfinite(numbers[~np.isnan(numbers)]).all()
    assert (figures["low"].isna() == figures["high"].isna()).all()
    ranges = figures[figures["low"].notna()]
    middle = ranges["value"].fillna((ranges["low"] + ranges["high"]) / 2)
    assert ((ranges["low"] < middle) & (middle < ranges["high"])).all()
    dimension = figures["unit"].where(~figures["unit"].isin(TIMES), "time")
    for metric, found in dimension.groupby(figures["metric"]):
        assert len(set(found)) == 1, metric
    assert not (figures[figures["qualifier"] == "below"]["relation"].isin({"measured", "setting"})).any()
