from __future__ import annotations

import math

import pytest

from perflab.charts.chart import Table
from perflab.charts.theme import value_axis
from perflab.model.format import (
    axis_scale,
    change_word,
    factor,
    percent,
    quantity,
    signed_percent,
    signed_quantity,
    significant,
)
from perflab.model.units import units_in


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
        (17.5e6, "ns per batch", "17.5 ms per batch"),
        (43_800, "ns of CPU per poll", "43.8 µs of CPU per poll"),
        (43_800, "ns of CPU/op", "43.8 µs of CPU/op"),
        (5e6, "ns/batch, all scanners together", "5.00 ms/batch, all scanners together"),
        (2048, "bytes kept/message", "2.00 KiB kept/message"),
        (3072, "B/ask", "3.00 KiB/ask"),
        (22_016, "MiB/s", "21.5 GiB/s"),
        (500, "MiB/s", "500 MiB/s"),
        (0.25, "MiB/s", "256 KiB/s"),
        (1023, "bytes", "1,023 B"),
        (1023.7, "bytes", "1.00 KiB"),
        (1024, "bytes", "1.00 KiB"),
        (1023 * 1024, "bytes", "1,023 KiB"),
        (2**20 - 1, "bytes", "1.00 MiB"),
        (-1023, "bytes", "-1,023 B"),
        (2**40 * 2000, "bytes", "2,000 TiB"),
        (8.99e-8, "allocations/op", "8.99e-8 allocations/op"),
        (0.0001, "cores", "0.000100 cores"),
        (0.3, "share of the time", "30.0 % of the time"),
        (1500, "nsomething", "1.50 k nsomething"),
        (1500, "", "1.50 k"),
        (math.nan, "ns", "n/a ns"),
        (math.nan, "bytes", "n/a B"),
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
    assert axis_scale(3e6, "ns of CPU per poll") == ("ms of CPU per poll", 1e6)
    assert axis_scale(2048, "MiB/s") == ("GiB/s", 1024)


@pytest.mark.parametrize(
    ("unit", "better", "faster", "slower"),
    [
        ("ns per batch", "lower", "faster", "slower"),
        ("messages/s", "higher", "faster", "slower"),
        ("MiB/s that threads can copy", "higher", "faster", "slower"),
        ("allocations/op", "lower", "fewer", "more"),
        ("B/ask", "lower", "less", "more"),
        ("bytes/actor of the process", "lower", "less", "more"),
        ("sleeps/s", "lower", "fewer", "more"),
        ("cores", "lower", "lower", "higher"),
    ],
)
def test_only_times_and_rates_are_faster(unit: str, better: str, faster: str, slower: str) -> None:
    assert change_word("faster", unit, better) == faster
    assert change_word("slower", unit, better) == slower
    assert change_word("no difference", unit, better) == "no difference"


def test_a_difference_has_a_sign() -> None:
    assert signed_quantity(17.5e6, "ns per batch") == "+17.5 ms per batch"
    assert signed_quantity(-3, "bytes") == "-3.00 B"
    assert signed_quantity(-0.0, "ns") == "0 ns"


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
    ("ends", "unit", "format_", "suffix", "low"),
    [
        ([2e4, 6e6], "op/s", "~s", "", 2e4),
        ([4e5, 9e7], "ns per batch", "~s", "s", 4e-4),
        ([0.001, 16], "MiB/op", "~s", "B", 1048.576),
        ([2e-7, 6e-5], "waits/op", ".2~g", "", 2e-7),
        ([0.001, 0.6], "share", ".2~p", "", 0.001),
    ],
)
def test_ticks_of_a_logarithmic_axis_have_the_prefix_of_the_unit(
    ends: list[float], unit: str, format_: str, suffix: str, low: float
) -> None:
    axis = value_axis(ends, metric="rate", unit=unit)
    assert (axis.layout["tickformat"], axis.layout["ticksuffix"]) == (format_, suffix)
    assert 10 ** axis.layout["range"][0] < low == pytest.approx(ends[0] / axis.divisor)


def test_the_title_of_a_logarithmic_axis_says_what_is_on_it_whatever_the_prefix() -> None:
    title = value_axis([4e5, 9e7], metric="latency", unit="ns per batch").layout["title"]["text"]
    assert title == "latency (time per batch; log scale)"


@pytest.mark.parametrize(
    ("unit", "other", "times"),
    [
        ("us", "ns/op", 1e3),
        ("ns", "µs", 1e-3),
        ("s", "ms/restart", 1e3),
        ("MB/s", "bytes/s", 1e6),
        ("messages/s", "messages/s", 1.0),
        ("us", "bytes/op", None),
        ("messages", "ns", None),
        ("ns", "messages", None),
    ],
)
def test_how_many_of_one_unit_another_one_is(unit: str, other: str, times: float | None) -> None:
    assert units_in(unit, other) == (times if times is None else pytest.approx(times))
