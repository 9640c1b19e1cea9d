from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from comparisons import comparison, factor

from perflab.model.estimate import Estimate
from perflab.profile.profile import Profile
from perflab.profile.tree import Cause, difference, root_causes
from perflab.stats.composite import rank_rounds
from perflab.view.curve import CurvePoint, FactorCell, SweptParameter, curve_chart, factor_curve, factors_chart
from perflab.view.distribution import Fork, Latency, distribution_chart, latency_chart
from perflab.view.flame import flame_chart, flame_difference, shares_chart
from perflab.view.heat import HeatCell, heat_chart, swaps_chart
from perflab.view.history import HistoryPoint, Segment, Step, history_chart
from perflab.view.ratios import ratios_chart
from perflab.view.timeline import Moment, Span, timeline_chart
from perflab.view.trials import TrialPoint, trials_chart
from perflab.view.values import Part, Value, parts_chart, values_chart

if TYPE_CHECKING:
    from perflab.view.chart import Chart

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
        ),
        "values": values_chart(
            [
                Value("locked", Estimate(1.8e6, 1.6e6, 2.0e6, "messages/s"), "before"),
                Value("linked", Estimate(3.1e6, 2.9e6, 3.3e6, "messages/s"), "after"),
            ],
            metric="rate",
            better="higher",
        ),
        "parts": parts_chart(
            [
                Part("locked", "queue", Estimate(80, 70, 90, "ns/actor")),
                Part("locked", "thread", Estimate(300, 280, 320, "ns/actor")),
                Part("linked", "queue", Estimate(20, 18, 22, "ns/actor")),
                Part("linked", "thread", Estimate(310, 290, 330, "ns/actor")),
            ],
        ),
        "distribution": distribution_chart(
            [
                Fork(variant, number, [middle * chance.lognormvariate(0, 0.1) for _ in range(25)])
                for variant, middle in level.items()
                for number in range(4)
            ],
            metric="rate",
            unit="messages/s",
            better="higher",
        ),
        "latency": latency_chart(
            [
                Latency(
                    variant, number, {name: time * chance.lognormvariate(0, 0.1) for name, time in percentiles.items()}
                )
                for variant in level
                for number in range(3)
            ],
            operation="a message",
        ),
        "timeline": timeline_chart(
            [
                Span("producer", "running", 1000, 1.2e6),
                Span("consumer", "parked", 1000, 1e8, "on the old queue"),
                Span("consumer", "running", 1e8, 1.04e8),
            ],
            moments=[Moment(9e5, "queue swapped"), Moment(1e8, "poll times out")],
        ),
        "flame": flame_chart(BEFORE),
        "difference": flame_difference(difference(BEFORE, AFTER)),
        "heat": heat_chart(
            [
                HeatCell("locked", "burst", 0.4, 0.3, note="2.5 ms"),
                HeatCell("locked", "delay", None, void=True, note="void: over the limit"),
                HeatCell("linked", "burst", 1.0, 1.0),
                HeatCell("linked", "delay", 1.0),
            ],
            meaning="speed (share of the best)",
            scores={"linked": "100.0 %", "locked": "20.0 %"},
            score="score",
        ),
        "history": history_chart(
            [
                HistoryPoint(
                    f"{number:07x}",
                    f"2026-01-{number:02} 10:00",
                    factor(level, 0.95 * level, 1.05 * level) if number > 1 else factor(level),
                )
                for number, level in enumerate([1.8, 1.82, 1.79, 1.5, 1.52], start=1)
            ],
            levels=[Segment(0, 2, 1.8), Segment(3, 4, 1.51)],
            steps=[Step(3, "0.84x at 0000003..0000004")],
            metric="rate",
            baseline="locked",
        ),
        "absolute": history_chart(
            [
                HistoryPoint(f"{number:07x}", "2026-01-01 10:00", Estimate(1e6 + number, 9e5, 1.1e6, "ns"))
                for number in range(60)
            ],
            metric="time",
            better="lower",
        ),
        "curve": curve_chart(
            [
                CurvePoint(variant, size, Estimate(1.0, 0.9, 1.1, "messages/s").map((level[variant] * size).__mul__))
                for variant in level
                for size in (1, 2, 4)
            ],
            parameter=SweptParameter("size", "messages at once", [1, 2, 4]),
            metric="rate",
            better="higher",
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
        ),
        "swaps": swaps_chart(rank_rounds({"locked": [1, 3, 1], "linked": [2, 2, 2], "array": [5, 5, 5]}, "higher")),
        "worst": values_chart(
            [
                Value("locked", Estimate(1.8e6, 1.6e6, 2.0e6, "ns"), worst=5e6),
                Value("linked", Estimate(3.1e6, 2.9e6, 3.3e6, "ns"), worst=4e6),
            ],
            metric="time",
            better="lower",
        ),
        "trials": trials_chart(
            [
                TrialPoint(1, "size=4", factor(0.9, 0.8, 1.0)),
                TrialPoint(2, "size=9", factor(2.1, 1.9, 2.3), factor(1.8, 1.7, 1.9)),
                TrialPoint(3, "size=13", None, note="it does not validate"),
            ],
            metric="time (ns)",
            title="settings of linked",
        ),
        "shares": shares_chart({"locked": root_causes(BEFORE, causes), "chunked": root_causes(AFTER, causes)}),
    }


NAMES = tuple(every_chart())


@pytest.fixture(scope="session")
def drawn() -> dict[str, Chart]:
    return every_chart()


@pytest.fixture(params=NAMES)
def chart(request: pytest.FixtureRequest, drawn: dict[str, Chart]) -> Chart:
    found: Chart = drawn[request.param]
    return found
