from __future__ import annotations

import pytest
from waiting import wait_for

from perflab.cli.output import CALLED_VARIABLE, Output, _RichBar, show_table, shown, time_left
from perflab.model.errors import UsageError, one_line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s left"),
        (99.4, "99 s left"),
        (100, "2 min left"),
        (2388, "40 min left"),
        (3599, "1 h 0 min left"),
        (5100, "1 h 25 min left"),
    ],
)
def test_time_left_is_said_as_people_say_it(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


@pytest.mark.parametrize("done", [-1e-17, -0.0])
def test_progress_never_begins_below_zero(
    done: float, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perflab.cli.output._PLAIN_FIRST_S", 0.0)
    plain, stream = Output("human"), Output("stream")
    plain.update(done, "measuring", 90.0)
    said: list[str] = []
    wait_for(lambda: said.append(capsys.readouterr().err) or "measuring" in "".join(said))
    plain.result(None)
    assert "".join(said) == "[  0%, 90 s left] measuring\n"
    stream.update(done, "measuring")
    assert '"done": 0.0,' in capsys.readouterr().out


FOREIGN = "x[/y] [red]z :bug:"


def test_names_of_others_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("human")
    show_table(output, [FOREIGN], [[FOREIGN]], title=FOREIGN)
    output.console.print(FOREIGN)
    assert capsys.readouterr().out.count(FOREIGN) == 4


def test_a_terminal_obeys_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a\x1b[2Jb\x9b1mc\rd\u202ee"
    output = Output("human")
    show_table(output, [name], [[name]], title=name)
    output.say(name)
    output.note(name)
    output.error(UsageError(name))
    out, err = capsys.readouterr()
    assert (out + err).count("a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde") == 6


def test_a_line_is_without_colours_and_keeps_what_only_looks_like_one() -> None:
    assert one_line("\x1b[31mred\x1b(B grep ^[[a-z]+ f\\033[1m\n") == "red grep ^[[a-z]+ f\\033[1m"


def test_a_bar_shows_names_of_others_as_they_are() -> None:
    bar = _RichBar()
    bar.update(0.5, FOREIGN, 3.0)
    progress = bar._progress  # noqa: SLF001 - what it draws is not for others
    with progress.console.capture() as shown:
        progress.console.print(progress.get_renderable(), FOREIGN)
    bar.stop()
    assert shown.get().count(FOREIGN) == 2


def test_commands_are_shown_as_this_one_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "fix: ./lab init, see ./labels and ../lab x"
    assert shown(text) == text
    monkeypatch.setenv(CALLED_VARIABLE, "/opt/per flab/lab")
    assert shown(text) == "fix: '/opt/per flab/lab' init, see ./labels and ../lab x"
