"""Format numbers with units for people: three significant digits and a suitable prefix."""

from __future__ import annotations

import math
import re
import shlex
from typing import TYPE_CHECKING

from perflab.model.units import read_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_Prefixes = tuple[tuple[str, float], ...]

_TIMES: _Prefixes = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_BYTES: _Prefixes = (("B", 1.0), ("KiB", 2.0**10), ("MiB", 2.0**20), ("GiB", 2.0**30), ("TiB", 2.0**40))
_COUNTS: _Prefixes = (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))
# The beginning of a unit: its prefixes, and its size in terms of the first one.
_KINDS = {"bytes": (_BYTES, 1.0), "us": (_TIMES, 1e3)} | {
    name: (prefixes, size) for prefixes in (_TIMES, _BYTES) for name, size in prefixes
}
_UNIT = re.compile(r"(?P<kind>\w+)(?P<rest>(?:[/ ,].*)?)", re.DOTALL)

_TRAILING_ZEROS = re.compile(r"(\.\d*[1-9])0+(?=e-|\b)|\.0+(?=e-|\b)")
_EXPONENT_BELOW, _THOUSAND = 1e-4, 1000
_ROUNDING, _HALF_A_TENTH = 0.001, 0.05
_TIMES_FROM, _TIMES_TO = 10, 1000
_HUNDREDTHS_FROM, _NEAR_ONE, _TENTHS_FROM = 0.1, 0.1, 10


def significant(value: float, digits: int = 3) -> str:
    """Format a number with significant digits: 1234 gives 1,230; below 0.0001 with an exponent, 1.23e-5."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else {math.inf: "inf", -math.inf: "-inf"}.get(value, "n/a")
    text = f"{value:.{digits - 1}e}"
    rounded = float(text)
    # Rounding up the largest floats gives infinity.
    if not _EXPONENT_BELOW <= abs(rounded) < math.inf:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}e{int(exponent)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def quantity(value: float, unit: str) -> str:
    """Format a value with its unit, such as `1.23 ms`, `4.00 MiB/op` or `1.80 M messages/s`.

    Units that begin with a time (`ns` to `s`) or a size (`bytes`, `B` to `TiB`), such as `ns of CPU per poll`, get a
    suitable prefix, and a `share` is in per cent; other units are counted in k, M and G.
    """
    kind, rest = split_unit(unit)
    if kind == "share":
        return f"{percent(value)}{rest}"
    # Of infinity every prefix would be the first: an interval's end keeps the unit.
    if kind not in _KINDS or (not math.isfinite(value) and _KINDS[kind][0] is _TIMES):
        name, divisor = _prefix(value, _COUNTS)
        return " ".join(filter(None, [significant(value / divisor), name, unit]))
    prefixes, size = _KINDS[kind]
    name, divisor = _prefix(value * size, prefixes)
    shown = value * size / divisor
    return f"{significant(shown, _digits(shown, prefixes))} {name}{rest}"


def tick(value: float, unit: str) -> str:
    """Format a round value for an axis whose title has the unit: only the prefixed part, as in `1 ms` or `20 k`."""
    kind, _ = split_unit(unit)
    return _TRAILING_ZEROS.sub(r"\1", quantity(value, kind if kind in _KINDS or kind == "share" else ""))


def signed_quantity(value: float, unit: str) -> str:
    """Format a difference with its sign and unit: `+1.20 ms`, `-3.00 B/op`."""
    return f"{'+' if value > 0 else ''}{quantity(value, unit)}"


def axis_scale(largest: float, unit: str) -> tuple[str, float]:
    """Return unit and divisor for a linear axis up to `largest`: an axis to 3e6 `ns/op` is one to 3 `ms/op`."""
    kind, rest = split_unit(unit)
    if kind not in _KINDS:
        return unit, 1.0
    prefixes, size = _KINDS[kind]
    name, divisor = _prefix(largest * size, prefixes)
    return f"{name}{rest}", divisor / size


def change_word(verdict: str, unit: str, better: str) -> str:
    """Return the word for a verdict on a metric: times and rates are `faster`, allocations are `fewer`.

    Args:
        verdict: The comparison's: `faster`, `slower`, or another one, which is returned unchanged.
        unit: The metric's unit.
        better: `higher` or `lower`.
    """
    found, (kind, rest) = read_unit(unit), split_unit(unit)
    of = found.dimension if found else ""
    if verdict not in {"faster", "slower"} or of == "time" or ("/time" in of and better == "higher"):
        return verdict
    more, less = ("more", "less") if kind in _KINDS else ("more", "fewer") if "/" in rest else ("higher", "lower")
    return more if (verdict == "faster") == (better == "higher") else less


def percent(share: float) -> str:
    """Format a share of one in per cent: 12.3 %."""
    value = 100 * share
    # Show significant digits instead of 0.0, except for rounding errors of the weights.
    text = f"{value:.2g}" if _ROUNDING < abs(value) < _HALF_A_TENTH else f"{value:.1f}"
    return f"{text.removeprefix('-') if float(text) == 0 else text} %"


def signed_percent(share: float) -> str:
    """Format a change in per cent with its sign: +12.3 %, -4.0 %, ±0.0 %; from tenfold on as a factor: x12.3."""
    times = 1 + share
    if times >= _TIMES_FROM:
        return f"x{significant(times)}" if times < _TIMES_TO else f"over x{_TIMES_TO:,}"
    text = percent(share)
    if text == "0.0 %":
        return "±0.0 %"
    return text if text.startswith("-") else f"+{text}"


def factor(ratio: float) -> str:
    """Format a ratio as a factor: 1.83x."""
    if abs(ratio) < _HUNDREDTHS_FROM:
        return f"{significant(ratio, 2)}x"
    if abs(ratio - 1) < _NEAR_ONE:
        # Near 1, small effects need the third decimal: 0.985x, but 1.02x.
        return f"{ratio:.3f}".removesuffix("0") + "x"
    return f"{ratio:.2f}x" if abs(ratio) < _TENTHS_FROM else f"{significant(ratio)}x"


def split_unit(unit: str) -> tuple[str, str]:
    """Split a unit into its kind and the rest: `ns` and ` of CPU per poll`."""
    match = _UNIT.fullmatch(unit)
    return (match["kind"], match["rest"]) if match else (unit, "")


def _digits(shown: float, prefixes: _Prefixes) -> int:
    """Return the number of digits: four between 1,000 and 1,023 of a binary prefix, else three."""
    return 4 if prefixes is _BYTES and abs(shown) >= _THOUSAND else 3


def _prefix(value: float, prefixes: _Prefixes) -> tuple[str, float]:
    chosen = prefixes[0]
    for larger in prefixes[1:]:
        # Compare the rounded value: 999.7 ns is "1,000" in three digits, and shown as 1.00 µs.
        shown = value / chosen[1]
        if not math.isfinite(shown):
            break
        rounded = float(f"{shown:.{_digits(shown, prefixes) - 1}e}")
        if abs(rounded) * chosen[1] < larger[1]:
            break
        chosen = larger
    return chosen


def typed(value: object) -> str:
    """Format a parameter's value as on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def assignments(params: Mapping[str, object] | None) -> list[str]:
    """Format parameters for `--param`."""
    return [f"{name}={typed(value)}" for name, value in (params or {}).items()]


def option_words(options: Iterable[tuple[str, object]]) -> list[str]:
    """Format options: nothing for None and False, a flag for True, and repeated for each value of a list."""
    words: list[str] = []
    for name, value in options:
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [f"--{name}", str(one)]
    return words


def shell_line(command: str, *arguments: str, **options: object) -> str:
    """Format a command of the lab for a shell."""
    return shlex.join(["./lab", command, *arguments, *option_words(options.items())])


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")


def markdown_text(text: str) -> str:
    """Escape a text so that it cannot end its cell, begin a link, or be taken for a tag."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
