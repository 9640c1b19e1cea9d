"""Output for a person, as one JSON value, or as the stream that notebooks read (docs/protocol.md)."""

from __future__ import annotations

import functools
import json
import os
import re
import select
import shlex
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol

import click

from perflab.model.errors import LabError, MissingError
from perflab.model.lab import is_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.progress import TaskID

    from perflab.charts.chart import Chart


def show_table(
    output: Output,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    styles: Mapping[str, str] | None = None,
) -> None:
    """Show a table; `styles` maps the beginning of a cell to its Rich style."""
    if output.mode == "human":
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(shown(title)) if title else None, title_style="bold", box=SIMPLE_HEAD)
        for column in columns:
            table.add_column(Text(shown(column)), overflow="fold")
        for row in rows:
            table.add_row(*(Text(shown(cell), style=_style(cell, styles or {})) for cell in row))
        output.print(table)
    elif output.mode == "stream":
        from perflab.charts.chart import Table as PlainTable

        plain = PlainTable(columns, [list(row) for row in rows])
        output.display({"text/plain": plain.text(title), "text/html": plain.html(title)})


def _style(cell: str, styles: Mapping[str, str]) -> str:
    return next((style for begin, style in styles.items() if cell.startswith(begin)), "")


# Control characters, also those that turn a line's direction.
_ORDERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """Replace what a terminal would obey: names and messages come from others."""
    return as_called(_ORDERS.sub("\N{REPLACEMENT CHARACTER}", text))


_LAUNCHER = re.compile(r"(?<!\S)\./lab(?= )")


def as_called(text: str) -> str:
    """Replace `./lab`, the launcher in the checkout's own folder, by the command as it is typed here."""
    called = "perflab" if is_installed() else os.environ.get(CALLED_VARIABLE, "./lab")
    return _LAUNCHER.sub(lambda _: shlex.quote(called), text)


CALLED_VARIABLE = "PERFLAB_CALLED"
"""The launcher's name as it was called."""

INTERRUPTED_STATUS = 130
_NO_READER_STATUS = 128 + signal.SIGPIPE
_PLAIN_FIRST_S = 0.1
_PLAIN_INTERVAL_S = 5.0
_WIDTH_WITHOUT_TERMINAL = 160
_STDOUT = 1


def _json(data: Any, indent: int | None = None) -> str:  # noqa: ANN401 - JSON
    from perflab.model.estimate import finite

    return json.dumps(finite(data), indent=indent, allow_nan=False, default=str)


OutputMode = Literal["human", "json", "stream"]


class Output:
    """The output of a command, for the reader that `mode` names. It is also a `perflab.model.progress.Progress`."""

    def __init__(self, mode: OutputMode) -> None:
        self.mode: OutputMode = mode
        self._bar: _Bar | None = None

    @functools.cached_property
    def console(self) -> Console:
        """Rich's console on standard output."""
        # A file or a pipe has no width; the default of 80 would fold every table.
        return _console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)

    def print(self, *renderables: RenderableType) -> None:
        """Print for a person: text as it is, anything else as Rich renders it."""
        if self.mode == "human":
            self._stop()
            for renderable in renderables:
                if isinstance(renderable, str):
                    click.echo(shown(renderable))
                else:
                    self.console.print(renderable)

    def say(self, text: str) -> None:
        """Print a line for a person, on a terminal or in a notebook."""
        if self.mode == "stream":
            self._line({"type": "note", "text": text})
        else:
            self.print(text)

    def show(self, chart: Chart) -> None:
        """Show a chart: as text to a person, drawn in a notebook."""
        if not chart.why:
            self.print(chart.text, "")
        self.draw(chart)

    def draw(self, chart: Chart, *, with_png: bool = False) -> None:
        """Draw a chart in a notebook, and say why if nothing can be drawn."""
        if chart.why:
            self.note(chart.text)
        elif self.mode == "stream":
            from perflab.charts.chart import bundle

            self.display(bundle(chart, with_png=with_png))

    def display(self, bundle: dict[str, Any]) -> None:
        """Show a MIME bundle in a notebook."""
        if self.mode == "stream":
            self._line({"type": "display", "data": bundle, "metadata": {}})

    def result(self, data: Any) -> None:  # noqa: ANN401 - JSON
        """Print the data for a program; a command that succeeds does this last."""
        self._stop()
        if self.mode == "stream":
            self._line({"type": "result", "data": data})
        elif self.mode == "json":
            click.echo(_json(data, indent=1))

    def error(self, error: LabError) -> None:
        """Print why the command failed."""
        self._stop()
        if self.mode == "stream":
            self._line({"type": "error", "message": error.message, "hint": error.hint, "exit": error.exit_status})
        click.echo(shown(f"error: {error.message}" + (f"\n  fix: {error.hint}" if error.hint else "")), err=True)

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Show progress; see `perflab.model.progress.Progress`."""
        done = max(0.0, done)  # a rounding error below it would be shown as -0%
        if self.mode == "stream":
            left = None if seconds_left is None else round(seconds_left, 1)
            self._line({"type": "progress", "done": round(done, 4), "text": text, "seconds_left": left})
            return
        if self._bar is None:
            self._bar = _RichBar() if sys.stderr.isatty() else _PlainBar()
        self._bar.update(done, shown(text), seconds_left)

    def note(self, text: str) -> None:
        """Print a line that stays; see `perflab.model.progress.Progress`."""
        if self.mode == "stream":
            self._line({"type": "note", "text": text})
        elif self._bar is not None:
            self._bar.note(shown(text))
        else:
            click.echo(f"note: {shown(text)}", err=True)

    def use(self, bar: _Bar) -> None:
        """Show progress by this bar, until something is printed."""
        self._stop()
        self._bar = bar

    def _line(self, message: dict[str, Any]) -> None:
        sys.stdout.write(_json(message) + "\n")
        sys.stdout.flush()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class _Bar(Protocol):
    def update(self, done: float, text: str, seconds_left: float | None) -> None: ...

    def note(self, text: str) -> None: ...

    def stop(self) -> None: ...


class _PlainBar:
    """Prints the latest text every few seconds, where there is no terminal."""

    def __init__(self) -> None:
        self._line = ""
        self._ended = threading.Event()
        # In a thread, because a step of minutes may report only once.
        threading.Thread(target=self._print, daemon=True).start()

    def update(self, done: float, text: str, seconds_left: float | None) -> None:
        left = "" if seconds_left is None else f", {time_left(seconds_left)}"
        self._line = f"[{done:4.0%}{left}] {text}"

    def note(self, text: str) -> None:
        click.echo(f"note: {text}", err=True)

    def stop(self) -> None:
        self._ended.set()

    def _print(self) -> None:
        printed = ""
        while not self._ended.wait(_PLAIN_INTERVAL_S if printed else _PLAIN_FIRST_S):
            if self._line != printed:
                printed = self._line
                click.echo(printed, err=True)


def _console(*, width: int | None = None, stderr: bool = False) -> Console:
    """Create a Rich console without markup."""
    from rich.console import Console

    return Console(width=width, stderr=stderr, markup=False, emoji=False, highlight=False)


class _RichBar:
    """A bar with the time left."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
            console=_console(stderr=True),
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("", total=1.0, left="")
        self._progress.start()

    def update(self, done: float, text: str, seconds_left: float | None) -> None:
        left = "" if seconds_left is None else time_left(seconds_left)
        self._progress.update(self._task, completed=done, description=text, left=left)

    def note(self, text: str) -> None:
        self._progress.console.print(f"note: {text}", style="yellow")

    def stop(self) -> None:
        self._progress.stop()


def time_left(seconds: float) -> str:
    """Format the time left in seconds, or in hours and minutes."""
    if seconds < 100:  # noqa: PLR2004
        return f"{seconds:.0f} s left"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min left" if hours else f"{minutes} min left"


def with_output(function: Callable[..., int | None]) -> Callable[..., None]:
    """Give a command `--json` and `--stream`, its `Output`, and the exit status of the error that ended it."""

    @click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")
    @click.option("--stream", is_flag=True, hidden=True, help="Print the stream that notebooks read.")
    @functools.wraps(function)
    def command(*arguments: object, as_json: bool, stream: bool, **options: object) -> None:
        output = Output("stream" if stream else "json" if as_json else "human")
        if stream:
            # A kernel's thread ignores SIGINT, which children inherit.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            threading.Thread(target=_end_with_the_reader, daemon=True).start()
        with exit_status(output):
            status = function(output, *arguments, **options)
            if status:
                sys.exit(status)

    return command


def _end_with_the_reader() -> None:
    """End as on Ctrl-C when standard output's reader is gone, as after a kernel's restart, before the next line."""
    watch = select.poll()
    watch.register(_STDOUT, 0)  # only hang-ups
    watch.poll()
    os.kill(os.getpid(), signal.SIGINT)


_EXTRAS = {"optuna": "search", "distributed": "cluster"} | dict.fromkeys(
    ["jinja2", "kaleido", "markdown_it", "markupsafe", "nbconvert", "nh3", "plotly"],
    "report",
)
"""The extra of a module; `notebook` for all others."""


def _missing_extra(error: Exception) -> LabError | None:
    module = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or module in {"", "perflab"}:
        return None
    extra = f"pip install 'perflab[{_EXTRAS.get(module, 'notebook')}]'"
    return MissingError(f"this needs the Python package {module}", extra)


@contextmanager
def exit_status(output: Output) -> Iterator[None]:
    """Turn every exception into a line and an exit status."""
    try:
        yield
    except LabError as error:
        output.error(error)
        sys.exit(error.exit_status)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        output._stop()  # noqa: SLF001 - the same room
        click.echo("interrupted; what was measured until now is kept", err=True)
        sys.exit(INTERRUPTED_STATUS)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)
        sys.exit(_NO_READER_STATUS)
    except OSError as error:
        output.error(MissingError(f"{error.strerror or error}: {error.filename or 'no file named'}", "./lab doctor"))
        sys.exit(MissingError.exit_status)
    except click.exceptions.Exit:
        raise
    except Exception as defect:  # noqa: BLE001 - the last handler: what gets here is a defect of the lab
        from perflab.cli.crash import crash

        shown_error = _missing_extra(defect) or crash(defect)
        output.error(shown_error)
        sys.exit(shown_error.exit_status)
    finally:
        output._stop()  # noqa: SLF001
