"""The header of a sweep of three points on a cluster, of which no component is asked."""

from __future__ import annotations

from perflab.store.sweeps import SweepHeader

HEADER = SweepHeader(
    id="20260101-000000-toy-sum-sweep-0000",
    created="2026-01-01T00:00:00+00:00",
    component="toy",
    scenario="sum",
    variants=["a", "b"],
    baseline="a",
    over={"size": [1, 2, 3]},
    params={},
    preset="smoke",
    options={},
    seed=1,
    perflab="0",
    on_cluster=True,
)
