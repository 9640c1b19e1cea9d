"""Numbers with units as people write them: three significant digits and the prefix that fits."""

from __future__ import annotations

import math
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_Prefixes = tuple[tuple[str, float], ...]

_TIMES: _Prefixes = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_BYTES: _Prefixes = (("B", 1.0), ("KiB", 2.0**10), ("MiB", 2.0**20), ("GiB", 2.0**30), ("TiB", 2.0**40))
_COUNTS: _Prefixes = (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))
# What a unit begins with: the prefixes that it takes, and how many of their first one it is.
_KINDS = {"ns": (_TIMES, 1.0), "bytes": (_BYTES, 1.0)} | {name: (_BYTES, size) for name, size in _BYTES}
# Also as reports write them: `us`, and decimal sizes.
_SIZES = {name: (prefixes, size) for prefixes in (_TIMES, _BYTES) for name, size in prefixes} | {
    "us": (_TIMES, 1e3),
    "bytes": (_BYTES, 1.0),
    "MB": (_BYTES, 1e6),
    "GB": (_BYTES, 1e9),
}
_UNIT = re.compile(r"(?P<kind>\w+)(?P<rest>(?:[/ ,].*)?)", re.DOTALL)

_TRAILING_ZEROS = re.compile(r"(\.\d*[1-9])0+(?=e-|\b)|\.0+(?=e-|\b)")
_EXPONENT_BELOW, _THOUSAND = 1e-4, 1000
_ROUNDING, _HALF_A_TENTH = 0.001, 0.05
_TIMES_FROM, _TIMES_TO = 10, 1000
_HUNDREDTHS_FROM, _NEAR_ONE, _TENTHS_FROM = 0.1, 0.1, 10


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits: 1234 gives 1,230; below 0.0001 with an exponent, 1.23e-5."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else {math.inf: "inf", -math.inf: "-inf"}.get(value, "n/a")
    text = f"{value:.{digits - 1}e}"
    rounded = float(text)
    # The largest floats are infinite once rounded up.
    if not _EXPONENT_BELOW <= abs(rounded) < math.inf:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}e{int(exponent)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def quantity(value: float, unit: str) -> str:
    """A value with its unit, as in `1.23 ms`, `4.00 MiB/op` or `1.80 M messages/s`.

    Units that begin with `ns`, `bytes`, `B`, `KiB`, `MiB`, `GiB` or `TiB`, as `ns of CPU per poll` does, get the prefix
    that fits, and a `share` is in per cent; other units are counted in k, M and G.
    """
    kind, rest = split_unit(unit)
    if kind == "share":
        return f"{percent(value)}{rest}"
    if kind not in _KINDS:
        name, divisor = _prefix(value, _COUNTS)
        return " ".join(filter(None, [significant(value / divisor), name, unit]))
    prefixes, size = _KINDS[kind]
    name, divisor = _prefix(value * size, prefixes)
    shown = value * size / divisor
    return f"{significant(shown, _digits(shown, prefixes))} {name}{rest}"


def units_in(unit: str, other: str) -> float | None:
    """How many of the other unit one of this is: of `ns/op` one `us` is 1000; `None` if they measure different things.

    What they are per is left aside: a report that says `us` means one of what the metric counts.
    """
    if unit == other:
        return 1.0
    mine, theirs = (_SIZES.get(split_unit(one)[0]) for one in (unit, other))
    return mine[1] / theirs[1] if mine and theirs and mine[0] is theirs[0] else None


def tick(value: float, unit: str) -> str:
    """A round value on an axis whose title names the unit: only with what a prefix changes, as in `1 ms` or `20 k`."""
    kind, _ = split_unit(unit)
    return _TRAILING_ZEROS.sub(r"\1", quantity(value, kind if kind in _KINDS or kind == "share" else ""))


def signed_quantity(value: float, unit: str) -> str:
    """A difference with its sign and unit: `+1.20 ms`, `-3.00 B/op`."""
    return f"{'+' if value > 0 else ''}{quantity(value, unit)}"


def axis_scale(largest: float, unit: str) -> tuple[str, float]:
    """Unit and divisor for a linear axis that reaches so far: an axis to 3e6 `ns/op` is one to 3 `ms/op`."""
    kind, rest = split_unit(unit)
    if kind not in _KINDS:
        return unit, 1.0
    prefixes, size = _KINDS[kind]
    name, divisor = _prefix(largest * size, prefixes)
    return f"{name}{rest}", divisor / size


def change_word(verdict: str, unit: str, better: str) -> str:
    """What to call a verdict on a metric: only times and rates are `faster`, of allocations there are `fewer`.

    Args:
        verdict: As of a comparison: `faster`, `slower`, or another one, which stays.
        unit: The metric's.
        better: `higher` or `lower`.
    """
    kind, rest = split_unit(unit)
    is_rate = better == "higher" and re.search(r"/s\b", unit)
    if verdict not in {"faster", "slower"} or kind == "ns" or is_rate:
        return verdict
    more, less = ("more", "less") if kind in _KINDS else ("more", "fewer") if "/" in rest else ("higher", "lower")
    return more if (verdict == "faster") == (better == "higher") else less


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


def split_unit(unit: str) -> tuple[str, str]:
    """What a unit begins with, and the rest: `ns` and ` of CPU per poll`."""
    match = _UNIT.fullmatch(unit)
    return (match["kind"], match["rest"]) if match else (unit, "")


def _digits(shown: float, prefixes: _Prefixes) -> int:
    """Between 1,000 and 1,023 there is no larger binary prefix yet: three digits would show 1,023 as 1,020."""
    return 4 if prefixes is _BYTES and abs(shown) >= _THOUSAND else 3


def _prefix(value: float, prefixes: _Prefixes) -> tuple[str, float]:
    chosen = prefixes[0]
    for larger in prefixes[1:]:
        # The comparison is with what would be shown: 999.7 ns is "1,000" in three digits, and that is 1.00 µs.
        shown = value / chosen[1]
        if not math.isfinite(shown):
            break
        rounded = float(f"{shown:.{_digits(shown, prefixes) - 1}e}")
        if abs(rounded) * chosen[1] < larger[1]:
            break
        chosen = larger
    return chosen


def typed(value: object) -> str:
    """A parameter's value as one types it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def assignments(params: Mapping[str, object] | None) -> list[str]:
    """Parameters as `--param` takes them."""
    return [f"{name}={typed(value)}" for name, value in (params or {}).items()]


def option_words(options: Iterable[tuple[str, object]]) -> list[str]:
    """Options with their values: none for None and False, a flag for True, the option once for each of a list."""
    words: list[str] = []
    for name, value in options:
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [f"--{name}", str(one)]
    return words


def shell_line(command: str, *arguments: str, **options: object) -> str:
    """A command of the lab as one types it in a shell."""
    return shlex.join(["./lab", command, *arguments, *option_words(options.items())])
