"""Evaluate the metric expressions of `docs/protocol.md` for a fork's samples, or for all forks of a data frame."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    import pandas as pd

    from perflab.model.protocol import Sample


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


def fork_values(frame: pd.DataFrame, of: str) -> pd.Series[float]:
    """Return the value of metric `of` for every fork of a run, as `fork_value`, but vectorised.

    Args:
        frame: One row per sample, with the columns `round`, `variant`, `ops`, `ns`, one `p:KEY` per percentile and one
            `c:NAME` per counter (float, NaN where a sample does not report it).
        of: A metric expression, see `docs/protocol.md`.

    Returns:
        Values indexed by (round, variant), sorted; NaN where the fork does not report the percentile or counter at all.
    """
    expression = parse_metric(of)
    match expression:
        case Percentile(key):
            column = _column(frame, "p:", "percentile", key)
            return _forks(frame)[column].median().rename(of)
        case Counter(name, per):
            column = _column(frame, "c:", "counter", name)
            ops, ns = _fork_totals(frame)
            # min_count distinguishes forks that never report the counter from those that count zero.
            counted = _forks(frame)[column].sum(min_count=1)
            return (counted / _fork_divisor(per, ops, ns)).rename(of)
        case Rate():
            ops, ns = _fork_totals(frame)
            return (ops / ns * NS_PER_S).rename(of)
        case Time():
            ops, ns = _fork_totals(frame)
            return (ns / ops).rename(of)


def sample_values(frame: pd.DataFrame, of: str) -> pd.Series[float]:
    """Return the value of metric `of` for every single sample, in the frame's order; raises like `fork_values`."""
    ops, ns = frame["ops"].astype(float), frame["ns"].astype(float)
    match parse_metric(of):
        case Percentile(key):
            return frame[_column(frame, "p:", "percentile", key)]
        case Counter(name, per):
            return frame[_column(frame, "c:", "counter", name)] / _fork_divisor(per, ops, ns)
        case Rate():
            return ops / ns * NS_PER_S
        case Time():
            return ns / ops


def _totals(samples: Sequence[Sample]) -> tuple[float, float]:
    ops = sum(sample.ops for sample in samples)
    ns = sum(sample.ns for sample in samples)
    if not (ops > 0 and ns > 0):
        raise ValueError(f"a fork's operations and nanoseconds must be above zero, not {ops:g} and {ns:g}")
    return float(ops), float(ns)


def _divisor(per: Per, ops: float, ns: float) -> float:
    return {"op": ops, "s": ns / NS_PER_S, "ns": ns}[per]


def _forks(frame: pd.DataFrame) -> pd.api.typing.DataFrameGroupBy[tuple[Hashable, ...], Literal[True]]:
    # observed: a categorical `variant` column must not invent forks that never ran.
    return frame.groupby(["round", "variant"], observed=True, sort=True)


def _fork_totals(frame: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    totals = _forks(frame)[["ops", "ns"]].sum()
    bad = totals.index[~((totals["ops"] > 0) & (totals["ns"] > 0))]
    if len(bad):
        raise ValueError(f"a fork's operations and nanoseconds must be above zero: {list(bad[:3])}")
    return totals["ops"].astype(float), totals["ns"].astype(float)


def _fork_divisor(per: Per, ops: pd.Series[float], ns: pd.Series[float]) -> pd.Series[float]:
    return {"op": ops, "s": ns / NS_PER_S, "ns": ns}[per]


def _column(frame: pd.DataFrame, prefix: str, what: str, key: str) -> str:
    column = prefix + key
    if column not in frame.columns:
        known = {str(name).removeprefix(prefix) for name in frame.columns if str(name).startswith(prefix)}
        raise _unknown(what, key, known)
    return column


def _unknown(what: str, key: str, known: Collection[str]) -> ValueError:
    has = f"the samples have {', '.join(sorted(known))}" if known else f"the samples have no {what}s"
    return ValueError(f"unknown {what} {key!r}: {has}")
