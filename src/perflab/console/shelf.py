"""What is kept: a list, and two of it side by side."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.console import markup
from perflab.console.comparing import side_by_side
from perflab.console.rows import rows
from perflab.errors import LabError

if TYPE_CHECKING:
    from perflab.console.keeping import Shelf

_NOT_INTERLEAVED = "They were not interleaved: drift of the machine between them is in what differs."


class Kept:
    """The shelf as a widget.

    Args:
        shelf: What is kept.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.first = widgets.Dropdown(options=[], description="show")
        self.second = widgets.Dropdown(options=[], description="beside")
        self.drop = widgets.Button(description="Let go", tooltip="forget the first; its runs stay in the store")
        self.text = widgets.HTML()
        self.widget = widgets.VBox(
            [
                widgets.HTML("<h2>Kept</h2>"),
                widgets.HBox([self.first, self.second, self.drop]),
                self.text,
            ]
        ).add_class("perflab-card")
        self.first.observe(lambda _: self._show(), "value")
        self.second.observe(lambda _: self._show(), "value")
        self.drop.on_click(lambda _: self._drop())
        self.refresh()

    def refresh(self) -> None:
        """Read again what is kept."""
        names = [one.name for one in self._shelf.all()]
        first, second = self.first.value, self.second.value
        self.first.options = names
        self.second.options = [("nothing", ""), *((name, name) for name in names)]
        self.first.value = first if first in names else (names[-1] if names else None)
        self.second.value = second if second in names else ""
        self.widget.layout.display = "" if names else "none"
        self._show()

    def _show(self) -> None:
        if not self.first.value:
            self.text.value = ""
            return
        try:
            self.text.value = self._text()
        except LabError as error:
            self.text.value = markup.problem(error.message, error.hint)

    def _text(self) -> str:
        one = self._shelf.get(self.first.value)
        if not self.second.value or self.second.value == one.name:
            return markup.command(one.command.shell, "ran") + markup.figures(rows(one.result))
        two = self._shelf.get(self.second.value)
        found = markup.pairs(side_by_side(one, two), (one.name, two.name))
        lines = [_NOT_INTERLEAVED]
        line = f"./lab compare {one.result.get('run')} {two.result.get('run')}"
        test = markup.command(line, "test") if one.result.get("run") and two.result.get("run") else ""
        return found + test + "".join(f'<p class="perflab-meta">{escape(said)}</p>' for said in lines)

    def _drop(self) -> None:
        if self.first.value:
            self._shelf.drop(self.first.value)
            self.refresh()
