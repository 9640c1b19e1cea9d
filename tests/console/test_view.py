"""The console put together: it follows its jobs, and changes widgets on the event loop's thread alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import msgspec
import pytest
from runs import HEADER, write_run
from waiting import PATIENCE_S

from perflab.cli.console import jobs as now
from perflab.cli.console.form import LAUNCHER_VARIABLE, Command
from perflab.cli.console.view import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.store.runs import Run

FAKE = """#!{python}
import json, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
command, topic = sys.argv[1:3]
if command == "describe":
    say(type="result", data=json.loads({description!r}))
    sys.exit()
try:
    say(type="progress", done=0.5, text="round 2", seconds_left=1.0)
    time.sleep(60 if topic == "slow" else 0)
except KeyboardInterrupt:
    sys.exit(130)
say(type="result", data={{"run": "run-1"}})
"""


@pytest.fixture
def launcher(tmp_path: Path, kettle_bench: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = subprocess.run([sys.executable, kettle_bench, "describe"], capture_output=True, text=True, check=True).stdout
    path = tmp_path / "lab"
    path.write_text(FAKE.format(python=sys.executable, description=said))
    path.chmod(0o755)
    monkeypatch.setenv(LAUNCHER_VARIABLE, str(path))


@pytest.fixture
def changed_by(monkeypatch: pytest.MonkeyPatch) -> set[tuple[int, str]]:
    """The threads that have made a widget or changed one, and what."""
    found: set[tuple[int, str]] = set()
    notify, opened = widgets.Widget.notify_change, widgets.Widget.open

    def notified(self: widgets.Widget, change: dict[str, Any]) -> None:
        found.add((threading.get_ident(), f"{type(self).__name__}.{change['name']}"))
        notify(self, change)

    def made(self: widgets.Widget) -> None:
        found.add((threading.get_ident(), f"{type(self).__name__}()"))
        opened(self)

    monkeypatch.setattr(widgets.Widget, "notify_change", notified)
    monkeypatch.setattr(widgets.Widget, "open", made)
    return found


async def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def drive(lab: Lab, story: Callable[[Console], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        console = Console(lab)
        try:
            await story(console)
        finally:
            console.close()

    asyncio.run(whole())


@pytest.mark.usefixtures("launcher")
def test_widgets_are_changed_on_the_event_loop_only(kettle_lab: Lab, changed_by: set[tuple[int, str]]) -> None:
    async def story(console: Console) -> None:
        await wait_until(lambda: console.form.ready)
        slow = console.queue.add(Command("measure", "slow"))
        waits = console.queue.add(Command("measure", "kettle"))
        await wait_until(lambda: "round 2" in console.now.status.value)
        await wait_until(lambda: console.now.waiting.children)
        console.queue.stop(slow)
        await wait_until(lambda: waits.over and len(console.results.which.options) == 2)
        assert "run-1" in console.results.text.value

    drive(kettle_lab, story)
    here = threading.get_ident()
    assert [what for thread, what in changed_by if thread != here] == []
    assert any(thread == here for thread, _ in changed_by)


@pytest.mark.usefixtures("launcher")
def test_figures_are_made_beside_the_event_loop_and_shown_on_it(
    kettle_lab: Lab, results: Path, changed_by: set[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing: list[int] = []
    figures_so_far = now.figures_so_far

    def drawn(run: Run) -> Analysis | None:
        drawing.append(threading.get_ident())
        return figures_so_far(run)

    monkeypatch.setattr(now, "figures_so_far", drawn)

    async def story(console: Console) -> None:
        console.now.live.value = True
        slow = console.queue.add(Command("measure", "slow"))
        await wait_until(lambda: slow.done)
        options = {"min_rounds": 5, "max_rounds": 9, "half_width": 0.1}
        created = datetime.now(UTC).isoformat(timespec="seconds")
        write_run(results, header=msgspec.structs.replace(HEADER, created=created, options=options))
        await wait_until(lambda: "after 5 rounds" in console.now.figures.value)
        assert console.now.chart.outputs
        console.queue.stop(slow)
        await wait_until(lambda: len(console.results.which.options) == 1)
        assert "1.96x" in console.results.text.value, "what the run had measured is taken from the store"
        await wait_until(lambda: not console.now.figures.value)

    drive(kettle_lab, story)
    here = threading.get_ident()
    assert drawing
    assert here not in drawing
    assert [what for thread, what in changed_by if thread != here] == []


@pytest.mark.usefixtures("launcher")
def test_what_the_console_says_of_a_failure_is_escaped_once(kettle_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ValueError("<b>")

    async def story(console: Console) -> None:
        monkeypatch.setattr(console.now, "look", fails)
        console.queue.add(Command("measure", "kettle"))
        await wait_until(lambda: "the console failed" in console.line.value)
        assert "(&#x27;&lt;b&gt;&#x27;)" in console.line.value

    drive(kettle_lab, story)
