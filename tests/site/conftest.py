"""A report on a ledger with a claim of each kind, whose evidence is made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evidence_by_hand import lay_out
from sites import build_site

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.site.site import SiteResult


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteResult:
    folder = tmp_path_factory.mktemp("report")
    return build_site(folder / "site", **lay_out(folder))


@pytest.fixture
def folder(site: SiteResult) -> Path:
    return site.index.parent
