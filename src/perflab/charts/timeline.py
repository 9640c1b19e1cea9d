"""Timeline of threads, which shows stalls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw
from perflab.model.format import axis_scale, quantity
from perflab.model.protocol import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence


_LONGEST_ROWS = 12
_TOP_PX, _BOTTOM_PX, _LABELS_PX, _ROW_PX = 80, 56, 36, 48
_RIGHT_PART = 0.7
_NEAR = 0.25


class Span(msgspec.Struct, frozen=True):
    """A thread in one state, from `start_ns` to `end_ns` on any common clock."""

    thread: str
    state: str
    start_ns: Figure
    end_ns: Figure
    note: str = ""

    @property
    def length_ns(self) -> float:
        """Duration in nanoseconds."""
        return self.end_ns - self.start_ns


class Moment(msgspec.Struct, frozen=True):
    """Something that happened at one instant, drawn as a line through all threads."""

    at_ns: Figure
    label: str


class Timeline(msgspec.Struct, frozen=True):
    """Input of `./lab timeline`."""

    spans: list[Span]
    moments: list[Moment] = []
    title: str = ""


def timeline_chart(spans: Sequence[Span], *, moments: Sequence[Moment] = (), title: str = "") -> Chart:
    """Draw a row per thread and a bar per span, hatched and coloured by state; time counts from the first event.

    Needs at least one span. `moments` are marked and labelled.
    """
    title = title or "threads over time"
    origin = min([span.start_ns for span in spans] + [moment.at_ns for moment in moments])
    end = max([span.end_ns for span in spans] + [moment.at_ns for moment in moments])
    unit, scale = axis_scale(end - origin, "ns")
    threads = list(dict.fromkeys(span.thread for span in spans))
    by_state: dict[str, list[Span]] = {}
    for span in spans:
        by_state.setdefault(span.state, []).append(span)
    traces = [_bars(state, number, own, origin, scale) for number, (state, own) in enumerate(by_state.items())]
    end_at = (end - origin) / scale
    at = [(moment.at_ns - origin) / scale for moment in moments]
    layout: dict[str, Any] = {
        "height": _TOP_PX + _BOTTOM_PX + (_LABELS_PX if moments else 0) + _ROW_PX * len(threads),
        "barmode": "overlay",
        "bargap": 0.35,
        "xaxis": {"title": {"text": f"time since the first event ({unit})"}, "range": [0, end_at * 1.01]},
        "yaxis": {"type": "category", "categoryorder": "array", "categoryarray": threads[::-1], **theme.ROW_NAMES},
        "shapes": [theme.vertical(x, theme.EVENT_LINE) for x in at],
        "annotations": [
            theme.event_label(moment.label, x, shift=16 * level, left=x < _RIGHT_PART * end_at)
            for moment, x, level in zip(moments, at, _levels(at, end_at), strict=True)
        ],
        "margin": {"t": _TOP_PX + (_LABELS_PX if moments else 0), "b": _BOTTOM_PX},
        "legend": {"y": 1.0 + (_LABELS_PX / (_ROW_PX * len(threads)) if moments else 0)},
    }
    return draw(title, traces, layout, _table(spans, origin))


def _levels(at: Sequence[float], end_at: float) -> list[int]:
    # Labels of neighbouring moments would overlap: each one close to the previous is placed higher or lower.
    levels: list[int] = []
    for number, x in enumerate(at):
        near = number > 0 and abs(x - at[number - 1]) < _NEAR * end_at
        levels.append(1 - levels[-1] if near else 0)
    return levels


def _bars(state: str, number: int, spans: Sequence[Span], origin: float, scale: float) -> dict[str, Any]:
    return theme.bars(
        state,
        number,
        [span.thread for span in spans],
        [span.length_ns / scale for span in spans],
        base=[(span.start_ns - origin) / scale for span in spans],
        text=[f"{state} for {quantity(span.length_ns, 'ns')}{': ' + span.note if span.note else ''}" for span in spans],
        textposition="none",
        hovertemplate="%{y}: %{text}<extra></extra>",
    )


def _table(spans: Sequence[Span], origin: float) -> Table:
    longest = sorted(spans, key=lambda span: -span.length_ns)[:_LONGEST_ROWS]
    left_out = len(spans) - len(longest)
    return Table(
        ["thread", "state", ">from", ">for", "note"],
        [
            [span.thread, span.state, quantity(span.start_ns - origin, "ns"), quantity(span.length_ns, "ns"), span.note]
            for span in longest
        ],
        [f"the longest first; {left_out} shorter ones are in the chart only"] if left_out else ["the longest first"],
    )
