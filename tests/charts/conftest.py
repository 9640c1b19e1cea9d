from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from comparisons import comparison, factor
from runs import HEADER

from perflab.charts.curve import CurvePoint, FactorCell, SweptParameter, curve_chart, factor_curve, factors_chart
from perflab.charts.distribution import ForkSamples, Latency, distribution_chart, latency_chart
from perflab.charts.estimates import (
    CostPart,
    Value,
    history_chart,
    parts_chart,
    ratios_chart,
    search_chart,
    values_chart,
)
from perflab.charts.flame import flame_chart, flame_difference, shares_chart
from perflab.charts.heat import heat_chart, swaps_chart
from perflab.charts.timeline import Moment, Span, timeline_chart
from perflab.claims.history import HistoryPoint, Series
from perflab.claims.standings import Standings, TableCell
from perflab.model.estimate import Estimate
from perflab.model.protocol import Metric
from perflab.profile.profile import Profile
from perflab.profile.tree import difference, root_causes
from perflab.stats.composite import Score, rank_rounds
from perflab.store.kept import Confirmation, SearchResult, Trial
from perflab.topics.manifest import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perflab.charts.chart import Chart

PARK = ("java.util.concurrent.locks.LockSupport.park", "jdk.internal.misc.Unsafe.park", "__futex_abstimed_wait_common")
BEFORE = Profile(
    "wall",
    "ns",
    {
        ("java.lang.Thread.run", "org.example.Box.poll", *PARK): 6.2e9,
        ("java.lang.Thread.run", "org.example.Box.poll", "org.example.Box.copy"): 0.8e9,
        ("java.lang.Thread.run", "org.example.Handler.handle"): 2.1e9,
        ("java.lang.Thread.run", "org.example.Handler.handle", "byte[]"): 4e6,
        ("do_syscall_64 [kernel]",): 1e6,
    },
    title="locked",
    operations=1_000_000,
)
AFTER = Profile(
    "wall",
    "ns",
    {
        ("java.lang.Thread.run", "org.example.Box.poll", *PARK): 0.9e9,
        ("java.lang.Thread.run", "org.example.Box.spin"): 0.4e9,
        ("java.lang.Thread.run", "org.example.Handler.handle"): 2.2e9,
    },
    title="chunked",
    operations=1_100_000,
)


def share(value: float) -> Estimate:
    return Estimate(value, value, value, "share")


def table(cells: dict[tuple[str, str], TableCell], scores: dict[str, float], worst: str = "p99") -> Standings:
    variants, scenarios = (list(dict.fromkeys(key[place] for key in cells)) for place in (0, 1))
    one = share(1.0)
    return Standings(
        component="mailbox",
        runs=dict.fromkeys(scenarios),  # type: ignore[arg-type] - the chart needs their names alone
        worst=worst,
        variants=variants,
        cells=cells,
        scores=[Score(name, {}, share(mean), one, one, scenarios[0]) for name, mean in scores.items()],
        worst_scores=[],
        rankings={},
    )


def series(levels: Iterable[float], estimate: Callable[[float], Estimate], baseline: str = "locked") -> Series:
    points = [
        HistoryPoint(f"run-{number}", "2026-01-01T10:00:00Z", f"{number:07x}{number:033x}", False, estimate(level), 8)
        for number, level in enumerate(levels, start=1)
    ]
    metric = Metric("rate", "rate", "messages/s", "higher") if baseline else Metric("time", "time", "ns", "lower")
    return Series(
        "mailbox", "burst", {"size": 4}, metric, "linked", baseline, HEADER.machine, HEADER.shape_text, points
    )


def searched() -> Chart:
    def trial(number: int, size: int, estimate: Estimate | None, failure: str = "") -> Trial:
        found = comparison(f"size={size}", estimate).to_dict() if estimate else None
        return Trial(number, {"size": size}, comparison=found, failure=failure)

    chart = search_chart(
        SearchResult(
            search="search-1",
            topic="mailbox",
            scenario="burst (ns)",
            variant="linked",
            over={"size": "4..16"},
            default={"size": 8},
            trials=[
                trial(1, 4, factor(0.9, 0.8, 1.0)),
                trial(2, 9, factor(2.1, 1.9, 2.3)),
                trial(3, 13, None, "it does not validate"),
            ],
            confirmed=Confirmation("again", {}, [comparison("size=9", factor(1.8, 1.7, 1.9)).to_dict()]),
        )
    )
    assert chart is not None
    return chart


def every_chart() -> dict[str, Chart]:
    chance = random.Random(5)  # noqa: S311 - a fixture, not a secret
    level = {"locked": 1.8e6, "linked": 3.1e6}
    causes = [Cause("waiting for the lock", "wall", "park"), Cause("handling", "wall", "handle")]
    percentiles = {"p0": 210, "p50": 800, "p90": 2100, "p99": 9000, "p99.9": 81_000, "max": 95_000_000}
    return {
        "ratios": ratios_chart(
            [
                comparison("linked", factor(1.83, 1.61, 2.05), "faster", "locked"),
                comparison("array", factor(0.99, 0.93, 1.04), "no difference", "locked"),
            ],
            metric="rate (messages/s)",
            noise=factor(1.0, 0.94, 1.0638),
            published={"linked": 5.2},
            title="burst: against locked",
        ),
        "values": values_chart(
            [
                Value("locked", Estimate(1.8e6, 1.6e6, 2.0e6, "messages/s"), "before"),
                Value("linked", Estimate(3.1e6, 2.9e6, 3.3e6, "messages/s"), "after"),
            ],
            metric="rate",
            better="higher",
            title="burst",
        ),
        "parts": parts_chart(
            [
                CostPart("locked", "queue", Estimate(80, 70, 90, "ns/actor")),
                CostPart("locked", "thread", Estimate(300, 280, 320, "ns/actor")),
                CostPart("linked", "queue", Estimate(20, 18, 22, "ns/actor")),
                CostPart("linked", "thread", Estimate(310, 290, 330, "ns/actor")),
            ],
            title="what it is made of",
        ),
        "distribution": distribution_chart(
            [
                ForkSamples(variant, number, [middle * chance.lognormvariate(0, 0.1) for _ in range(25)])
                for variant, middle in level.items()
                for number in range(4)
            ],
            metric="rate",
            unit="messages/s",
            better="higher",
            title="burst",
        ),
        "latency": latency_chart(
            [
                Latency(
                    variant, number, {name: time * chance.lognormvariate(0, 0.1) for name, time in percentiles.items()}
                )
                for variant in level
                for number in range(3)
            ],
            title="latency percentiles",
        ),
        "timeline": timeline_chart(
            [
                Span("producer", "running", 1000, 1.2e6),
                Span("consumer", "parked", 1000, 1e8, "on the old queue"),
                Span("consumer", "running", 1e8, 1.04e8),
            ],
            moments=[Moment(9e5, "queue swapped"), Moment(1e8, "poll times out")],
        ),
        "flame": flame_chart(BEFORE, title="locked: wall"),
        "difference": flame_difference(difference(BEFORE, AFTER), title="From locked to chunked: wall"),
        "heat": heat_chart(
            table(
                {
                    ("locked", "burst"): TableCell(share=share(0.4), worst_share=share(0.3)),
                    ("locked", "delay"): TableCell(share=share(0), void="over the limit"),
                    ("linked", "burst"): TableCell(share=share(1.0), worst_share=share(1.0)),
                    ("linked", "delay"): TableCell(share=share(1.0)),
                },
                {"linked": 1.0, "locked": 0.2},
            )
        ),
        "history": history_chart(
            series(
                [1.8, 1.82, 1.79, 1.81, 1.8, 1.5, 1.52, 1.49, 1.51, 1.5],
                lambda level: factor(level, 0.95 * level, 1.05 * level),
            )
        ),
        "absolute": history_chart(series(range(60), lambda number: Estimate(1e6 + number % 3, 9e5, 1.1e6, "ns"), "")),
        "curve": curve_chart(
            [
                CurvePoint(variant, size, Estimate(1.0, 0.9, 1.1, "messages/s").map((level[variant] * size).__mul__))
                for variant in level
                for size in (1, 2, 4)
            ],
            parameter=SweptParameter("size", "messages at once", [1, 2, 4]),
            metric="rate",
            better="higher",
            title="rate over size",
            note="point by point",
        ),
        "factor_curve": factor_curve(
            [
                CurvePoint("linked", 64, factor(1.8, 1.6, 2.1)),
                CurvePoint("linked", 4096, factor(0.9, 0.7, 1.1)),
                CurvePoint("array", 64, factor(1.1)),
            ],
            parameter=SweptParameter("size", "messages at once", [64, 512, 4096]),
            baseline="locked",
            title="over locked",
        ),
        "factors": factors_chart(
            [
                FactorCell(1, 64, factor(1.02, 0.97, 1.06)),
                FactorCell(1, 4096, factor(2.4, 2.2, 2.6)),
                FactorCell(8, 64, factor(0.5, 0.4, 0.6)),
                FactorCell(8, 4096, None, why="void"),
            ],
            rows=SweptParameter("batch", "", [1, 8]),
            columns=SweptParameter("size", "messages at once", [64, 4096]),
            candidate="linked",
            baseline="locked",
            title="linked over locked",
        ),
        "swaps": swaps_chart(
            rank_rounds({"locked": [1, 3, 1], "linked": [2, 2, 2], "array": [5, 5, 5]}, "higher"),
            title="rank stability",
        ),
        "worst": values_chart(
            [
                Value("locked", Estimate(1.8e6, 1.6e6, 2.0e6, "ns"), worst=5e6),
                Value("linked", Estimate(3.1e6, 2.9e6, 3.3e6, "ns"), worst=4e6),
            ],
            metric="time",
            better="lower",
            title="burst",
        ),
        "trials": searched(),
        "shares": shares_chart(
            {"locked": root_causes(BEFORE, causes), "chunked": root_causes(AFTER, causes)}, title="root causes"
        ),
    }


NAMES = tuple(every_chart())


@pytest.fixture(scope="session")
def drawn() -> dict[str, Chart]:
    return every_chart()


@pytest.fixture(params=NAMES)
def chart(request: pytest.FixtureRequest, drawn: dict[str, Chart]) -> Chart:
    found: Chart = drawn[request.param]
    return found
