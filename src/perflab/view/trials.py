"""A search's trials in the order in which they were made, and what became of the best ones when measured again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.run.search_space import setting_text
from perflab.stats.comparison import Comparison
from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import factor_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.model.estimate import Estimate
    from perflab.run.search_space import SearchResult, Trial


_HEIGHT = 380


@dataclass(frozen=True)
class TrialPoint:
    """A setting that was tried.

    Args:
        number: From 1.
        label: The setting.
        estimate: Improvement factor over the default; `None` where there is none.
        confirmed: The factor of the run that measured it again.
        note: Why there is no factor.
    """

    number: int
    label: str
    estimate: Estimate | None
    confirmed: Estimate | None = None
    note: str = ""


def trials_chart(points: Sequence[TrialPoint], *, metric: str, title: str) -> Chart:
    """The factor of each trial with its interval, the best until then, and the confirmed figures as diamonds.

    Needs at least one point.
    """
    ends = [end for one in points for found in (one.estimate, one.confirmed) if found for end in found.ends]
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "xaxis": {
            "title": {"text": "trial (in the order in which they were made)"},
            "range": [0.5, points[-1].number + 0.5],
            "tickformat": "d",
        },
        "yaxis": factor_axis(ends, f"{metric}, improvement over the default (x)"),
        "shapes": [{**theme.horizontal(1, theme.UNITY_LINE), "layer": "below"}],
    }
    return draw(title, [*_tried(points), *_again(points)], layout, _table(points))


def _tried(tried: Sequence[TrialPoint]) -> list[dict[str, Any]]:
    known = [(one, one.estimate) for one in tried if one.estimate is not None]
    numbers = [one.number for one, _ in known]
    estimates = [found.value for _, found in known]
    best = [max(estimates[: place + 1]) for place in range(len(estimates))]
    points = {
        "type": "scatter",
        "name": "trial, 95 % interval",
        "mode": "markers",
        "x": numbers,
        "y": estimates,
        "marker": {"symbol": "circle", "size": 9, "color": theme.BLUE},
        "error_y": theme.error_bars([found for _, found in known], theme.BLUE, thickness=1.5, width=4),
        "text": [f"{one.label}: {found}" for one, found in known],
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
            "y": [again.value for _, again in found],
            "marker": theme.open_marker("diamond-open", 14, theme.VERMILLION),
            "error_y": theme.error_bars([again for _, again in found], theme.VERMILLION),
            "text": [f"{one.label}: {again} when measured again" for one, again in found],
            "hovertemplate": "%{text}<extra></extra>",
        }
    ]


def _table(points: Sequence[TrialPoint]) -> Table:
    return Table(
        [">trial", "setting", "in the trial", "measured again"],
        [
            [str(one.number), one.label, str(one.estimate or one.note or "no factor"), str(one.confirmed or "")]
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
    label = setting_text(trial.params)
    return TrialPoint(trial.number, label, trial.factor, _confirmed(label, result), trial.failure)


def _confirmed(label: str, result: SearchResult) -> Estimate | None:
    again = map(Comparison.from_dict, result.confirmed.comparisons if result.confirmed else [])
    found = next((one.estimate for one in again if one.candidate == label and one.scale == "ratio"), None)
    return found if found and found.interval else None
