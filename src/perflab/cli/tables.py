"""A table for whoever reads: Rich's on a terminal, HTML and text in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.cli.output import Output


def show_table(
    output: Output,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    styles: Mapping[str, str] | None = None,
) -> None:
    """Show a table.

    Args:
        output: Where.
        columns: Their heads.
        rows: Cells, in the order of the columns; a cell may have several lines.
        title: Above it.
        styles: Rich styles of the cells that begin with a key.
    """
    if output.mode == "human":
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(title=title or None, title_style="bold", box=SIMPLE_HEAD)
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell, style=_style(cell, styles or {})) for cell in row))
        output.print(table)
    elif output.mode == "stream":
        from perflab.charts import Table as PlainTable

        plain = PlainTable(columns, [list(row) for row in rows])
        output.display({"text/plain": plain.text(title), "text/html": plain.html(title)})


def _style(cell: str, styles: Mapping[str, str]) -> str:
    return next((style for begin, style in styles.items() if cell.startswith(begin)), "")
