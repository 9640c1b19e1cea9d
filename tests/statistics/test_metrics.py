"""Metric expressions: over a fork's samples, and over a table of all forks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.model.protocol import Sample
from perflab.stats.columns import Columns
from perflab.stats.metrics import fork_value, fork_values, operations_needed

SAMPLES = [
    Sample(0, 100, 2_000_000, {"p50": 10, "p99.9": 300, "max": 900}, {"refused": 5, "gc/minor": 1, "cpu": 1_000_000}),
    Sample(1, 300, 2_000_000, {"p50": 30}, {"refused": 3, "gc/minor": 0, "cpu": 3_000_000}),
    Sample(2, 200, 4_000_000, {"p50": 11}, {"cpu": 4_000_000}),
]

FIGURES = [
    ("rate", 600 / 0.008),
    ("time", 8_000_000 / 600),
    ("p50", 11),
    ("p99.9", 300),
    ("max", 900),
    ("counter:refused/op", 8 / 600),
    ("counter:refused/s", 8 / 0.008),
    ("counter:cpu/ns", 1.0),
    ("counter:gc/minor/s", 1 / 0.008),
]


def table_of(forks: dict[tuple[int, str], list[Sample]]) -> Columns:
    rows = [
        {"round": round_, "variant": variant, "ops": sample.ops, "ns": sample.ns}
        | {f"p:{key}": value for key, value in sample.percentiles.items()}
        | {f"c:{name}": value for name, value in sample.counters.items()}
        for (round_, variant), samples in forks.items()
        for sample in samples
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    return Columns((name, np.array([row.get(name, math.nan) for row in rows])) for name in names)


@pytest.mark.parametrize(("of", "expected"), FIGURES)
def test_every_form_over_samples(of: str, expected: float) -> None:
    assert fork_value(SAMPLES, of) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("of", "expected"), FIGURES)
def test_every_form_over_a_table(of: str, expected: float) -> None:
    values = fork_values(table_of({(0, "a"): SAMPLES, (1, "a"): SAMPLES[:1]}), of)
    assert values[(0, "a")] == pytest.approx(expected, rel=1e-12)
    assert values[(1, "a")] == pytest.approx(fork_value(SAMPLES[:1], of), rel=1e-12)


def test_a_rate_is_of_totals_not_a_mean_of_rates() -> None:
    uneven = [Sample(0, 1, 1), Sample(1, 1, 999_999_999)]
    assert fork_value(uneven, "rate") == pytest.approx(2.0)


@pytest.mark.parametrize(
    "of", ["", "rate/s", "counter:", "counter:refused", "counter:/op", "counter:refused/h", "p:50"]
)
def test_an_unknown_form_is_refused_with_the_allowed_ones(of: str) -> None:
    with pytest.raises(ValueError, match=r"rate, time, a percentile .*counter:NAME/op"):
        fork_value(SAMPLES, of)
    with pytest.raises(ValueError, match=r"rate, time, a percentile .*counter:NAME/op"):
        fork_values(table_of({(0, "a"): SAMPLES}), of)


@pytest.mark.parametrize(("of", "known"), [("p42", "max, p50, p99.9"), ("counter:lost/op", "cpu, gc/minor, refused")])
def test_an_unknown_key_is_refused_with_the_known_ones(of: str, known: str) -> None:
    with pytest.raises(ValueError, match=known):
        fork_value(SAMPLES, of)
    with pytest.raises(ValueError, match=known):
        fork_values(table_of({(0, "a"): SAMPLES}), of)


def test_no_samples_and_no_time_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        fork_value([], "rate")
    with pytest.raises(ValueError, match="above zero"):
        fork_value([Sample(0, 1, 0)], "rate")
    with pytest.raises(ValueError, match=r"above zero.*1.*'b'"):
        fork_values(table_of({(0, "a"): SAMPLES, (1, "b"): [Sample(0, 0, 5)]}), "time")


def test_a_fork_that_does_not_report_a_key_is_missing_not_zero() -> None:
    rows = table_of({(0, "a"): SAMPLES, (0, "b"): [Sample(0, 10, 10)]})
    assert math.isnan(fork_values(rows, "counter:refused/op")[(0, "b")])
    assert math.isnan(fork_values(rows, "p50")[(0, "b")])


def test_a_sum_is_exact_whatever_its_order_and_may_be_infinite() -> None:
    large = [Sample(0, 1, 1, {}, {"x": value}) for value in (1e16, 1.0, 1.0, -1e16)]
    huge = [Sample(0, 1, 1, {}, {"x": 1.7e308})] * 2
    values = fork_values(table_of({(0, "a"): large, (0, "b"): huge}), "counter:x/op")
    assert values == {(0, "a"): 0.5, (0, "b"): math.inf}


amounts = st.floats(1e-3, 1e12)
samples = st.builds(
    Sample,
    i=st.just(0),
    ops=amounts,
    ns=amounts,
    percentiles=st.dictionaries(st.sampled_from(["p50", "p99"]), amounts),
    counters=st.dictionaries(st.sampled_from(["hits", "gc/major"]), st.floats(0, 1e9)),
)
fork_keys = st.tuples(st.integers(0, 3), st.sampled_from(["a", "b"]))
expressions = st.sampled_from(
    ["rate", "time", "p50", "p99", "counter:hits/op", "counter:gc/major/s", "counter:hits/ns"]
)


@given(forks=st.dictionaries(fork_keys, st.lists(samples, min_size=1, max_size=6), min_size=1), of=expressions)
def test_both_paths_give_the_same(forks: dict[tuple[int, str], list[Sample]], of: str) -> None:
    singly = {}
    for key, fork in forks.items():
        try:
            singly[key] = fork_value(fork, of)
        except ValueError:
            singly[key] = math.nan
    if all(math.isnan(value) for value in singly.values()):
        with pytest.raises(ValueError, match="unknown"):
            fork_values(table_of(forks), of)
        return
    together = fork_values(table_of(forks), of)
    assert list(together) == sorted(forks)
    np.testing.assert_allclose([together[key] for key in forks], list(singly.values()), rtol=1e-9)


def test_a_million_samples_keep_every_fork() -> None:
    rng = np.random.default_rng(0)
    rows = 1_000_000
    samples = Columns(
        {
            "round": np.arange(rows) // 100_000,
            "variant": np.where(np.arange(rows) % 2, "a", "b"),
            "ops": rng.integers(1, 100, rows),
            "ns": rng.integers(1, 100, rows),
            "p:p99": rng.random(rows),
        }
    )
    chosen = samples.where((samples["round"] == 3) & (samples["variant"] == "b"))
    assert fork_values(samples, "time")[(3, "b")] == pytest.approx(chosen["ns"].sum() / chosen["ops"].sum(), rel=1e-12)
    assert len(fork_values(samples, "p99")) == 20


@pytest.mark.parametrize(
    ("percentile", "needed"),
    [
        ("p0", 1),
        ("p50", 2),
        ("p75", 4),
        ("p99", 100),
        ("p99.9", 1000),
        ("p99.99", 10_000),
        ("p99.9999", 1_000_000),
        ("p66", 3),
        ("p100", 1),
        ("p100.5", 1),
        ("max", 1),
        ("p9.9.9", 1),
    ],
)
def test_a_percentile_takes_enough_operations_to_be_more_than_the_slowest(percentile: str, needed: int) -> None:
    assert operations_needed(percentile) == needed
