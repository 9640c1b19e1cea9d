"""The ledgers name only what exists: figures that were published, scenarios, variants, causes and tests."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from perflab.claims.ledger import check_ledger, find_ledgers
from perflab.claims.requirements import required_by
from perflab.measure.presets import PRESETS
from perflab.model.lab import Lab
from perflab.topics.build import build
from perflab.topics.catalogue import find_component
from perflab.topics.program import describe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from perflab.claims.ledger import Claim, Ledger

LAB = Lab.from_environment()

QUICK_REPRODUCTION_S = 300
WHOLE_PERCENT = 100
SOURCES = {".java", ".kt", ".rs", ".cs", ".cpp", ".py"}
BUILT = {"target", "build", "bin", "obj"}


def test_a_ledger_is_named_after_its_report_and_belongs_to_the_topic_of_that_report(ledger: Ledger) -> None:
    component = find_component(LAB, ledger.component)
    assert component.manifest.report == ledger.report
    assert ledger.report in find_ledgers(LAB.claims)
    for claim in ledger.claims:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id), claim.id
        assert claim.statement.endswith("."), claim.id
        assert claim.where, claim.id
        assert claim.note.endswith("."), claim.id
        # Only the lines of a file of a known checksum are the same for all.
        assert bool(claim.lines) or claim.ours or not ledger.sha256, claim.id
        assert not claim.lines or ledger.sha256, claim.id
        assert not (claim.ours and claim.kind != "fidelity" and claim.published.range), claim.id
        # A figure may differ on the next machine; that a lock is taken may not.
        assert not claim.expected or (claim.kind, claim.shows) == ("mechanism", "reproduced"), claim.id


def test_a_published_figure_stands_in_the_report_where_the_claim_says(ledger: Ledger, published: pd.DataFrame) -> None:
    for claim in ledger.claims:
        # What upstream measured of its own, which a fidelity is held against, stands in no report.
        if claim.published.range is not None and claim.kind != "fidelity":
            section = published[published["section"] == claim.where]
            # A quotient is given with four digits.
            close = (pytest.approx(found, rel=5e-4) for found in _published(claim, section))
            assert any(claim.published.range == found for found in close), claim.id


def _published(claim: Claim, section: pd.DataFrame) -> set[tuple[float, float]]:
    return {*_stated(claim, section), *_quotients(claim, section), *_factors(claim, section)}


def _stated(claim: Claim, section: pd.DataFrame) -> Iterator[tuple[float, float]]:
    rows = section[section["unit"] == claim.published.unit]
    # A row is a value, maybe with its error, or a range alone.
    yield from zip(rows["value"].fillna(rows["low"]), rows["value"].fillna(rows["high"]), strict=True)


def _quotients(claim: Claim, section: pd.DataFrame) -> Iterator[tuple[float, float]]:
    """What a table says by putting two figures of one metric side by side: so many times as much."""
    if claim.published.unit != "x":
        return
    for _, rows in section.groupby(["scenario", "metric", "statistic", "unit"]):
        for one, other in permutations(rows["value"].dropna(), 2):
            yield one / other, one / other


def _factors(claim: Claim, section: pd.DataFrame) -> Iterator[tuple[float, float]]:
    """What a reduction says: one by 80 % leaves a fifth, so it is five times as little."""
    if claim.published.unit != "x":
        return
    rows = section[(section["unit"] == "%") & section["metric"].str.contains("reduction")]
    for low, high in zip(rows["value"].fillna(rows["low"]), rows["value"].fillna(rows["high"]), strict=True):
        if high < WHOLE_PERCENT:
            yield WHOLE_PERCENT / (WHOLE_PERCENT - low), WHOLE_PERCENT / (WHOLE_PERCENT - high)


def test_the_test_that_shows_a_mechanism_is_in_the_components_sources(ledger: Ledger) -> None:
    sources = _sources(find_component(LAB, ledger.component).folder)
    for name in {claim.test for claim in ledger.claims if claim.kind == "mechanism" and not claim.missing}:
        kind, _, method = name.partition("#")
        # GoogleTest's suites have no file of their own name.
        declared = rf"\b\w*TEST\w*\(\s*{kind},\s*{method}\s*\)"
        holds = [
            stem
            for stem, text in sources
            if (stem == kind and re.search(rf"\b{method}\s*\(", text)) or re.search(declared, text)
        ]
        assert holds, f"{name} is nowhere in the sources of {ledger.component}"


def test_a_cause_names_methods_that_its_component_still_has(ledger: Ledger) -> None:
    component = find_component(LAB, ledger.component)
    sources = dict(_sources(component.folder))
    for cause in component.manifest.causes:
        for kind, several, one in re.findall(r"([A-Z]\w+)\\\.(?:\(([\w|]+)\)|([A-Za-z]\w*))", cause.frames):
            for method in (several or one).split("|") if kind in sources else []:
                assert re.search(rf"\b{method}\(", sources[kind]), f"{cause.name}: {kind} has no {method}"


def _sources(folder: Path) -> list[tuple[str, str]]:
    files = [path for path in folder.rglob("*") if path.suffix in SOURCES and not BUILT & set(path.parts)]
    return [(path.stem, path.read_text(encoding="utf-8")) for path in files]


@pytest.mark.build
def test_what_it_names_exists_and_a_quick_reproduction_fits_into_its_time(ledger: Ledger) -> None:
    component = find_component(LAB, ledger.component)
    build(component)
    description = describe(component)
    check_ledger(ledger, component, description)
    measurements = required_by(ledger, description).measurements
    assert len(measurements) * PRESETS["quick"].budget_s <= QUICK_REPRODUCTION_S
