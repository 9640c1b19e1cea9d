"""Numbers with units as people write them: three significant digits and the prefix that fits."""

from __future__ import annotations

import math

_TIMES = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_BYTES = (("B", 1.0), ("KiB", 2.0**10), ("MiB", 2.0**20), ("GiB", 2.0**30), ("TiB", 2.0**40))
_COUNTS = (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))


_ROUNDING, _HALF_A_TENTH = 0.001, 0.05
_TIMES_FROM, _TIMES_TO = 10, 1000
_HUNDREDTHS_FROM, _NEAR_ONE, _TENTHS_FROM = 0.1, 0.1, 10


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits and no exponent: 1234 and 3 give 1,230."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else {math.inf: "inf", -math.inf: "-inf"}.get(value, "n/a")
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def quantity(value: float, unit: str) -> str:
    """A value with its unit, as in `1.23 ms`, `4.00 MiB/op` or `1.80 M messages/s`.

    Times (`ns`) and `bytes`, also per something, get their own prefixes; other units are counted in k, M and G.
    """
    kind, slash, per = unit.partition("/")
    if kind == "ns":
        name, factor = _prefix(value, _TIMES)
        return f"{significant(value / factor)} {name}{slash}{per}"
    if kind == "bytes":
        name, factor = _prefix(value, _BYTES)
        return f"{significant(value / factor)} {name}{slash}{per}"
    if unit == "share":
        return percent(value)
    name, factor = _prefix(value, _COUNTS)
    return " ".join(filter(None, [significant(value / factor), name, unit]))


def axis_scale(largest: float, unit: str) -> tuple[str, float]:
    """Unit and divisor for a linear axis that reaches so far: an axis to 3e6 `ns/op` is one to 3 `ms/op`."""
    kind, slash, per = unit.partition("/")
    prefixes = {"ns": _TIMES, "bytes": _BYTES}.get(kind)
    if prefixes is None:
        return unit, 1.0
    name, divisor = _prefix(largest, prefixes)
    return f"{name}{slash}{per}", divisor


def percent(share: float) -> str:
    """A share of one in per cent: 12.3 %."""
    value = 100 * share
    # What .1f would show as 0.0 gets its digits; what is below a rounding error of the weights does not.
    text = f"{value:.2g}" if _ROUNDING < abs(value) < _HALF_A_TENTH else f"{value:.1f}"
    return f"{text.removeprefix('-') if float(text) == 0 else text} %"


def signed_percent(share: float) -> str:
    """A change in per cent with its sign: +12.3 %, -4.0 %, ±0.0 %; as a factor from ten times as much on: x12.3."""
    times = 1 + share
    if times >= _TIMES_FROM:
        return f"x{significant(times)}" if times < _TIMES_TO else f"over x{_TIMES_TO:,}"
    text = percent(share)
    if text == "0.0 %":
        return "±0.0 %"
    return text if text.startswith("-") else f"+{text}"


def factor(ratio: float) -> str:
    """A ratio as a factor: 1.83x."""
    if abs(ratio) < _HUNDREDTHS_FROM:
        return f"{significant(ratio, 2)}x"
    if abs(ratio - 1) < _NEAR_ONE:
        # Small effects need the third decimal: 0.985x, but 1.02x.
        return f"{ratio:.3f}".removesuffix("0") + "x"
    return f"{ratio:.2f}x" if abs(ratio) < _TENTHS_FROM else f"{significant(ratio)}x"


def _prefix(value: float, prefixes: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    # The comparison is with what will be shown: 999.7 ns is "1,000" in three digits, and that is 1.00 µs.
    shown = abs(float(f"{value:.2e}")) if math.isfinite(value) else 0.0
    fitting = [prefix for prefix in prefixes if shown >= prefix[1]]
    return fitting[-1] if fitting else prefixes[0]
