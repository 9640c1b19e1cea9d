"""Numbers, units and directions, as programs and reports write them, and the figures of `--pattern`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.bench.command import Pattern
from perflab.bench.interface import Ended
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, UsageError
from perflab.model.units import (
    NUMBER,
    AmbiguousNumberError,
    decimal_sign,
    direction,
    is_count,
    parse_number,
    read_unit,
    units_in,
)

TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "msec": 1e6, "Seconds": 1e9, "min": 60e9}
RATES = ("ops/s", "op/sec", "operations per second", "ops s⁻¹", "ops·s^-1", "ops / second")


@pytest.mark.parametrize(
    ("unit", "dimension", "size", "better"),
    [
        *((f"{name}{per}", "time", size, "lower") for name, size in TIMES.items() for per in ("", "/op", " per call")),
        *(
            (f"{much} {what}", "op/time", 1e6, "higher")
            for much in ("M", "million", "1000000", "10^6", "10⁶")
            for what in ("ops/s",)
        ),
        ("Mops/s", "op/time", 1e6, "higher"),
        ("MOPS", "op/time", 1e6, "higher"),
        ("ops/ms", "op/time", 1e3, "higher"),
        ("K req/s", "request/time", 1e3, "higher"),
        ("kqps", "query/time", 1e3, "higher"),
        ("IOPS", "io/time", 1, "higher"),
        ("fps", "frame/time", 1, "higher"),
        ("GFLOPS", "flop/time", 1e9, "higher"),
        ("GB/s", "size/time", 1e9, "higher"),
        ("MiB/sec", "size/time", 2**20, "higher"),
        ("Mbps", "size/time", 125e3, "higher"),
        ("Gbit/s", "size/time", 125e6, "higher"),
        ("KB", "size", 1e3, "lower"),
        ("KiB/op", "size", 1024, "lower"),
        ("cycles/byte", "cycle/size", 1, "lower"),
        ("ns/KB", "time/size", 1e-3, "lower"),
        ("cache-misses", "cache-miss", 1, "lower"),
        ("ns of CPU per poll", "time", 1, "lower"),
        ("p99-ns", "time", 1, "lower"),
        ("errors/s", "error/time", 1, None),
        ("ops", "op", 1, None),
        ("%", "share", 0.01, None),
        ("hits", "hit", 1, None),
        ("mb", "mb", 1, "lower"),
        ("mb/s", "mb/time", 1, "higher"),
    ],
)
def test_units_are_read_as_people_write_them(unit: str, dimension: str, size: float, better: str | None) -> None:
    found = read_unit(unit)
    assert found
    assert (found.dimension, found.better) == (dimension, better)
    assert found.size == pytest.approx(size)


@pytest.mark.parametrize("text", ["", "-", "12", "time", "Size", "/", "(", "±", "AVX2 MB/s"])
def test_what_is_no_unit_is_refused(text: str) -> None:
    assert read_unit(text) is None
    assert direction(text) is None


@pytest.mark.parametrize(
    ("unit", "counts"),
    [
        *(("bytes/message", True), ("bytes/actor of the process", True), ("allocs/op", True), ("messages", True)),
        *(("ns", False), ("ns of CPU/op", False), ("ns until all tasks have ended", False), ("ops/s", False)),
        *(("GiB/s", False), ("cores", False), ("share of the time", False), ("x", False)),
        ("of the copy bandwidth measured beside it", False),
    ],
)
def test_a_count_has_no_time_in_it(unit: str, *, counts: bool) -> None:
    assert is_count(unit) is counts


@given(st.text(max_size=20))
def test_any_text_is_a_unit_or_none(text: str) -> None:
    found = read_unit(text)
    assert found is None or found.size >= 0


@given(st.sampled_from(sorted(TIMES)), st.sampled_from(sorted(TIMES)))
def test_conversions_are_consistent(one: str, other: str) -> None:
    there, back = units_in(one, other), units_in(other, one)
    assert there
    assert back
    assert there * back == pytest.approx(1)


@pytest.mark.parametrize("one", RATES)
def test_spellings_of_a_rate_are_one_unit(one: str) -> None:
    assert all(units_in(one, other) == pytest.approx(1) for other in RATES)


@pytest.mark.parametrize(
    ("one", "other"), [("ms", "MB"), ("ops/s", "req/s"), ("MB/s", "MB"), ("mb/s", "MB/s"), ("ns", "ns/KB")]
)
def test_different_dimensions_have_no_ratio(one: str, other: str) -> None:
    assert units_in(one, other) is None


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1,234.5", None, 1234.5),
        ("1.234,5", None, 1234.5),
        ("1 234,5", None, 1234.5),
        ("1'234'567", None, 1234567),
        ("1_000", None, 1000),
        ("9,57", None, 9.57),
        ("0,569", None, 0.569),
        ("9,569", ",", 9.569),
        ("9,569", ".", 9569),
        ("1.234", None, 1.234),
        ("1.234", ",", 1234),
        ("1,234,567", None, 1234567),
        ("12,34,567", None, 1234567),
        ("-0.06", None, -0.06),
        ("\N{MINUS SIGN}3", None, -3),
        ("2.5e6", None, 2.5e6),
        ("2.5 \N{MULTIPLICATION SIGN} 10⁻³", None, 2.5e-3),
        ("2x10^3", None, 2000),
        ("10⁶", None, 1e6),
        (".5", None, 0.5),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, decimal: str | None, value: float) -> None:
    assert parse_number(text, decimal) == pytest.approx(value)
    assert re.fullmatch(NUMBER, text)


@pytest.mark.parametrize(
    ("text", "decimal"),
    [("", None), ("1,23,4", None), ("9,57", "."), ("1,2.3,4", None), ("1.2.3", None), ("nan", None)],
)
def test_what_is_no_number_is_refused(text: str, decimal: str | None) -> None:
    with pytest.raises(ValueError, match="is no number"):
        parse_number(text, decimal)


@given(st.floats(min_value=1e-3, max_value=1e12), st.sampled_from(["", ",", ".", " ", "_"]))
def test_grouped_numbers_are_themselves(value: float, group: str) -> None:
    point = "," if group == "." else "."
    text = f"{value:,.4f}".replace(".", "|").replace(",", group).replace("|", point)
    assert parse_number(text) == pytest.approx(float(f"{value:.4f}"))


@given(st.integers(1, 999), st.integers(0, 999))
def test_one_comma_before_three_digits_says_nothing(thousands: int, rest: int) -> None:
    with pytest.raises(AmbiguousNumberError):
        parse_number(f"{thousands},{rest:03}")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("x 912,345 ops/sec ±0.41%", "."),
        ("9,569 ms, davor 10,12 ms", ","),
        ("2,912,345 ops/sec", "."),
        ("Version 3.11: 9,569 ms", None),
        ("sizes [1,2]: 9,569 ms", None),
        ("1.5 ms, 2,5 ms", None),
    ],
)
def test_the_decimal_sign_is_told_by_figures_with_a_unit(text: str, sign: str | None) -> None:
    assert decimal_sign(text) == sign


@pytest.mark.parametrize(
    ("pattern", "unit", "better"),
    [
        ("([0-9,]+) ops/sec", "ops/sec", "higher"),
        (r"Requests/sec:\s+([0-9.]+)", "Requests/sec", "higher"),
        (r"GET: ([0-9.]+) requests per second", "requests per second", "higher"),
        (r"read: IOPS=([0-9.]+k?), BW", "IOPS", "higher"),
        (r"tps = ([0-9.]+) \(without", "tps", "higher"),
        (r"([0-9.]+)\s*fps", "fps", "higher"),
        (r"(\d+) ops/ms\b", "ops/ms", "higher"),
        (r"(?:a|b): ([0-9.]+) \[ms\] \(mean\)", "ms", "lower"),
        (r"[(]latency_us=(?P<figure>[0-9.)]+)", "us", "lower"),
        (r"took ([0-9.]+)(?:ms|s)", "ms", "lower"),
    ],
)
def test_a_pattern_has_its_unit_beside_the_group(pattern: str, unit: str, better: str) -> None:
    scenario = Pattern(pattern).scenario
    assert (scenario.unit, scenario.better) == (unit, better)


@pytest.mark.parametrize("pattern", ["score: ([0-9.]+)", "([0-9.]+) points", "([0-9.]+)%", "hits/op=([0-9]+)", "(.+)"])
def test_a_direction_that_no_unit_tells_is_asked_for(pattern: str) -> None:
    with pytest.raises(UsageError, match="is more or less better") as raised:
        Pattern(pattern)
    assert "--better" in raised.value.hint
    assert Pattern(pattern, better="higher").scenario.better == "higher"


def figures(printed: str, pattern: str, *told: str | None) -> list[float]:
    samples = Pattern(pattern, *told).samples(Ended(printed.encode(), 1.0, {}), "", PRESETS["smoke"])  # type: ignore[arg-type]
    return [one.counters["figure"] for one in samples]


@pytest.mark.parametrize(
    ("printed", "pattern", "told", "values"),
    [
        ("a 2,120,000 ops/sec", "([0-9,]+) ops/sec", (), [2120000]),
        ("a 912,345 ops/sec ±0.41%", "([0-9,]+) ops/sec", (), [912345]),
        ("Dauer: 10,12 ms", "Dauer: ([0-9.,]+) ms", (), [10.12]),
        ("Dauer: 9,569 ms", "Dauer: ([0-9.,]+) ms", (None, None, ","), [9.569]),
        ("Dauer: 1.234,56 ms", "Dauer: ([0-9.,]+) ms", (), [1234.56]),
        ("IOPS=999 IOPS=12.3k", "IOPS=([0-9.]+)", (), [999, 12300]),
        ("took 900 us, took 1.2 ms", "took ([0-9.]+)", ("ms",), [0.9, 1.2]),
        ("took 900 us, took 1.2 ms", "took ([0-9.]+)", (None, "lower"), [900, 1200]),
        ("rate: 70.2 M ops/s", "rate: ([0-9.]+)", ("M ops/s",), [70.2]),
        ("GET: 24.5 requests per second", r"GET: ([0-9.]+) requests per second", (), [24.5]),
        ("24 K requests per second", "([0-9.]+)", ("req/s", "higher"), [24000]),
        ("took 5 tries", "took ([0-9.]+)", ("ms",), [5]),
        ("rtt 5 min 9 max", "rtt ([0-9]+)", ("ms",), [5]),
    ],
)
def test_a_figure_is_what_it_says(
    printed: str, pattern: str, told: tuple[str | None, ...], values: list[float]
) -> None:
    assert figures(printed, pattern, *told) == pytest.approx(values)


@pytest.mark.parametrize(
    ("printed", "says", "hint"),
    [
        ("took 9,569 ms", "may be 9569 or 9.569", "--decimal"),
        ("took 12 MB", "prints 12 MB, which is not in ms", "--unit"),
        ("took 1.2.3 ms", "is no number", "narrow"),
    ],
)
def test_a_figure_that_is_not_certain_is_refused(printed: str, says: str, hint: str) -> None:
    with pytest.raises(BenchError, match=re.escape(says)) as raised:
        figures(printed, "took ([0-9.,]+)", "ms")
    assert hint in raised.value.hint
