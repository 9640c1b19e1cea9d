"""A search's trials in the order in which they were made, and what became of the best ones when measured again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.model.format import factor
from perflab.run.search_space import setting_text
from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import ratio_range, ratio_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.run.search_space import SearchResult, Trial


_HEIGHT = 380


@dataclass(frozen=True)
class TrialPoint:
    """A setting that was tried.

    Args:
        number: From 1.
        label: The setting.
        estimate: Improvement factor over the default; `None` where there is none.
        low: Lower end of its interval.
        high: Upper end.
        confirmed: The factor, and the interval's ends, of the run that measured it again.
        note: Why there is no factor.
    """

    number: int
    label: str
    estimate: float | None
    low: float | None
    high: float | None
    confirmed: tuple[float, float, float] | None = None
    note: str = ""


def trials_chart(points: Sequence[TrialPoint], *, metric: str, title: str) -> Chart:
    """The factor of each trial with its interval, the best until then, and the confirmed figures as diamonds.

    Args:
        points: At least one.
        metric: What is compared.
        title: Of the chart.
    """
    known = [one for one in points if one.estimate is not None]
    ends = [v for one in points for v in (one.estimate, one.low, one.high, *(one.confirmed or ())) if v is not None]
    finite = [value for value in (1.0, *ends) if 0 < value < math.inf]
    low, high = ratio_range(min(finite), max(finite))
    ticks, texts = ratio_ticks(low, high)
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "xaxis": {
            "title": {"text": "trial (in the order in which they were made)"},
            "range": [0.5, points[-1].number + 0.5],
            "tickformat": "d",
        },
        "yaxis": {
            "type": "log",
            "range": [math.log10(low), math.log10(high)],
            "tickvals": ticks,
            "ticktext": texts,
            "title": {"text": f"{metric}, improvement over the default (x)"},
        },
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 1,
                "y1": 1,
                "layer": "below",
                "line": {"color": theme.NEUTRAL, "width": 1.5, "dash": "dot"},
            }
        ],
    }
    return draw(title, [*_tried(known), *_again(points)], layout, _table(points))


def _tried(known: Sequence[TrialPoint]) -> list[dict[str, Any]]:
    numbers = [one.number for one in known]
    estimates = [one.estimate or 1.0 for one in known]
    best = [max(estimates[: place + 1]) for place in range(len(estimates))]
    points = {
        "type": "scatter",
        "name": "trial, 95 % interval",
        "mode": "markers",
        "x": numbers,
        "y": estimates,
        "marker": {"symbol": "circle", "size": 9, "color": theme.BLUE},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_length(one.estimate, one.high) for one in known],
            "arrayminus": [_length(one.low, one.estimate) for one in known],
            "color": theme.BLUE,
            "thickness": 1.5,
            "width": 4,
        },
        "text": [f"{one.label}: {_figures(one)}" for one in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    line = {
        "type": "scatter",
        "name": "best until then",
        "mode": "lines",
        "x": numbers,
        "y": best,
        "line": {"shape": "hv", "color": theme.NEUTRAL, "width": 1.5},
        "hoverinfo": "skip",
    }
    return [line, points]


def _again(points: Sequence[TrialPoint]) -> list[dict[str, Any]]:
    found = [(one, one.confirmed) for one in points if one.confirmed is not None]
    if not found:
        return []
    return [
        {
            "type": "scatter",
            "name": "measured again: what is reported",
            "mode": "markers",
            "x": [one.number for one, _ in found],
            "y": [again[0] for _, again in found],
            "marker": {
                "symbol": "diamond-open",
                "size": 14,
                "color": theme.VERMILLION,
                "line": {"width": 2.5, "color": theme.VERMILLION},
            },
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [again[2] - again[0] for _, again in found],
                "arrayminus": [again[0] - again[1] for _, again in found],
                "color": theme.VERMILLION,
                "thickness": 2.5,
                "width": 7,
            },
            "text": [f"{one.label}: {factor(again[0])} when measured again" for one, again in found],
            "hovertemplate": "%{text}<extra></extra>",
        }
    ]


def _length(start: float | None, end: float | None) -> float:
    return end - start if start is not None and end is not None and end < math.inf else 0.0


def _figures(one: TrialPoint) -> str:
    if one.estimate is None:
        return one.note or "no factor"
    if one.low is None or one.high is None:
        return f"{factor(one.estimate)}, too few rounds"
    return f"{factor(one.estimate)} [{factor(one.low)}, {factor(one.high)}]"


def _table(points: Sequence[TrialPoint]) -> Table:
    return Table(
        [">trial", "setting", "in the trial", "measured again"],
        [
            [
                str(one.number),
                one.label,
                _figures(one),
                f"{factor(one.confirmed[0])} [{factor(one.confirmed[1])}, {factor(one.confirmed[2])}]"
                if one.confirmed
                else "",
            ]
            for one in points
        ],
        ["factors over the default setting; above 1 is better. Trials only choose: what was measured again counts."],
    )


def search_chart(result: SearchResult) -> Chart | None:
    """Its trials in order; `None` before the first."""
    if not result.trials:
        return None
    title = f"{result.topic} {result.scenario}: settings of {result.variant}"
    return trials_chart([_point(one, result) for one in result.trials], metric=result.scenario, title=title)


def _point(trial: Trial, result: SearchResult) -> TrialPoint:
    label, found = setting_text(trial.params), trial.comparison
    low, high = (found["low"], found["high"]) if found and trial.factor is not None else (None, None)
    return TrialPoint(trial.number, label, trial.factor, low, high, _confirmed(label, result), trial.failure)


def _confirmed(label: str, result: SearchResult) -> tuple[float, float, float] | None:
    for one in result.confirmed.comparisons if result.confirmed else []:
        if one["candidate"] == label and one["scale"] == "ratio" and one["low"] is not None:
            return one["estimate"], one["low"], one["high"]
    return None
