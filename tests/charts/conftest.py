from __future__ import annotations

import random

import pytest

from perflab.charts import (
    Chart,
    Fork,
    Latency,
    Moment,
    Part,
    Ratio,
    Span,
    Value,
    distribution,
    flame,
    flame_difference,
    latency,
    parts,
    ratios,
    shares,
    timeline,
    values,
)
from perflab.profiles import Cause, Profile, difference, root_causes

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
        "ratios": ratios(
            [Ratio("linked", 1.83, 1.61, 2.05, "faster", 5.2), Ratio("array", 0.99, 0.93, 1.04, "no difference")],
            baseline="locked",
            metric="rate (messages/s)",
            noise=(0.94, 1.0638),
        ),
        "values": values(
            [Value("locked", 1.8e6, 1.6e6, 2.0e6, "before"), Value("linked", 3.1e6, 2.9e6, 3.3e6, "after")],
            metric="rate",
            unit="messages/s",
            better="higher",
        ),
        "parts": parts(
            [
                Part("locked", "queue", 80, 70, 90),
                Part("locked", "thread", 300, 280, 320),
                Part("linked", "queue", 20, 18, 22),
                Part("linked", "thread", 310, 290, 330),
            ],
            unit="ns/actor",
        ),
        "distribution": distribution(
            [
                Fork(variant, number, [middle * chance.lognormvariate(0, 0.1) for _ in range(25)])
                for variant, middle in level.items()
                for number in range(4)
            ],
            metric="rate",
            unit="messages/s",
            better="higher",
        ),
        "latency": latency(
            [
                Latency(
                    variant, number, {name: time * chance.lognormvariate(0, 0.1) for name, time in percentiles.items()}
                )
                for variant in level
                for number in range(3)
            ],
            operation="a message",
        ),
        "timeline": timeline(
            [
                Span("producer", "running", 1000, 1.2e6),
                Span("consumer", "parked", 1000, 1e8, "on the old queue"),
                Span("consumer", "running", 1e8, 1.04e8),
            ],
            moments=[Moment(9e5, "queue swapped"), Moment(1e8, "poll times out")],
        ),
        "flame": flame(BEFORE),
        "difference": flame_difference(difference(BEFORE, AFTER)),
        "shares": shares({"locked": root_causes(BEFORE, causes), "chunked": root_causes(AFTER, causes)}),
    }


NAMES = tuple(every_chart())


@pytest.fixture(scope="session")
def drawn() -> dict[str, Chart]:
    return every_chart()


@pytest.fixture(params=NAMES)
def chart(request: pytest.FixtureRequest, drawn: dict[str, Chart]) -> Chart:
    found: Chart = drawn[request.param]
    return found
