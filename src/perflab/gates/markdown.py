"""A table for a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflab.charts.quantities import percent, quantity
from perflab.gates.gate import detectable, how, improvement, warnings

if TYPE_CHECKING:
    from perflab.analysis import MetricVerdict, NotCompared
    from perflab.gates.gate import Gate

# An icon is never the only sign: the word stands beside it.
_ICONS = {
    "regression": "❌",
    "inconclusive": "❔",
    "within threshold": "✅",
    "better": "🚀",
    "not compared": "⚪",
    "failed": "💥",
}
_COLUMNS = (
    "verdict",
    "scenario",
    "variant",
    "metric",
    "then",
    "now",
    "factor [interval]",
    "may be worse by",
    "finds from",
)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def markdown(gate: Gate) -> str:
    """The verdicts as GitHub's and GitLab's Markdown show them, the worst first; ends with a line's end."""
    rows: list[tuple[str, list[str]]] = [(one.word, _row(one)) for each in gate.found for one in each.verdicts]
    rows += [
        ("failed", ["failed", each.again.run.header.scenario.name, label, "", "", "", why, "", ""])
        for each in gate.found
        for label, why in each.failures.items()
    ]
    rows += [("not compared", _left_out(one)) for each in gate.found for one in each.not_compared]
    order = ["regression", "failed", "inconclusive", "better", "within threshold", "not compared"]
    rows.sort(key=lambda row: order.index(row[0]))
    lines = [f"### {_icon(_worst(gate))} {_text(_headline(gate))}", ""]
    lines += ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * 4 + "--:|" * 5]
    for word, cells in rows:
        lines.append("| " + " | ".join([f"{_icon(word)} {word}", *map(_text, cells[1:])]) + " |")
    lines += [
        "",
        (
            "A factor above 1 is better. It is a regression if the whole interval is worse than it may be; what is "
            "inconclusive needs more rounds. The intervals of a scenario hold together with 95 %."
        ),
        "",
        f"Measured on {_text(gate.header.machine.title)}.",
        *(f"- {_text(how(each))}" for each in gate.found),
        *(f"- note: {_text(note)}" for note in dict.fromkeys(note for each in gate.found for note in warnings(each))),
        "",
        "```sh",
        gate.command.replace("```", ""),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _headline(gate: Gate) -> str:
    counts = gate.counts
    said = [f"{counts[word]} {word}" for word in ("failed", "inconclusive", "better") if counts[word]]
    number = counts["regression"]
    regressions = f"{number or 'no'} regression{'' if number == 1 else 's'}"
    return f"{gate.header.component}, {gate.now} against {gate.then}: {', '.join([regressions, *said])}"


def _worst(gate: Gate) -> str:
    words = ("regression", "failed", "inconclusive")
    return next((word for word in words if gate.counts[word]), "within threshold")


def _row(one: MetricVerdict) -> list[str]:
    comparison = one.comparison
    return [
        one.word,
        one.scenario,
        one.variant,
        comparison.metric,
        quantity(one.then, comparison.unit),
        quantity(one.now, comparison.unit),
        improvement(comparison),
        percent(one.threshold.worse_by),
        detectable(comparison),
    ]


def _left_out(one: NotCompared) -> list[str]:
    return ["", one.scenario, one.variant or "all", one.metric or "all", "", "", one.reason, "", ""]


def _icon(word: str) -> str:
    return _ICONS[word]


def _text(text: str) -> str:
    """A text that cannot end its cell, begin a link, or be taken for a tag."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
