"""The stream: what is a message, and what is a line that strayed into it."""

from __future__ import annotations

import pytest

from perflab.model.protocol import Note, Problem, ProgressMessage, ResultMessage, Shown, StreamMessage, read_stream


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "progress", "done": 1, "text": "t", "seconds_left": null}', ProgressMessage(1.0, "t")),
        ('{"type": "progress", "done": 0.5, "text": "t", "seconds_left": 3}', ProgressMessage(0.5, "t", 3.0)),
        ('{"type": "note", "text": "t"}', Note("t")),
        ('{"type": "display", "data": {"text/plain": "t"}, "metadata": {}}', Shown({"text/plain": "t"})),
        ('{"type": "result", "data": [1, null]}', ResultMessage([1, None])),
        ('{"type": "error", "message": "m", "hint": "h", "exit": 3}', Problem("m", "h", 3)),
        ('{"type": "note", "text": "caf\\udce9"}', Note("caf\udce9")),
    ],
)
def test_each_message_is_read(line: str, message: StreamMessage) -> None:
    assert read_stream(line + "\n") == message


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "",
        "7",
        "[1, 2]",
        "null",
        '"text"',
        "{}",
        '{"type": "progress"}',
        '{"type": "progress", "done": "much", "text": "t"}',
        '{"type": "error"}',
        '{"type": "display", "data": [1]}',
        '{"type": 3}',
        '{"type": "note", "te',
        "[" * 100_000,
    ],
)
def test_any_other_line_is_a_note(line: str) -> None:
    assert read_stream(line + "\n") == Note(line)
