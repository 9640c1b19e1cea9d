from __future__ import annotations

import math

import pytest

from perflab.charts.axes import value_axis
from perflab.charts.quantities import axis_scale, factor, percent, quantity, signed_percent, significant
from perflab.charts.table import Table


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "ns", "0 ns"),
        (12.34, "ns", "12.3 ns"),
        (999.4, "ns", "999 ns"),
        (999.6, "ns", "1.00 µs"),
        (1.5e9, "ns/op", "1.50 s/op"),
        (-2500, "ns", "-2.50 µs"),
        (1536, "bytes", "1.50 KiB"),
        (0.5, "bytes/op", "0.500 B/op"),
        (1.8e6, "messages/s", "1.80 M messages/s"),
        (0.031, "refusals/message", "0.0310 refusals/message"),
        (0.123, "share", "12.3 %"),
        (math.nan, "ns", "n/a ns"),
        (math.inf, "op/s", "inf op/s"),
    ],
)
def test_three_digits_and_the_prefix_that_fits(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(("value", "text"), [(1234, "1,230"), (99.96, "100"), (0.09996, "0.100"), (9.996, "10.0")])
def test_rounding_up_does_not_add_a_digit(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.834, "1.83x"),
        (0.985, "0.985x"),
        (1.02, "1.02x"),
        (56.6, "56.6x"),
        (283, "283x"),
        (0.0123, "0.012x"),
        (1, "1.00x"),
    ],
)
def test_factors(ratio: float, text: str) -> None:
    assert factor(ratio) == text


@pytest.mark.parametrize(
    ("share", "text", "signed"),
    [
        (0.1234, "12.3 %", "+12.3 %"),
        (-0.04, "-4.0 %", "-4.0 %"),
        (0.0001, "0.01 %", "+0.01 %"),
        (1e-17, "0.0 %", "±0.0 %"),
        (-1e-17, "0.0 %", "±0.0 %"),
        (0, "0.0 %", "±0.0 %"),
        (2.655, "265.5 %", "+265.5 %"),
        (20.5, "2050.0 %", "x21.5"),
        (1e12, "100000000000000.0 %", "over x1,000"),
    ],
)
def test_percentages(share: float, text: str, signed: str) -> None:
    assert percent(share) == text
    assert signed_percent(share) == signed


def test_an_axis_of_another_unit_keeps_it() -> None:
    assert axis_scale(3e6, "messages/s") == ("messages/s", 1.0)
    assert axis_scale(3e6, "ns/op") == ("ms/op", 1e6)
    assert axis_scale(3 * 2**20, "bytes") == ("MiB", 2.0**20)


def test_a_table_escapes_what_it_is_given_and_aligns_numbers() -> None:
    table = Table(["name", ">ns"], [["a<b>[red]", "7"], ["c", "1,200"]], ["note & more"])
    assert table.text("title").splitlines() == [
        "title",
        "",
        "name           ns",
        "─────────────────",
        "a<b>[red]       7",
        "c           1,200",
        "",
        "note & more",
    ]
    row = '<th scope="row" style="text-align:left">a&lt;b&gt;[red]</th><td style="text-align:right">7</td>'
    assert row in table.html()
    assert "<p>note &amp; more</p>" in table.html()


@pytest.mark.parametrize(
    ("ends", "unit", "ticks"),
    [
        ([0.008, 12], "cores", ["0.01 cores", "0.1 cores", "1 cores", "10 cores"]),
        ([2e4, 6e6], "op/s", ["20 k op/s", "50 k op/s", "100 k op/s", "200 k op/s", "500 k op/s", "1 M op/s"]),
        ([0.001, 0.6], "share", ["0.1 %", "1 %", "10 %"]),
    ],
)
def test_ticks_have_no_digits_that_say_nothing(ends: list[float], unit: str, ticks: list[str]) -> None:
    assert list(value_axis(ends, metric="rate", unit=unit).layout["ticktext"])[: len(ticks)] == ticks
