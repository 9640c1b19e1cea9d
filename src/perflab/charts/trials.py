"""A search's trials in the order in which they were made, and the best ones when measured again."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw, drawn
from perflab.charts.theme import factor_axis
from perflab.measure.search_space import setting_text
from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from perflab.model.estimate import Estimate
    from perflab.store.searches import SearchResult


_MOST_TICKS = 20


def search_chart(result: SearchResult) -> Chart | None:
    """The factor of each trial with its interval, the best so far, and the confirmed figures as diamonds.

    `None` before the first trial.
    """
    title = f"{result.topic} {result.scenario}: settings of {result.variant}"
    return drawn(title, partial(_chart, result, title)) if result.trials else None


def _chart(result: SearchResult, title: str) -> Chart:
    labels = [setting_text(one.params) for one in result.trials]
    numbers = [one.number for one in result.trials]
    tried = [one.factor for one in result.trials]
    found = _confirmed(result)
    again = [found.get(label) for label in labels]
    known = [(number, label, one) for number, label, one in zip(numbers, labels, tried, strict=True) if one]
    confirmed = [(number, label, one) for number, label, one in zip(numbers, labels, again, strict=True) if one]
    best = list(accumulate((one.value for _, _, one in known), max))
    traces = [
        theme.scatter(
            "best so far",
            [number for number, _, _ in known],
            best,
            mode="lines",
            line={"shape": "hv", "color": theme.NEUTRAL, "width": 1.5},
            hoverinfo="skip",
        ),
        theme.estimated(
            "trial, 95 % interval",
            [number for number, _, _ in known],
            [one for _, _, one in known],
            theme.BLUE,
            axis="y",
            thickness=1.5,
            width=4,
            marker={"symbol": "circle", "size": 9, "color": theme.BLUE},
            **theme.tooltip(f"{label}: {one}" for _, label, one in known),
        ),
    ]
    if confirmed:
        traces.append(
            theme.estimated(
                "measured again",
                [number for number, _, _ in confirmed],
                [one for _, _, one in confirmed],
                theme.VERMILLION,
                axis="y",
                marker=theme.open_marker("diamond-open", 14, theme.VERMILLION),
                **theme.tooltip(f"{label}: {one} when measured again" for _, label, one in confirmed),
            )
        )
    layout = {
        "height": 410,
        "margin": {"t": 110},  # in a narrow column the legend takes three lines
        "xaxis": {
            "title": {"text": "trial (in the order in which they were made)"},
            "range": [0.5, numbers[-1] + 0.5],
            "tick0": 1,
            "dtick": -(-numbers[-1] // _MOST_TICKS),
        },
        "yaxis": factor_axis(
            [end for one in (*tried, *again) if one for end in one.ends],
            f"{result.scenario}, improvement over the default (x)",
        ),
        "shapes": [theme.UNITY],
    }
    table = Table(
        [">trial", "setting", "in the trial", "measured again"],
        [
            [str(one.number), label, str(one.factor or one.failure or "no factor"), str(sure or "")]
            for one, label, sure in zip(result.trials, labels, again, strict=True)
        ],
        ["factors over the default setting; above 1 is better. Trials only choose: what was measured again counts."],
    )
    return draw(title, traces, layout, table)


def _confirmed(result: SearchResult) -> dict[str, Estimate]:
    """By setting, the factor of the run that measured it again."""
    again = map(Comparison.from_dict, result.confirmed.comparisons if result.confirmed else [])
    return {
        one.candidate: one.estimate for one in again if one.scale == "ratio" and one.estimate and one.estimate.interval
    }
