"""Flame views: a profile as an icicle, root on top, and the difference of two profiles on one tree."""

from __future__ import annotations

import html
from functools import partial
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw, draw_all
from perflab.model.errors import UsageError
from perflab.model.format import percent, quantity, signed_percent
from perflab.profile.frames import kind, short
from perflab.profile.profile import charges, is_managed_program
from perflab.profile.tree import (
    CUT,
    LEAST_SHARE,
    Node,
    build,
    difference,
    prune_to_fit,
    root_causes,
)
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perflab.model.lab import Lab
    from perflab.profile.profile import Profile
    from perflab.profile.tree import Calls, Difference, PrunedTree, RootCauses
    from perflab.store.records import ProfileRecord


MOST_NODES = 2_000
"""A quarter of a megabyte: a notebook keeps each figure it ever showed, and flame views are the largest of them."""

_LONGEST_NAME = 200
"""Characters; the beginning tells names of templates apart."""
_WIDTH_UNITS = 1_000_000_000
_ROW_HEIGHT = 22
_LEAST_HEIGHT, _MOST_HEIGHT = 260, 900
_TABLE_ROWS = 12

_CELL_PX = 930
_CHARACTER_PX = 6.9
"""For a typical notebook's width and 12 px text: the form of a name that fits a cell is chosen in advance."""
_LEAST_CUT = 5
_DEEP_SHARE = 0.01

_INK = "#1a1a1a"
# Light enough for dark ink on either page. Names tell the kinds apart too: methods have dots, the kernel is marked.
_KIND_COLOURS = {"program": "#f2b880", "library": "#a9cfe8", "system": "#c9c9c9", "kernel": "#d3b6d6"}
_NO_FRAME_COLOUR = "#e6e6e6"
_LESS, _SAME, _MORE = (86, 180, 233), (238, 238, 238), (230, 159, 0)


def flame_chart(profile: Profile, *, title: str) -> Chart:
    """Draw a profile's call stacks: width is weight, callees are below their caller.

    Frames are pruned until the figure is small enough for a notebook; the subtitle states the smallest share shown.

    A profile without stacks gives an empty chart that says so.
    """
    root = build(profile.stacks)
    total = root.totals[0]
    unit, operations = profile.unit, profile.operations
    managed = is_managed_program(profile.stacks)

    def say(node: Node) -> str:
        weight = node.totals[0]
        each = f", {quantity(weight / operations, unit + '/op')}" if operations else ""
        return f"{quantity(weight, unit)}{each}, {percent(_part(weight, total))} of all"

    trace, pruned = _icicle(root, lambda node: (_colour_of_kind(node, managed=managed), "", say(node)))
    whole = f"{quantity(total, unit)} in all; {_pruning(pruned)}" if total else "nothing was seen in this mode"
    rows = [
        [
            charge.frame,
            percent(_part(charge.weight, total)),
            quantity(charge.weight / operations, f"{unit}/op") if operations else quantity(charge.weight, unit),
            charge.mostly_in if charge.mostly_in != charge.frame else "",
        ]
        for charge in charges(profile.stacks)[:_TABLE_ROWS]
    ]
    table = Table(["frame of the program", ">share", ">weight", "most of it in"], rows, [whole, *profile.notes])
    return draw(title, [trace], _layout(whole, pruned), table)


def flame_difference(difference: Difference, *, title: str) -> Chart:
    """Draw what changed: blue and - for a decrease, orange and + for an increase.

    A frame's width is its weight before plus after. Its percentage is the change as part of the whole before (of the
    whole after, where there was nothing before): those of its callees and its own add up to it.
    """
    unit = difference.unit
    before_total, after_total = difference.root.totals
    reference = before_total or after_total or 1.0
    whole = "before" if before_total else "after"

    def change(node: Node | Calls) -> float:
        return (node.totals[1] - node.totals[0]) / reference

    most = max(map(change, difference.root.all()), key=abs) or 1.0

    def look(node: Node) -> tuple[str, str, str]:
        before, after = (quantity(weight, unit) for weight in node.totals)
        return _diverging(change(node) / abs(most)), signed_percent(change(node)), f"{before} before, {after} after"

    trace, pruned = _icicle(difference.root, look)
    basis = "per operation" if difference.per_operation else "by share of each profile"
    said = f"blue, -: less after; orange, +: more ({basis}, in % of the whole {whole}); {_pruning(pruned)}"
    rows = [
        [one.frame, quantity(one.before, unit), quantity(one.after, unit), signed_percent(one.delta / reference)]
        for one in difference.changes[:_TABLE_ROWS]
    ]
    heads = ["frame of the program", ">before", ">after", ">change"]
    table = Table(heads, rows, [f"change in % of the whole {whole}; weights {basis}"])
    return draw(title, [trace], _layout(said, pruned), table)


def _icicle(root: Calls, look: Callable[[Node], tuple[str, str, str]]) -> tuple[dict[str, Any], PrunedTree]:
    """Return the trace and the pruned tree; `look` gives a node's colour, mark and text."""
    pruned = prune_to_fit(root, MOST_NODES)
    return _trace(pruned, look), pruned


def _trace(tree: PrunedTree, look: Callable[[Node], tuple[str, str, str]]) -> dict[str, Any]:
    widths = _widths(tree)
    whole = [_cut(node.name) for node in tree.nodes]
    names = [_cut(short(node.name)) for node in tree.nodes]
    looks = [look(node) for node in tree.nodes]
    return {
        "type": "icicle",
        "ids": [str(index) for index in range(len(tree.nodes))],
        "labels": [_literal(name) for name in names],
        "text": [
            _literal(_cell(name, mark, width)) for name, (_, mark, _), width in zip(names, looks, widths, strict=True)
        ],
        "parents": ["" if node.parent < 0 else str(node.parent) for node in tree.nodes],
        "values": widths,
        "branchvalues": "total",
        "customdata": [
            "<br>".join(filter(None, [_literal(long) if long != name else "", mark, what]))
            for long, name, (_, mark, what) in zip(whole, names, looks, strict=True)
        ],
        "hovertemplate": "<b>%{label}</b><br>%{customdata}<extra></extra>",
        "marker": {"colors": [colour for colour, _, _ in looks], "line": {"width": 0}},
        "leaf": {"opacity": 1},
        "tiling": {"orientation": "v", "pad": 1},
        "pathbar": {"visible": True, "thickness": 20},
        "textinfo": "text",
        "textposition": "middle left",
        "textfont": {"color": _INK, "size": 12},
        "sort": False,
        # Deeper frames are thin towers that would flatten all others; clicking into them shows them.
        "maxdepth": _shown_depth(tree) + 1,
    }


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def _literal(text: str) -> str:
    """Escape text for plotly, which takes `<s>` for a tag: `Bench<S>::main` would be struck through."""
    return html.escape(text, quote=False)


def _cell(name: str, mark: str, width: int) -> str:
    room = width / _WIDTH_UNITS * _CELL_PX / _CHARACTER_PX
    whole = f"{name} {mark}".rstrip()
    method = name.rpartition(".")[2]
    kept = max(_LEAST_CUT, int(room) - len(mark) - 2)
    shorter = [f"{text} {mark}".rstrip() for text in (method, f"{method[:kept]}…")]
    # Text that does not fit may fit after a click; until then plotly hides it.
    return next((text for text in (whole, *shorter, mark) if text and len(text) <= room), whole)


def _shown_depth(tree: PrunedTree) -> int:
    whole = sum(tree.nodes[0].totals)
    return max((node.depth for node in tree.nodes if sum(node.totals) >= _DEEP_SHARE * whole), default=0)


def _widths(tree: PrunedTree) -> list[int]:
    # plotly refuses to draw a node whose children exceed it, even by a rounding error. Sums of integers are exact.
    whole = sum(tree.nodes[0].totals) or 1.0
    widths = [round(_WIDTH_UNITS * sum(node.own) / whole) for node in tree.nodes]
    for index in range(len(tree.nodes) - 1, 0, -1):
        widths[tree.nodes[index].parent] += widths[index]
    return widths


def _layout(subtitle: str, tree: PrunedTree) -> dict[str, Any]:
    return {
        "title": {"subtitle": {"text": subtitle, "font": {"size": 12}}},
        "height": min(_MOST_HEIGHT, max(_LEAST_HEIGHT, 130 + _ROW_HEIGHT * (_shown_depth(tree) + 1))),
        # Text that does not fit is left out instead of drawn too small to read.
        "uniformtext": {"minsize": 10, "mode": "hide"},
        "margin": {"l": 12, "r": 12, "t": 84, "b": 12},
    }


def _pruning(tree: PrunedTree) -> str:
    wider = " (more than usual, to keep the figure small)" if tree.least_share > LEAST_SHARE else ""
    cut = "; what is too deep is cut" if any(node.name == CUT for node in tree.nodes) else ""
    return f"frames below {100 * tree.least_share:.2g} % gathered{wider}{cut}"


def _part(weight: float, whole: float) -> float:
    return weight / whole if whole else 0.0


def _colour_of_kind(node: Node, *, managed: bool) -> str:
    if node.gathered or node.parent < 0:
        return _NO_FRAME_COLOUR
    return _KIND_COLOURS[kind(node.name, managed=managed)]


def _diverging(change: float) -> str:
    # The square root lets small changes be seen beside a large one; the sign decides on the side.
    strength = min(1.0, abs(change)) ** 0.5
    towards = _MORE if change > 0 else _LESS
    red, green, blue = (round(same + strength * (end - same)) for same, end in zip(_SAME, towards, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


_WHOLE = {
    "cpu": "CPU time",
    "wall": "the time of all threads",
    "lock": "the time spent waiting for locks",
    "alloc": "bytes",
}


def shares_chart(tables: Mapping[str, RootCauses], *, title: str) -> Chart:
    """Draw a group of bars per cause, with a bar per variant.

    `tables` holds one table per variant, all of the same mode.
    """
    first = next(iter(tables.values()))
    causes = list(dict.fromkeys(row.name for table in tables.values() for row in table.rows))
    traces: list[dict[str, Any]] = []
    for number, (variant, table) in enumerate(tables.items()):
        found = {row.name: row.share for row in table.rows}
        shares = [found.get(cause, 0.0) for cause in causes]
        traces.append(
            theme.bars(
                variant,
                number,
                causes,
                [100 * share for share in shares],
                text=list(map(percent, shares)),
                textposition="outside",
                cliponaxis=False,
                hovertemplate="%{y}: %{text}<extra>%{fullData.name}</extra>",
            )
        )
    layout = {
        "height": 170 + (18 + 24 * len(tables)) * len(causes),
        "barmode": "group",
        "xaxis": {"title": {"text": f"share of {_WHOLE[first.mode]} (%)"}, "range": [0, 108]},
        "yaxis": {"autorange": "reversed", **theme.ROW_NAMES},
        "legend": {"traceorder": "normal"},
    }
    rows = [
        [
            variant,
            row.name,
            percent(row.share),
            quantity(row.weight, table.unit),
            quantity(row.per_operation, f"{table.unit}/op") if row.per_operation is not None else "",
            percent(row.off_cpu_share) if row.off_cpu_share is not None else "",
        ]
        for variant, table in tables.items()
        for row in table.rows
    ]
    heads = ["variant", "cause", ">share", ">weight", ">per operation", ">of it off the CPU"]
    used = [index for index in range(len(heads)) if any(row[index] for row in rows)]
    return draw(title, traces, layout, Table([heads[i] for i in used], [[row[i] for i in used] for row in rows]))


def profile_charts(lab: Lab, profiles: Sequence[tuple[ProfileRecord, Profile]]) -> dict[str, Chart]:
    """Return the flame view of each profile, the root causes, and for two profiles their difference."""
    charts: dict[str, Callable[[], Chart | None]] = {
        f"flame-{one.variant}": partial(flame_chart, profile, title=f"{one.variant}: {one.mode}, {one.scenario}")
        for one, profile in profiles
    }
    charts |= {"causes": partial(_causes, lab, profiles), "difference": partial(_difference, profiles)}
    record, _ = profiles[0]
    return draw_all(f"{record.component} {record.scenario}", charts)


def _causes(lab: Lab, profiles: Sequence[tuple[ProfileRecord, Profile]]) -> Chart | None:
    record, _ = profiles[0]
    own = [one.manifest for one in find_components(lab) if one.name == record.component]
    causes = [one for manifest in own for one in manifest.causes if one.mode == record.mode]
    if not causes:
        return None
    tables = {one.variant: root_causes(profile, causes) for one, profile in profiles}
    return shares_chart(tables, title=f"{record.component} {record.scenario}: root causes ({record.mode})")


def _difference(profiles: Sequence[tuple[ProfileRecord, Profile]]) -> Chart | None:
    if len(profiles) == 1:
        return None
    (first, before), (second, after) = profiles[:2]
    try:
        changed = difference(before, after)
    except UsageError:
        # One of them has no stacks in this mode, as a lock-free queue in lock mode: there is nothing to subtract.
        return None
    title = f"From {first.variant} to {second.variant}: {first.mode}, {first.scenario}"
    return flame_difference(changed, title=title)
