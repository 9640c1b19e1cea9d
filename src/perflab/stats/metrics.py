"""Evaluate the metric expressions of `docs/protocol.md` for a fork's samples, or for all forks of a table."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Literal

from perflab.stats.arrays import np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from perflab.model.protocol import Sample
    from perflab.stats.columns import Columns


ALLOWED_FORMS = (
    "rate",
    "time",
    "a percentile such as p50, p99.9 or max",
    "counter:NAME/op",
    "counter:NAME/s",
    "counter:NAME/ns",
)
NS_PER_S = 1e9

_COUNTER = "counter:"
_RANKED = re.compile(r"p(\d+(?:\.\d+)?)")

Per = Literal["op", "s", "ns"]
_PER: dict[str, Per] = {"op": "op", "s": "s", "ns": "ns"}


@dataclass(frozen=True, slots=True)
class Rate:
    """All operations per second."""


@dataclass(frozen=True, slots=True)
class Time:
    """Nanoseconds per operation."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """Median over the fork's samples of the percentile `key`, in nanoseconds."""

    key: str


@dataclass(frozen=True, slots=True)
class Counter:
    """Sum of a counter per operation, second or nanosecond."""

    name: str
    per: Per


Expression = Rate | Time | Percentile | Counter


def parse_metric(of: str) -> Expression:
    """Read a metric expression."""
    if of == "rate":
        return Rate()
    if of == "time":
        return Time()
    if of.startswith(_COUNTER):
        # A counter's name may contain slashes; the last one separates the divisor.
        name, _, per = of.removeprefix(_COUNTER).rpartition("/")
        if name and per in _PER:
            return Counter(name, _PER[per])
    elif of and ":" not in of and "/" not in of:
        return Percentile(of)
    raise ValueError(f"unknown metric {of!r}: allowed are {', '.join(ALLOWED_FORMS)}")


def operations_needed(percentile: str) -> int:
    """Return the number of operations per sample from which a percentile differs from the slowest one.

    The 99th takes 100 operations, the 99.9th 1000. `p100` and `max` are the slowest operation itself: one is enough.

    Args:
        percentile: A key of `percentiles`; one that is not of the form `pN` with N up to 100 needs one operation.
    """
    match = _RANKED.fullmatch(percentile)
    # Exact: in floating point 1 / (1 - 0.999) is above 1000.
    beyond = 100 - Fraction(match[1]) if match else Fraction(0)
    return math.ceil(100 / beyond) if beyond > 0 else 1


def fork_value(samples: Sequence[Sample], of: str) -> float:
    """Return the value of metric `of` for a fork.

    A sample that does not report the percentile is left out of the median; one that does not report the counter
    adds nothing to its sum, while its operations and nanoseconds still count.
    The unit is the expression's: operations per second, nanoseconds, or counts.
    """
    expression = parse_metric(of)
    if not samples:
        raise ValueError(f"metric {of!r} needs at least one sample")
    match expression:
        case Percentile(key):
            found = [sample.percentiles[key] for sample in samples if key in sample.percentiles]
            if not found:
                raise _unknown("percentile", key, {known for sample in samples for known in sample.percentiles})
            return float(median(found))
        case Counter(name, per):
            if not any(name in sample.counters for sample in samples):
                raise _unknown("counter", name, {known for sample in samples for known in sample.counters})
            ops, ns = _totals(samples)
            return sum(sample.counters.get(name, 0.0) for sample in samples) / _divisor(per, ops, ns)
        case Rate():
            ops, ns = _totals(samples)
            return ops / ns * NS_PER_S
        case Time():
            ops, ns = _totals(samples)
            return ns / ops


def fork_values(rows: Columns, of: str) -> dict[tuple[int, str], float]:
    """Return the value of metric `of` for every fork of a run, as `fork_value`.

    Args:
        rows: One per sample, with the columns `round`, `variant`, `ops`, `ns`, one `p:KEY` per percentile and one
            `c:NAME` per counter (float, NaN where a sample does not report it).
        of: A metric expression, see `docs/protocol.md`.

    Returns:
        Values by round and variant, sorted; NaN where the fork does not report the percentile or counter at all.
    """
    expression, forks = parse_metric(of), rows_of_forks(rows)
    if isinstance(expression, Percentile):
        column = _column(rows, "p:", "percentile", expression.key)
        return {fork: median_of(column[own]) for fork, own in forks.items()}
    counted = _column(rows, "c:", "counter", expression.name) if isinstance(expression, Counter) else np.array([])
    totals = {fork: (_sum(rows["ops"][own]), _sum(rows["ns"][own])) for fork, own in forks.items()}
    if bad := [fork for fork, (ops, ns) in totals.items() if not (ops > 0 and ns > 0)]:
        raise ValueError(f"a fork's operations and nanoseconds must be above zero: {bad[:3]}")
    match expression:
        case Counter(_, per):
            return {fork: _sum(counted[own], math.nan) / _divisor(per, *totals[fork]) for fork, own in forks.items()}
        case Rate():
            return {fork: ops / ns * NS_PER_S for fork, (ops, ns) in totals.items()}
        case Time():
            return {fork: ns / ops for fork, (ops, ns) in totals.items()}


def sample_values(rows: Columns, of: str) -> NDArray[np.float64]:
    """Return the value of metric `of` for every single sample, in the rows' order; raises like `fork_values`."""
    ops: NDArray[np.float64] = rows["ops"]
    ns: NDArray[np.float64] = rows["ns"]
    with np.errstate(all="ignore"):
        match parse_metric(of):
            case Percentile(key):
                return _column(rows, "p:", "percentile", key)
            case Counter(name, per):
                divisor = {"op": ops, "s": ns / NS_PER_S, "ns": ns}[per]
                return _column(rows, "c:", "counter", name) / divisor
            case Rate():
                return ops / ns * NS_PER_S
            case Time():
                return ns / ops


def rows_of_forks(rows: Columns) -> dict[tuple[int, str], list[int]]:
    """Return the indices of each fork's rows by round and variant, sorted."""
    found: dict[tuple[int, str], list[int]] = {}
    for at, fork in enumerate(rows.cells("round", "variant")):
        found.setdefault(fork, []).append(at)
    return dict(sorted(found.items()))


def median_of(values: NDArray[np.float64]) -> float:
    """Return the median of what is not NaN; NaN if nothing is left."""
    present = values[~np.isnan(values)].tolist()
    return median(present) if present else math.nan


def _sum(values: NDArray[np.float64], of_none: float = 0.0) -> float:
    """Return the exact sum, rounded, of what is not NaN."""
    present: list[float] = values[~np.isnan(values)].tolist()
    try:
        return math.fsum(present) if present else of_none
    except (OverflowError, ValueError):  # too large, or infinite in both directions
        return sum(present)


def _totals(samples: Sequence[Sample]) -> tuple[float, float]:
    ops = sum(sample.ops for sample in samples)
    ns = sum(sample.ns for sample in samples)
    if not (ops > 0 and ns > 0):
        raise ValueError(f"a fork's operations and nanoseconds must be above zero, not {ops:g} and {ns:g}")
    return float(ops), float(ns)


def _divisor(per: Per, ops: float, ns: float) -> float:
    return {"op": ops, "s": ns / NS_PER_S, "ns": ns}[per]


def _column(rows: Columns, prefix: str, what: str, key: str) -> NDArray[np.float64]:
    if prefix + key not in rows:
        raise _unknown(what, key, {name.removeprefix(prefix) for name in rows if name.startswith(prefix)})
    found: NDArray[np.float64] = rows[prefix + key]
    return found


def _unknown(what: str, key: str, known: Collection[str]) -> ValueError:
    has = f"the samples have {', '.join(sorted(known))}" if known else f"the samples have no {what}s"
    return ValueError(f"unknown {what} {key!r}: {has}")
