"""The committed data sets, each test once for each report."""

from __future__ import annotations

import pandas as pd
import pytest

from perflab.claims.ledger import Ledger, find_ledgers, read_ledger
from perflab.model.lab import CHECKOUT

# Not `Lab.from_environment().claims`: the environment may point that elsewhere, and these test what is committed.
PUBLISHED = CHECKOUT / "datasets" / "published"
CLAIMS = CHECKOUT / "datasets" / "claims"


def read_figures(report: str) -> pd.DataFrame:
    figures = pd.read_csv(PUBLISHED / f"{report}.csv", dtype=str, keep_default_na=False)
    return figures.assign(**{name: pd.to_numeric(figures[name]) for name in ("value", "low", "high")})


@pytest.fixture(params=sorted(path.stem for path in PUBLISHED.glob("*.csv")))
def figures(request: pytest.FixtureRequest) -> pd.DataFrame:
    """A report's published figures; texts that are left out are empty, numbers NaN."""
    return read_figures(request.param)


@pytest.fixture(params=sorted(find_ledgers(CLAIMS)))
def ledger(request: pytest.FixtureRequest) -> Ledger:
    """A report's ledger."""
    return read_ledger(request.param, CLAIMS)


@pytest.fixture
def published(ledger: Ledger) -> pd.DataFrame:
    """The published figures of the ledger's report."""
    return read_figures(ledger.report)
