"""The table beside each chart: the same data for a terminal, a screen reader, and a front end without plotly."""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT_WIDTH = 160


@dataclass(frozen=True)
class Table:
    """Rows of text, with numbers already written as people read them.

    Args:
        columns: Heads; one that starts with `>` is set flush right, as numbers are, and loses the sign.
        rows: As many cells as there are columns.
        notes: Lines below.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self, title: str = "") -> str:
        """Aligned plain text."""
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - rich costs a terminal command its start
        from rich.console import Console  # noqa: PLC0415
        from rich.table import Table as RichTable  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        drawn = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in self.columns:
            drawn.add_column(Text(column.removeprefix(">")), justify="right" if column.startswith(">") else "left")
        for row in self.rows:
            drawn.add_row(*map(Text, row))
        out = io.StringIO()
        console = Console(file=out, width=_TEXT_WIDTH, color_system=None, force_terminal=False)
        console.print(drawn)
        lines = [title, "", *(line.rstrip() for line in out.getvalue().rstrip().splitlines())]
        return "\n".join([*(lines if title else lines[2:]), *(["", *self.notes] if self.notes else [])])

    def html(self, title: str = "") -> str:
        """A semantic table. Its only style is the side on which text begins; the rest is the front end's theme."""
        sides = ["right" if column.startswith(">") else "left" for column in self.columns]
        heads = "".join(
            f'<th scope="col" style="text-align:{side}">{escape(column.removeprefix(">"))}</th>'
            for column, side in zip(self.columns, sides, strict=True)
        )
        body = "".join("<tr>" + "".join(map(_cell, range(len(row)), row, sides)) + "</tr>" for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        caption = f"<caption>{escape(title)}</caption>" if title else ""
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _cell(number: int, text: str, side: str) -> str:
    tag, scope = ("th", ' scope="row"') if number == 0 else ("td", "")
    lines = escape(text).replace("\n", "<br>")
    return f'<{tag}{scope} style="text-align:{side}">{lines}</{tag}>'
