"""Flame views: a profile as an icicle, root on top, and the difference of two profiles on one tree."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.model.format import percent, quantity, signed_percent
from perflab.profile.frames import kind, short
from perflab.profile.profile import charges, is_managed_program
from perflab.profile.tree import LEAST_SHARE, Node, Tree, build, prune_to_fit
from perflab.view import theme
from perflab.view.chart import Chart, Table, draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.profile.profile import Profile
    from perflab.profile.tree import Difference, RootCauses


MOST_BYTES = 300_000
"""A notebook keeps each figure it ever showed; flame views are the largest of them."""

_RESERVED_BYTES = 20_000  # layout, title and template
_WIDTH_UNITS = 1_000_000_000
_ROW_HEIGHT = 22
_LEAST_HEIGHT, _MOST_HEIGHT = 260, 900
_TABLE_ROWS = 12

_CELL_PX = 930
_CHARACTER_PX = 6.9
"""Of a usual notebook's width and of 12 px text: which form of a name fits into a cell is decided beforehand."""
_LEAST_CUT = 5
_DEEP_SHARE = 0.01

_INK = "#1a1a1a"
# Light enough for dark ink on either page. Names tell the kinds apart too: methods have dots, the kernel is marked.
_KIND_COLOURS = {"program": "#f2b880", "library": "#a9cfe8", "system": "#c9c9c9", "kernel": "#d3b6d6"}
_NO_FRAME_COLOUR = "#e6e6e6"
_LESS, _SAME, _MORE = (86, 180, 233), (238, 238, 238), (230, 159, 0)


def flame_chart(profile: Profile, *, title: str = "") -> Chart:
    """A profile's call stacks: width is weight, what is called stands below its caller.

    Frames are pruned until the figure is small enough for a notebook; the subtitle says from which share on.

    A profile without stacks gives an empty chart that says so.
    """
    tree = build(profile.stacks)
    total = tree.totals[0]
    operations = profile.operations

    def say(node: Node) -> str:
        per_operation = f", {quantity(node.totals[0] / operations, profile.unit + '/op')}" if operations else ""
        return (
            f"{quantity(node.totals[0], profile.unit)}{per_operation}, {percent(_part(node.totals[0], total))} of all"
        )

    managed = is_managed_program(profile.stacks)

    def trace(pruned: Tree) -> dict[str, Any]:
        colours = [_colour_of_kind(node, managed=managed) for node in pruned.nodes]
        return _icicle(pruned, [""] * len(pruned.nodes), colours, [say(node) for node in pruned.nodes])

    pruned = prune_to_fit(tree, lambda candidate: _size(trace(candidate)), MOST_BYTES - _RESERVED_BYTES)
    head = title or f"{profile.title or 'profile'}: {_WHAT[profile.mode]}"
    subtitle = (
        f"{quantity(total, profile.unit)} in all; {_pruning(pruned)}" if total else "nothing was seen in this mode"
    )
    rows = [
        [
            charge.frame,
            percent(_part(charge.weight, total)),
            quantity(charge.weight / operations, f"{profile.unit}/op")
            if operations
            else quantity(charge.weight, profile.unit),
            charge.mostly_in if charge.mostly_in != charge.frame else "",
        ]
        for charge in charges(profile.stacks)[:_TABLE_ROWS]
    ]
    table = Table(["frame of the program", ">share", ">weight", "most of it in"], rows, [subtitle, *profile.notes])
    return draw(head, [trace(pruned)], _layout(subtitle, pruned), table)


def flame_difference(difference: Difference, *, title: str = "") -> Chart:
    """What changed: blue and - where there is less after, orange and + where there is more.

    A frame's width is its weight before plus after. Its percentage is the change as part of the whole before (of the
    whole after, where there was nothing before): those of its callees and its own add up to it.
    """
    before_total, after_total = difference.tree.totals
    reference = before_total or after_total or 1.0
    whole = "before" if before_total else "after"

    def change(node: Node) -> float:
        before, after = node.totals
        return (after - before) / reference

    most = max((abs(change(node)) for node in difference.tree.nodes), default=0.0) or 1.0

    def say(node: Node) -> str:
        before, after = node.totals
        unit = difference.unit
        return f"{quantity(before, unit)} before, {quantity(after, unit)} after"

    def trace(pruned: Tree) -> dict[str, Any]:
        colours = [_diverging(change(node) / most) for node in pruned.nodes]
        changes = [signed_percent(change(node)) for node in pruned.nodes]
        return _icicle(pruned, changes, colours, [say(node) for node in pruned.nodes])

    pruned = prune_to_fit(difference.tree, lambda candidate: _size(trace(candidate)), MOST_BYTES - _RESERVED_BYTES)
    head = title or f"{difference.before_title} → {difference.after_title}: {_WHAT[difference.mode]}"
    basis = "per operation" if difference.per_operation else "by share of each profile"
    subtitle = f"blue, -: less after; orange, +: more ({basis}, in % of the whole {whole}); {_pruning(pruned)}"
    rows = [
        [
            each.frame,
            quantity(each.before, difference.unit),
            quantity(each.after, difference.unit),
            signed_percent(each.delta / reference),
        ]
        for each in difference.changes[:_TABLE_ROWS]
    ]
    heads = ["frame of the program", ">before", ">after", ">change"]
    table = Table(heads, rows, [f"change in % of the whole {whole}; weights {basis}"])
    return draw(head, [trace(pruned)], _layout(subtitle, pruned), table)


_WHAT = {
    "cpu": "where CPU time goes",
    "wall": "where threads spend their time, waiting included",
    "lock": "where threads wait for locks",
    "alloc": "where memory is allocated",
}


def _icicle(tree: Tree, marks: Sequence[str], colours: Sequence[str], said: Sequence[str]) -> dict[str, Any]:
    widths = _widths(tree)
    names = [short(node.name) for node in tree.nodes]
    return {
        "type": "icicle",
        "ids": [str(index) for index in range(len(tree.nodes))],
        "labels": [_literal(name) for name in names],
        "text": [_literal(_cell(*cell)) for cell in zip(names, marks, widths, strict=True)],
        "parents": ["" if node.parent < 0 else str(node.parent) for node in tree.nodes],
        "values": widths,
        "branchvalues": "total",
        "customdata": [
            "<br>".join(filter(None, [_literal(node.name) if node.name != name else "", mark, what]))
            for node, name, mark, what in zip(tree.nodes, names, marks, said, strict=True)
        ],
        "hovertemplate": "<b>%{label}</b><br>%{customdata}<extra></extra>",
        "marker": {"colors": list(colours), "line": {"width": 0}},
        "leaf": {"opacity": 1},
        "tiling": {"orientation": "v", "pad": 1},
        "pathbar": {"visible": True, "thickness": 20},
        "textinfo": "text",
        "textposition": "middle left",
        "textfont": {"color": _INK, "size": 12},
        "sort": False,
        # Deeper frames are thin towers that would make all others flat; they show when one clicks into them.
        "maxdepth": _shown_depth(tree) + 1,
    }


def _literal(text: str) -> str:
    """Text that plotly takes as it is: `<s>` is a tag that it knows, so `Bench<S>::main` would be struck out."""
    return html.escape(text, quote=False)


def _cell(name: str, mark: str, width: int) -> str:
    room = width / _WIDTH_UNITS * _CELL_PX / _CHARACTER_PX
    whole = f"{name} {mark}".rstrip()
    method = name.rpartition(".")[2]
    kept = max(_LEAST_CUT, int(room) - len(mark) - 2)
    shorter = [f"{text} {mark}".rstrip() for text in (method, f"{method[:kept]}…")]
    # What does not fit now may fit when one has clicked into it; until then plotly hides it.
    return next((text for text in (whole, *shorter, mark) if text and len(text) <= room), whole)


def _shown_depth(tree: Tree) -> int:
    whole = sum(tree.totals)
    return max((node.depth for node in tree.nodes if sum(node.totals) >= _DEEP_SHARE * whole), default=0)


def _widths(tree: Tree) -> list[int]:
    # plotly refuses to draw a node whose children exceed it, even by a rounding error. Sums of integers are exact.
    whole = sum(tree.totals) or 1.0
    widths = [round(_WIDTH_UNITS * sum(node.own) / whole) for node in tree.nodes]
    for index in range(len(tree.nodes) - 1, 0, -1):
        widths[tree.nodes[index].parent] += widths[index]
    return widths


def _layout(subtitle: str, tree: Tree) -> dict[str, Any]:
    return {
        "title": {"subtitle": {"text": subtitle, "font": {"size": 12}}},
        "height": min(_MOST_HEIGHT, max(_LEAST_HEIGHT, 130 + _ROW_HEIGHT * (_shown_depth(tree) + 1))),
        # Text that does not fit is left out instead of drawn too small to read.
        "uniformtext": {"minsize": 10, "mode": "hide"},
        "margin": {"l": 12, "r": 12, "t": 84, "b": 12},
    }


def _pruning(tree: Tree) -> str:
    wider = " (more than usual, to keep the figure small)" if tree.least_share > LEAST_SHARE else ""
    return f"frames below {100 * tree.least_share:.2g} % gathered{wider}"


def _size(trace: dict[str, Any]) -> int:
    return len(msgspec.json.encode(trace))


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


def shares_chart(tables: Mapping[str, RootCauses], *, title: str = "") -> Chart:
    """A group of bars per cause, a bar per variant.

    The tables, by variant, are all of the same mode.
    """
    first = next(iter(tables.values()))
    causes = list(dict.fromkeys(row.name for table in tables.values() for row in table.rows))
    title = title or f"root causes: shares of {_WHOLE[first.mode]}"
    traces: list[dict[str, Any]] = []
    for number, (variant, table) in enumerate(tables.items()):
        found = {row.name: row.share for row in table.rows}
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": variant,
                "y": causes,
                "x": [100 * found.get(cause, 0.0) for cause in causes],
                "text": [percent(found.get(cause, 0.0)) for cause in causes],
                "textposition": "outside",
                "cliponaxis": False,
                "marker": theme.hatched(number),
                "hovertemplate": "%{y}: %{text}<extra>%{fullData.name}</extra>",
            }
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
