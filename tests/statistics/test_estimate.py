"""The one way to write a figure with its interval."""

from __future__ import annotations

import math
import operator
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.model.estimate import Estimate, flat

INFINITE = math.inf


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(2480, 2440, 2520, "ns/op"), "2.48 [2.44, 2.52] µs/op"),
        (Estimate(990, 971, 1010, "ns"), "990 ns [971 ns, 1.01 µs]"),
        (Estimate(999.7, 999.6, 999.8, "ns"), "1.00 [1.00, 1.00] µs"),
        (Estimate(1023, 1000, 1024, "bytes"), "1,023 B [1,000 B, 1.00 KiB]"),
        (Estimate(1.8e6, 1.7e6, 1.9e6, "messages/s"), "1.80 [1.70, 1.90] M messages/s"),
        (Estimate(0.6, 0.4, 0.8, "of the bandwidth"), "0.600 [0.400, 0.800] of the bandwidth"),
        (Estimate(-1, -2, 3), "-1.00 [-2.00, 3.00]"),
        (Estimate(0, 0, 0, "ns"), "0 [0, 0] ns"),
        (Estimate(0, -2500, 2500, "ns"), "0 ns [-2.50, 2.50] µs"),
        (Estimate(1.0, math.nan, INFINITE, "s"), "1.00 [n/a, inf] s"),
        (Estimate(1.0, -INFINITE, INFINITE), "1.00 [-inf, inf]"),
        (Estimate(2480, unit="ns/op"), "2.48 µs/op (no interval)"),
        (Estimate(1.834, 1.7, 1.951, "x"), "1.83x [1.70, 1.95]"),
        (Estimate(0.985, 0.95, 1.02, "x"), "0.985x [0.95, 1.02]"),
        (Estimate(1, 1, 1, "x"), "1.00x [1.00, 1.00]"),
        (Estimate(1234, 987.6, 1543, "x"), "1,230x [988, 1,540]"),
        (Estimate(0.0123, 0.0099, INFINITE, "x"), "0.012x [0.0099, inf]"),
        (Estimate(5.45, 2.8, 10.61, "x"), "5.45x [2.80, 10.6]"),
        (Estimate(1.2, unit="x"), "1.20x (no interval)"),
        (Estimate(1.2e6, 1.1e6, 1.3e6, "ns", signed=True), "+1.20 [+1.10, +1.30] ms"),
        (Estimate(-3, -900, 1100, "bytes", signed=True), "-3.00 B [-900 B, +1.07 KiB]"),
        (Estimate(0, -1, 1, "points", signed=True), "0 [-1.00, +1.00] points"),
        (Estimate(0.123, 0.119, 0.128, "share"), "12.3 [11.9, 12.8] %"),
        (Estimate(0.3, 0.2, 0.4, "share of the time"), "30.0 [20.0, 40.0] % of the time"),
        (Estimate(12.3, 11.9, 12.8, "%"), "12.3 [11.9, 12.8] %"),
        (Estimate(0.0, -0.04, 0.123, "share", signed=True), "±0.0 [-4.0, +12.3] %"),
        (Estimate(8.0, 7.0, 20.5, "share", signed=True), "+800.0 % [+700.0 %, x21.5]"),
        (Estimate(20.5, 15.0, 1e12, "share", signed=True), "x21.5 [x16.0, over x1,000]"),
        (Estimate(0.25, unit="share", signed=True), "+25.0 % (no interval)"),
    ],
)
def test_it_is_written_in_one_way(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text


def test_in_two_columns_each_has_its_unit() -> None:
    assert Estimate(2480, 2440, 2520, "ns/op").columns == ["2.48 µs/op", "[2.44, 2.52] µs/op"]
    assert Estimate(1.8, 1.7, 1.9, "x").columns == ["1.80x", "[1.70, 1.90]"]
    assert Estimate(0.5, unit="share").columns == ["50.0 %", "(no interval)"]


def test_the_ends_stay_in_order_whatever_it_is_mapped_through() -> None:
    found = Estimate(2.0, 1.6, 2.5, "x")
    assert found.map(lambda times: 1 / times) == found.reverse == Estimate(0.5, 0.4, 0.625, "x")
    assert Estimate(1.0, 0.0, 4.0, "x").reverse == Estimate(1.0, 0.25, INFINITE, "x")
    assert Estimate(1.0, -2.0, 4.0, "ns").reverse == Estimate(-1.0, -4.0, 2.0, "ns")
    assert found.map(operator.neg, unit="points", signed=True) == Estimate(-2.0, -2.5, -1.6, "points", signed=True)
    assert found.map(lambda times: 100 * times) == Estimate(200.0, 160.0, 250.0, "x")
    assert Estimate(2.0).map(operator.neg) == Estimate(-2.0)


def test_in_json_it_lies_flat_and_has_no_infinite_number() -> None:
    assert flat(Estimate(1.5, 1.0, 2.0)) == {"estimate": 1.5, "low": 1.0, "high": 2.0}
    assert flat(Estimate(1.5, 1.0, INFINITE), "mean") == {"mean": 1.5, "low": 1.0, "high": None}
    assert flat(None) == {"estimate": None, "low": None, "high": None}


SCALES = {
    "": 1.0, "x": 1.0, "%": 0.01, "k": 1e3, "M": 1e6, "G": 1e9,
    "ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9,
    "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
}  # fmt: skip
NUMBER = r"([-+±]?[\d.,]+(?:e-?\d+)?)(x|(?: [a-zA-Zµ%]+)?)"
WRITTEN = re.compile(rf"{NUMBER} \[{NUMBER}, {NUMBER}\]((?: [a-zA-Zµ%]+)?)")


def read(text: str) -> list[float]:
    """The figure and both ends of what was written, in the unit's first prefix."""
    match = WRITTEN.fullmatch(text)
    assert match is not None, text
    *parts, behind = match.groups()
    units = [unit.strip() or behind.strip() for unit in parts[1::2]]
    numbers = [float(number.replace(",", "").replace("±", "")) for number in parts[::2]]
    return [number * SCALES[unit] for number, unit in zip(numbers, units, strict=True)]


@given(
    st.lists(st.floats(1e-6, 1e12) | st.just(0.0), min_size=3, max_size=3).map(sorted),
    st.sampled_from(["", "x", "ns", "bytes", "share"]),
    st.booleans(),
)
def test_what_is_written_is_what_is_known(ordered: list[float], unit: str, negative: bool) -> None:
    estimate = Estimate(ordered[1], ordered[0], ordered[2], unit)
    if negative and unit != "x":
        estimate = estimate.map(operator.neg, signed=unit != "share")
    value, low, high = read(str(estimate))
    assert low <= value <= high
    known = (estimate.value, estimate.low, estimate.high)
    for shown, true in zip((value, low, high), known, strict=True):
        assert shown == pytest.approx(true, abs=rounding(true, unit) + 1e-12 * (1 + abs(true)))


def rounding(value: float, unit: str) -> float:
    """How far what is written may be from a value: three digits, hundredths of a factor, a tenth of a per cent."""
    if unit == "share":
        return 0.0005
    if unit == "x" and abs(value) < 10:
        return 0.05 * value if value < 0.1 else 0.005
    return 0.005 * abs(value)
