"""What is chosen, as a line for a shell and as a cell: both must say the same, and the lab must understand both."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from perflab.ui.console.form import Choice
from perflab.ui.measure import measure_command
from perflab.ui.search import search_command

if TYPE_CHECKING:
    import click

CHOICE = Choice(
    "kettle",
    "boil",
    variants=("steel", "copper"),
    baseline="steel",
    params={"level": "3", "lid": "closed"},
    preset="quick",
)
SEARCH = Choice("kettle", "boil", variants=("copper",), over={"level": "1..16", "lid": "open,closed"}, trials=9)


def test_a_choice_is_a_line_that_can_be_pasted() -> None:
    assert CHOICE.measure().shell == (
        "./lab measure kettle --scenario boil --variant steel --variant copper --baseline steel "
        "--param level=3 --param lid=closed --quick"
    )
    assert SEARCH.search().shell == (
        "./lab search kettle --scenario boil --variant copper --over level=1..16 --over lid=open,closed --trials 9"
    )


def test_what_a_shell_would_take_for_its_own_is_quoted() -> None:
    line = Choice("kettle", "boil", params={"lid": "half open; $HOME"}).measure().shell
    assert shlex.split(line)[-1] == "lid=half open; $HOME"


@pytest.mark.parametrize(
    ("choice", "way", "command"), [(CHOICE, "measure", measure_command), (SEARCH, "search", search_command)]
)
def test_the_lab_understands_the_line(choice: Choice, way: str, command: click.Command) -> None:
    words = getattr(choice, way)().words
    assert words[0] == command.name
    context = command.make_context(way, words[1:])
    assert context.params["topic"] == "kettle"
    assert context.params["variants"] == choice.variants


@pytest.mark.parametrize(("choice", "way"), [(CHOICE, "measure"), (SEARCH, "search")])
def test_the_cell_asks_for_the_same(choice: Choice, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command = getattr(choice, way)()
    started: list[list[str]] = []

    class Started(Exception):  # noqa: N818
        pass

    def start(words: list[str], **_: object) -> None:
        started.append(words)
        raise Started

    monkeypatch.setattr("subprocess.Popen", start)
    cell = compile(command.cell, "cell", "exec")
    with pytest.raises(Started):
        exec(cell, {})  # noqa: S102 - our own text
    assert sorted(started[0][1:-1]) == sorted(command.words)
