"""Before and after: by what factor each candidate is better than the baseline, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.model.format import change_word, factor, percent, quantity
from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import ratio_range, ratio_ticks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.stats.comparison import Comparison


_ROW_HEIGHT = 46
_FRAME_HEIGHT = 176


@dataclass(frozen=True)
class Ratio:
    """A row of the chart.

    Args:
        label: The candidate, as the reader knows it.
        estimate: Improvement factor over the baseline: above 1 is better, whatever the direction of the metric; `None`
            where there is none, and then the row says so in words.
        low: Lower end of its confidence interval; `None` where the rounds allow no interval.
        high: Upper end.
        verdict: In a word.
        published: The factor that was published, if one was.
        note: What stands in place of the figures where there is no factor.
        worst: The factor of the worst case, if that was measured.
    """

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    verdict: str
    published: float | None = None
    note: str = "no estimate"
    worst: float | None = None

    @property
    def figures(self) -> str:
        """The estimate and its interval in words."""
        if self.estimate is None:
            return self.note
        if self.low is None or self.high is None:
            return f"{factor(self.estimate)}, too few rounds"
        return f"{factor(self.estimate)} [{factor(self.low)}, {factor(self.high)}]"


def rows_of(
    comparisons: Sequence[Comparison],
    published: Mapping[str, float] | None = None,
    worst: Mapping[str, float] | None = None,
) -> list[Ratio]:
    """Rows of comparisons, with the published factor and the factor of the worst case of each candidate that has one.

    A comparison of differences has no factor: its row says the difference in words.
    """
    known, tails = published or {}, worst or {}
    return [_row(each, known.get(each.candidate), tails.get(each.candidate)) for each in comparisons]


def _row(each: Comparison, published: float | None, worst: float | None) -> Ratio:
    word = change_word(each.verdict, each.unit, each.better)
    if each.scale == "ratio":
        return Ratio(each.candidate, each.estimate, each.low, each.high, word, published, worst=worst)
    ends = [quantity(end, each.unit) for end in (each.estimate, each.low, each.high) if end is not None]
    note = f"better by {ends[0]} [{', '.join(ends[1:])}]" if len(ends) == 3 else "too few rounds"  # noqa: PLR2004 - all
    return Ratio(each.candidate, None, None, None, word, published, note, worst)


def ratios_chart(
    rows: Sequence[Ratio],
    *,
    baseline: str,
    metric: str,
    noise: tuple[float, float] | None = None,
    confidence: float = 0.95,
    title: str = "",
) -> Chart:
    """One row per candidate: estimate, interval, published figure, verdict; the noise band shaded.

    Args:
        rows: At least one.
        baseline: What they are compared with.
        metric: What was measured, for the axis.
        noise: Factors between which two runs of one and the same variant differ on this machine.
        confidence: Of the intervals.
        title: Of the chart.
    """
    title = title or f"{metric}: improvement over {baseline}"
    positions = list(range(len(rows)))
    drawn = [(row.low, row.high, row.estimate, row.published, row.worst) for row in rows]
    known = [value for values in drawn for value in values if value is not None]
    extremes = [value for value in (1.0, *known, *(noise or ())) if 0 < value < math.inf]
    low, high = ratio_range(min(extremes), max(extremes))
    ticks, tick_texts = ratio_ticks(low, high)
    layout: dict[str, Any] = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(rows),
        "xaxis": {
            "type": "log",
            "range": [math.log10(low), math.log10(high)],
            "tickvals": ticks,
            "ticktext": tick_texts,
            "title": {"text": f"improvement factor of {metric} over {baseline} (x, log scale; right is better)"},
        },
        "yaxis": {
            "tickvals": positions,
            "ticktext": [f"<b>{row.label}</b>" for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "ticklabelstandoff": 8,
        },
        "margin": {"r": 220},
        "shapes": _shapes(noise),
        "annotations": [_verdict(row, position) for row, position in zip(rows, positions, strict=True)],
    }
    return draw(title, _traces(rows, positions, confidence, noise), layout, _table(rows, baseline, noise, confidence))


def _traces(
    rows: Sequence[Ratio], positions: Sequence[int], confidence: float, noise: tuple[float, float] | None
) -> list[dict[str, Any]]:
    measured: dict[str, Any] = {
        "type": "scatter",
        "name": f"measured, {100 * confidence:.3g} % interval",
        "mode": "markers",
        "x": [row.estimate for row in rows],
        "y": list(positions),
        "marker": {"symbol": "circle", "size": 11, "color": theme.BLUE},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_length(row.estimate, row.high) for row in rows],
            "arrayminus": [_length(row.low, row.estimate) for row in rows],
            "thickness": 2.5,
            "width": 7,
            "color": theme.BLUE,
        },
        "text": [f"{row.label}: {row.figures}, {row.verdict}" for row in rows],
        "hovertemplate": "%{text}<extra></extra>",
    }
    traces: list[dict[str, Any]] = [measured]
    tails = [(row.worst, position) for row, position in zip(rows, positions, strict=True) if row.worst is not None]
    if tails:
        traces.append(
            {
                "type": "scatter",
                "name": "worst case",
                "mode": "markers",
                "x": [worst for worst, _ in tails],
                "y": [position for _, position in tails],
                "marker": {
                    "symbol": "line-ns-open",
                    "size": 18,
                    "color": theme.NEUTRAL,
                    "line": {"width": 2.5, "color": theme.NEUTRAL},
                },
                "hovertemplate": "worst case: %{x:.3g}x<extra></extra>",
            }
        )
    published = [(row, position) for row, position in zip(rows, positions, strict=True) if row.published is not None]
    if published:
        traces.append(
            {
                "type": "scatter",
                "name": "published",
                "mode": "markers+text",
                "x": [row.published for row, _ in published],
                "y": [position for _, position in published],
                "text": [f"published {factor(row.published or 1.0)}" for row, _ in published],
                "textposition": "top center",
                "textfont": {"size": 11},
                "marker": {
                    "symbol": "diamond-open",
                    "size": 13,
                    "color": theme.VERMILLION,
                    "line": {"width": 2.5, "color": theme.VERMILLION},
                },
                "cliponaxis": False,
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    if noise:
        # The band itself is a shape, which has no entry in a legend.
        traces.append(
            {
                "type": "scatter",
                "name": f"noise, {factor(noise[0])} to {factor(noise[1])}",
                "mode": "markers",
                "x": [None],
                "y": [None],
                "marker": {"symbol": "square", "size": 14, "color": theme.faint(theme.NEUTRAL, 0.4)},
            }
        )
    return traces


def _shapes(noise: tuple[float, float] | None) -> list[dict[str, Any]]:
    vertical = {"yref": "paper", "y0": 0, "y1": 1, "xref": "x", "layer": "below"}
    unity = {
        **vertical,
        "type": "line",
        "x0": 1,
        "x1": 1,
        "line": {"color": theme.NEUTRAL, "width": 1.5, "dash": "dot"},
    }
    if not noise:
        return [unity]
    band = {**vertical, "type": "rect", "x0": noise[0], "x1": noise[1], "fillcolor": theme.faint(theme.NEUTRAL)}
    return [{**band, "line": {"width": 0}}, unity]


def _verdict(row: Ratio, position: int) -> dict[str, Any]:
    return {
        "text": f"<b>{row.verdict}</b><br>{row.figures}",
        "xref": "paper",
        "x": 1.0,
        "xanchor": "left",
        "xshift": 12,
        "yref": "y",
        "y": position,
        "align": "left",
        "showarrow": False,
    }


def _length(start: float | None, end: float | None) -> float:
    return end - start if start is not None and end is not None and end < math.inf else 0.0


def _table(rows: Sequence[Ratio], baseline: str, noise: tuple[float, float] | None, confidence: float) -> Table:
    notes = [f"factors over {baseline}; above 1 is better"]
    if noise:
        width = max(abs(1 - noise[0]), abs(noise[1] - 1))
        notes.append(f"noise of this machine: {factor(noise[0])} to {factor(noise[1])} (±{percent(width)})")
    interval = f">{100 * confidence:.3g} % interval"
    has_worst = any(row.worst is not None for row in rows)
    return Table(
        ["candidate", ">factor", interval, "verdict", ">published", *([">worst case"] if has_worst else [])],
        [
            [
                row.label,
                factor(row.estimate) if row.estimate is not None else "",
                f"{factor(row.low)} to {factor(row.high)}"
                if row.low is not None and row.high is not None
                else row.figures,
                row.verdict,
                factor(row.published) if row.published is not None else "",
                *([factor(row.worst) if row.worst is not None else ""] if has_worst else []),
            ]
            for row in rows
        ],
        notes,
    )
