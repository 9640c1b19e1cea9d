"""A result as HTML: its rows as a table, commands to copy, verdicts with a sign that is no colour."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
from markupsafe import Markup

from perflab.charts.chart import PLOTLY, Table
from perflab.model.estimate import interval_name
from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perflab.cli.console.kept import Pair


@dataclass(frozen=True)
class Row:
    """A comparison, the parameters at which it was made, as in `size=4`, empty for the defaults, and its run."""

    setting: str
    run: str
    comparison: Comparison

    @property
    def interval(self) -> tuple[float, float] | None:
        """That of the estimate, if there is one."""
        return self.comparison.estimate.interval if self.comparison.estimate else None


def rows(result: Mapping[str, Any]) -> list[Row]:
    """The rows of what `measure`, `compare`, `sweep` or `search` found."""
    if "points" in result:
        return [row for point in result["points"] for row in _of(point["comparisons"], point["run"], point["params"])]
    if "trials" in result:
        confirmed = result.get("confirmed")
        return _of(confirmed["comparisons"], confirmed["run"], {}) if confirmed else []
    return _of(result.get("comparisons", []), str(result.get("run", "")), result.get("params", {}))


def setting(params: Mapping[str, Any]) -> str:
    """Parameters as people write them."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


def _of(comparisons: Iterable[Mapping[str, Any]], run: str, params: Mapping[str, Any]) -> list[Row]:
    return [Row(setting(params), run, Comparison.from_dict(one)) for one in comparisons]


STYLE = f"<style>{Path(__file__).with_name('console.css').read_text(encoding='utf-8')}</style>"


def shown(bundles: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """MIME bundles as the outputs of a widget."""
    return tuple({"output_type": "display_data", "data": _narrow(data), "metadata": {}} for data in bundles)


def _narrow(data: Mapping[str, Any]) -> dict[str, Any]:
    """With what an axis is explained by in brackets on a line of its own."""
    figure = data.get(PLOTLY)
    axis = figure.get("layout", {}).get("xaxis", {}) if figure else {}
    text = (axis.get("title") or {}).get("text", "")
    if not figure or not text.endswith(")"):
        return dict(data)
    head, _, rest = text.rpartition(" (")
    titled = {**axis, "title": {**axis["title"], "text": f"{head}<br>({rest}"}}
    return {**data, PLOTLY: {**figure, "layout": {**figure["layout"], "xaxis": titled}}}


_SIGNS = {"faster": "▲", "slower": "▼", "no difference": "=", "inconclusive": "?", "apart": "≠", "not told apart": "?"}


_COPY = "navigator.clipboard.writeText(this.dataset.text).then(() => { this.textContent = 'Copied'; })"


def command(text: str, label: str) -> str:
    """A line to copy; a click marks it whole."""
    button = f'<button type="button" data-text="{escape(text)}" onclick="{_COPY}">Copy</button>'
    # A line is broken between words, not after the hyphens of an option.
    words = " ".join(f"<span>{escape(word)}</span>" for word in text.split(" "))
    return f'<div class="perflab-command"><small>{escape(label)}</small><code>{words}</code>{button}</div>'


def verdict(word: str) -> Markup:
    """A verdict, with a sign that is no colour."""
    kind = word.replace(" ", "-")
    return Markup('<span class="perflab-verdict perflab-{}">{} {}</span>').format(kind, _SIGNS.get(word, ""), word)


def figures(rows: Sequence[Row], *, swept: bool = False) -> str:
    """What was compared: factor, interval, verdict, the smallest detectable effect, rounds; of a sweep the points."""
    if not rows:
        return ""
    settings = swept or len({row.setting for row in rows}) > 1
    interval = interval_name(row.comparison.estimate for row in rows if row.comparison.estimate)
    heads = ["candidate", ">factor", f">{interval}", "verdict", ">detectable", ">rounds"]
    body = [
        [
            *([row.setting] if settings else []),
            Markup("<b>{}</b> over {}").format(one.candidate, one.baseline),
            Markup("<b>{}</b>").format(one.columns[0]),
            Markup('<span class="perflab-whole">{}</span>').format(one.columns[1]),
            verdict(one.verdict),
            one.detectable,
            str(one.rounds),
        ]
        for row in rows
        for one in [row.comparison]
    ]
    return table(["at", *heads] if settings else heads, body)


def pairs(found: Sequence[Pair], names: tuple[str, str]) -> str:
    """Two kept results side by side."""
    body = [
        [
            one.label,
            *(row.comparison.figures if row else "not measured" for row in (one.first, one.second)),
            verdict(one.word) if one.word else "",
        ]
        for one in found
    ]
    return table(["candidate", *names, "intervals"], body)


def table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table; a head that starts with `>` is set flush right. Cells are text or markup."""
    return f'<div class="perflab-table">{Table(heads, body).html()}</div>'


def card(title: str, *children: widgets.Widget) -> widgets.VBox:
    """A part of the page with a heading."""
    return widgets.VBox([widgets.HTML(f"<h2>{escape(title)}</h2>"), *children]).add_class("perflab-card")


def notes(lines: Iterable[str]) -> str:
    """Remarks below a result, each once."""
    once = dict.fromkeys(line.removeprefix("note: ") for line in lines)
    items = "".join(f"<li>{escape(line)}</li>" for line in once)
    return f'<ul class="perflab-notes">{items}</ul>' if items else ""


def problem(message: str, hint: str = "") -> str:
    """What is wrong, and what to do about it; read aloud when it appears."""
    advice = f"<br><b>What to do:</b> {escape(hint)}" if hint else ""
    return f'<div class="perflab-problem" role="alert">{escape(message)}{advice}</div>'


def duration(seconds: float) -> str:
    """As in `45 s` or `2 min 5 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
