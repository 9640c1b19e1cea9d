"""The published figures that belong beside a run's."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from perflab.claims import find_ledgers, read_ledger

if TYPE_CHECKING:
    from perflab.analysis import Analysis
    from perflab.claims import Ledger


def published_ratios(analysis: Analysis) -> dict[str, float]:
    """For each candidate the ratio that a report publishes over the same baseline; the middle of a published range."""
    header = analysis.run.header
    found: dict[str, float] = {}
    for ledger in _ledgers():
        if ledger.component != header.component:
            continue
        for claim in ledger.claims:
            same = (
                claim.kind == "ratio"
                and (claim.scenario, claim.baseline) == (header.scenario.name, analysis.baseline)
                and header.scenario.settings(claim.params) == header.settings
                and (claim.metric or header.scenario.headline.name) == analysis.metric.name
            )
            if same and claim.published.range is not None:
                found.setdefault(claim.candidate, sum(claim.published.range) / 2)
    return found


def _ledgers() -> list[Ledger]:
    return _read(tuple((name, path.stat().st_mtime_ns) for name, path in find_ledgers().items()))


@functools.lru_cache(maxsize=1)
def _read(stamps: tuple[tuple[str, int], ...]) -> list[Ledger]:
    # A report draws hundreds of charts.
    return [read_ledger(name) for name, _ in stamps]
