"""What is chosen, as a line for a shell and as a cell: both must say the same, and the lab must understand both."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from perflab.cli.console.form import Command
from perflab.cli.measure import measure_command
from perflab.cli.search import search_command
from perflab.host.guard import marked

if TYPE_CHECKING:
    import click

MEASURE = Command(
    "measure",
    "kettle",
    (
        *(("scenario", "boil"), ("variant", "steel"), ("variant", "copper"), ("baseline", "steel")),
        *(("param", "level=3"), ("param", "lid=closed"), ("quick", True)),
    ),
)
SEARCH = Command(
    "search",
    "kettle",
    (
        *(("scenario", "boil"), ("variant", "copper")),
        *(("over", "level=1..16"), ("over", "lid=open,closed"), ("trials", "9")),
    ),
)


def test_a_command_is_a_line_that_can_be_pasted() -> None:
    assert MEASURE.shell == (
        "./lab measure kettle --scenario boil --variant steel --variant copper --baseline steel "
        "--param level=3 --param lid=closed --quick"
    )
    assert SEARCH.shell == (
        "./lab search kettle --scenario boil --variant copper --over level=1..16 --over lid=open,closed --trials 9"
    )


def test_what_a_shell_would_take_for_its_own_is_quoted() -> None:
    line = Command("measure", "kettle", (("param", "lid=half open; $HOME"),)).shell
    assert shlex.split(line)[-1] == "lid=half open; $HOME"


@pytest.mark.parametrize(
    ("command", "parser", "variants"),
    [(MEASURE, measure_command, ("steel", "copper")), (SEARCH, search_command, ("copper",))],
)
def test_the_lab_understands_the_line(command: Command, parser: click.Command, variants: tuple[str, ...]) -> None:
    words = command.words
    assert words[0] == parser.name
    context = parser.make_context(command.name, words[1:])
    assert context.params["topic"] == "kettle"
    assert context.params["variants"] == variants


@pytest.mark.parametrize("command", [MEASURE, SEARCH])
def test_the_cell_asks_for_the_same(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    class Started(Exception):  # noqa: N818
        pass

    def start(words: list[str], **_: object) -> None:
        started.append(words)
        raise Started

    marked()  # starts the guard, once in a process: not what the cell starts
    monkeypatch.setattr("subprocess.Popen", start)
    cell = compile(command.cell, "cell", "exec")
    with pytest.raises(Started):
        exec(cell, {})  # noqa: S102 - our own text
    assert sorted(started[0][1:-1]) == sorted(command.words)
