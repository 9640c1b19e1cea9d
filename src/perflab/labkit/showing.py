"""What a command tells while it runs, shown in the cell that started it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from IPython.display import display

from perflab.protocol import Note, Progress, Shown

if TYPE_CHECKING:
    from IPython.core.display_functions import DisplayHandle

    from perflab.protocol import StreamMessage


class Display:
    """One progress line, updated in place, and everything else below it."""

    def __init__(self) -> None:
        self._bar: DisplayHandle | None = None

    def show(self, message: StreamMessage) -> None:
        """Show a message of the stream (docs/protocol.md)."""
        match message:
            case Progress():
                self._progress(message)
            case Note(text):
                display({"text/plain": text}, raw=True)
            case Shown(data, metadata):
                display(data, metadata=metadata, raw=True)

    def close(self) -> None:
        """Take the progress away: it is over."""
        if self._bar is not None:
            self._bar.update({"text/plain": "", "text/html": ""}, raw=True)

    def _progress(self, message: Progress) -> None:
        left = message.seconds_left
        text = message.text + ("" if left is None else f", {left:.0f} s left")
        data = {
            "text/plain": f"[{message.done:4.0%}] {text}",
            "text/html": f'<progress value="{message.done}" aria-label="progress"></progress> {escape(text)}',
        }
        if self._bar is None:
            self._bar = display(data, raw=True, display_id=True)
        else:
            self._bar.update(data, raw=True)
