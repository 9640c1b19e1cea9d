"""All samples of all forks, for what summaries hide: two modes, drift, or a fork unlike the others."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw
from perflab.charts.theme import ValueAxis, log_axis, value_axis
from perflab.model.format import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MOST_POINTS = 20_000
"""Points per chart: about a megabyte of the page."""
_STRIP = 0.8
"""Height of a variant's strip, of the 1.0 that it has."""
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class ForkSamples:
    """The samples of one fresh process, in the order they were taken; `worst` is its worst case in the same unit."""

    variant: str
    number: int
    samples: Sequence[float]
    worst: float | None = None


def distribution_chart(forks: Sequence[ForkSamples], *, metric: str, unit: str, better: str, title: str) -> Chart:
    """Draw a strip per variant with a lane per fork: samples are points, the median a line, the worst case a cross.

    With more than `MOST_POINTS` samples a subset is drawn, including each fork's extremes, and the title says so; lines
    and table use all samples.

    The axis is logarithmic where the largest sample exceeds the smallest by more than twenty times.

    Each fork has at least one sample, in `unit`. `better` is `higher`, `lower` or empty.
    """
    variants = list(dict.fromkeys(fork.variant for fork in forks))
    everything = [sample for fork in forks for sample in fork.samples]
    everything += [fork.worst for fork in forks if fork.worst is not None]
    axis = value_axis(everything, metric=metric, unit=unit, better=better)
    step = math.ceil(len(everything) / MOST_POINTS)
    shown = "every sample" if step == 1 else f"one of {step} samples, and each fork's least and largest"
    traces: list[dict[str, Any]] = []
    for place, variant in enumerate(variants):
        traces += _strip(place, [fork for fork in forks if fork.variant == variant], axis, step)
    layout = {
        "height": 170 + 110 * len(variants),
        "xaxis": axis.layout,
        "yaxis": theme.lane_axis([f"<b>{variant}</b>" for variant in variants]),
        "shapes": [
            theme.horizontal(place + 0.5, {"color": theme.faint(theme.NEUTRAL, 0.4), "width": 1})
            for place in range(len(variants) - 1)
        ],
        "legend": {"itemsizing": "constant"},
    }
    return draw(f"{title}: {shown}", traces, layout, _table(forks, variants, unit))


def _shown(samples: Sequence[float], step: int) -> list[int]:
    """Return the indices of a fork's samples to draw: one in `step`, the least and the largest."""
    ends = (f(range(len(samples)), key=samples.__getitem__) for f in (min, max)) if step > 1 else ()
    return sorted({*range(0, len(samples), step), *ends})


def _strip(place: int, forks: Sequence[ForkSamples], axis: ValueAxis, step: int) -> list[dict[str, Any]]:
    variant, lane = forks[0].variant, _STRIP / len(forks)
    lanes = [(fork, place - _STRIP / 2 + lane * (number + 0.5)) for number, fork in enumerate(forks)]
    points = [(fork, y, index) for fork, y in lanes for index in _shown(fork.samples, step)]
    medians = [(median(fork.samples) / axis.divisor, y) for fork, y in lanes]
    worst = [(fork.worst / axis.divisor, y) for fork, y in lanes if fork.worst is not None]
    signs = {id(fork): ("circle", "circle-open")[number % 2] for number, fork in enumerate(forks)}
    traces = [
        theme.scatter(
            variant,
            [_short(fork.samples[index] / axis.divisor) for fork, _, index in points],
            # Spread by the golden ratio instead of at random: even, and the same figure every time.
            [round(y + lane * 0.7 * ((index * _GOLDEN) % 1 - 0.5), 4) for _, y, index in points],
            text=[f"fork {fork.number}, sample {index}" for fork, _, index in points],
            hovertemplate=f"%{{text}}<br>%{{x:.4s}} {axis.unit}<extra>{variant}</extra>",
            marker={
                "symbol": [signs[id(fork)] for fork, _, _ in points],
                "size": 5,
                "color": theme.colour(place),
                "opacity": 0.9,
            },
            showlegend=False,
        ),
        theme.scatter(
            "median of a fork (each lane is one; full and open dots alternate)",
            [x for value, _ in medians for x in (value, value, None)],
            [y for _, middle in medians for y in (middle - lane * 0.45, middle + lane * 0.45, None)],
            mode="lines",
            line={"color": theme.NEUTRAL, "width": 3},
            hoverinfo="skip",
            showlegend=place == 0,
        ),
    ]
    if worst:
        traces.append(
            theme.scatter(
                "worst case of a fork",
                [_short(value) for value, _ in worst],
                [round(y, 4) for _, y in worst],
                marker={"symbol": "x-thin", "size": 7, "line": {"width": 2, "color": theme.NEUTRAL}},
                hovertemplate=f"worst case<br>%{{x:.4s}} {axis.unit}<extra>{variant}</extra>",
                showlegend=place == 0,
            )
        )
    return traces


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _table(forks: Sequence[ForkSamples], variants: Sequence[str], unit: str) -> Table:
    rows = []
    for variant in variants:
        own = [fork for fork in forks if fork.variant == variant]
        samples = sorted(sample for fork in own for sample in fork.samples)
        figures = (quantity(figure, unit) for figure in (samples[0], median(samples), samples[-1]))
        ranges = (
            _range([median(fork.samples) for fork in own], unit),
            _range([fork.worst for fork in own if fork.worst is not None], unit),
        )
        rows.append([variant, str(len(own)), str(len(samples)), *figures, *ranges])
    columns = ["variant", ">forks", ">samples", ">least", ">median", ">largest", ">medians of the forks"]
    if not any(row[-1] for row in rows):
        return Table(columns, [row[:-1] for row in rows])
    return Table([*columns, ">worst cases of the forks"], rows)


def _range(figures: Sequence[float], unit: str) -> str:
    return f"{quantity(min(figures), unit)} to {quantity(max(figures), unit)}" if figures else ""


_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
_TICKS = (0.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
_NS = 1e9
_MAX_NINES = 0.5
"""Distance of `max` from the last percentile, in nines: it is not a percentile, its rarity is unknown."""


@dataclass(frozen=True)
class Latency:
    """The percentiles of one fork in nanoseconds: `p0`, `p50`, ... `p99.99`, and `max`."""

    variant: str
    fork: int
    percentiles: Mapping[str, float]


def latency_chart(forks: Sequence[Latency], *, title: str) -> Chart:
    """Draw a thick line per variant, the median of its forks at each percentile, and a thin line per fork.

    Percentiles that are not above zero are left out.
    """
    variants = list(dict.fromkeys(fork.variant for fork in forks))
    names = sorted({name for fork in forks for name in fork.percentiles if name != "max"}, key=_rank)
    places = {name: _nines(_rank(name)) for name in names}
    has_max = any("max" in fork.percentiles for fork in forks)
    if has_max:
        places["max"] = max(places.values(), default=0.0) + _MAX_NINES
        names.append("max")
    times = [time for fork in forks for time in fork.percentiles.values() if time > 0]
    if not times:
        raise ValueError("no percentile is above zero")
    low, high = min(times) / _NS * 0.77, max(times) / _NS * 1.3
    rightmost = max(places.values())
    ticks = [rank for rank in _TICKS if _nines(rank) <= max(places[name] for name in names if name != "max") + 1e-9]
    traces: list[dict[str, Any]] = []
    medians: dict[str, dict[str, float]] = {}
    for number, variant in enumerate(variants):
        own = [fork.percentiles for fork in forks if fork.variant == variant]
        medians[variant] = {
            name: median(found) for name in names if (found := [fork[name] for fork in own if fork.get(name, 0) > 0])
        }
        traces.extend(_lines(variant, number, own, medians[variant], places))
    layout = {
        **theme.legend_room(len(variants), height=460),
        "xaxis": {
            "title": {"text": "percentile of operations (%)"},
            "tickvals": [_nines(rank) for rank in ticks] + ([places["max"]] if has_max else []),
            "ticktext": [f"{rank:g}" for rank in ticks] + (["max"] if has_max else []),
            "range": [-0.05, rightmost + 0.08],
        },
        "yaxis": log_axis(low, high, "latency (time; log scale)", tickformat="~s", ticksuffix="s"),
    }
    table = Table(
        ["variant", ">forks", *(f">{name}" for name in names)],
        [
            [
                variant,
                str(sum(fork.variant == variant for fork in forks)),
                *(quantity(medians[variant][name], "ns") if name in medians[variant] else "" for name in names),
            ]
            for variant in variants
        ],
        ["medians over the forks"],
    )
    return draw(title, traces, layout, table)


def _lines(
    variant: str,
    number: int,
    forks: Sequence[Mapping[str, float]],
    medians: Mapping[str, float],
    places: Mapping[str, float],
) -> list[dict[str, Any]]:
    colour = theme.colour(number)
    xs: list[float | None] = []
    ys: list[float | None] = []
    for fork in forks:
        known = [name for name in places if fork.get(name, 0) > 0]
        xs += [*(places[name] for name in known), None]
        ys += [*(fork[name] / _NS for name in known), None]
    return [
        theme.scatter(
            f"{variant}, each fork",
            xs,
            ys,
            mode="lines",
            legendgroup=variant,
            showlegend=False,
            line={"color": theme.faint(colour, 0.45), "width": 1},
            hoverinfo="skip",
        ),
        theme.scatter(
            variant,
            [places[name] for name in medians],
            [time / _NS for time in medians.values()],
            mode="lines+markers",
            legendgroup=variant,
            line={"color": colour, "width": 3, "dash": theme.dash(number)},
            marker=theme.marker(number, 8),
            **theme.tooltip((f"{name}: {quantity(time, 'ns')}" for name, time in medians.items()), variant),
        ),
    ]


def _rank(name: str) -> float:
    match = _PERCENTILE.fullmatch(name)
    return float(match[1]) if match else 0.0


def _nines(percentile: float) -> float:
    # 0 at the minimum, 1 at 90 %, 2 at 99 %. p100 would be at infinity; it is drawn at six nines.
    return -math.log10(max(1 - percentile / 100, 1e-6))
