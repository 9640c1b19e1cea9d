"""The console: a form on the left, what is under way and what was found on the right."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import ipywidgets as widgets
import msgspec

from perflab.cli.console.form import Command, Form
from perflab.cli.console.jobs import Now, Queue
from perflab.cli.console.kept import FILE_NAME, KeptResults, KeptView
from perflab.cli.console.markup import STYLE, command, problem
from perflab.cli.console.results import Results
from perflab.model.errors import LabError
from perflab.model.protocol import Description

if TYPE_CHECKING:
    from perflab.cli.console.jobs import Job
    from perflab.model.lab import Lab


_EVERY_S = 1.0
_AT_ONCE_S = 0.2
"""Messages of a stream come in bursts; a page need not follow each."""


class Console:
    """The console, put together; made on the kernel's event loop, as a cell is.

    Widgets are changed on that loop only: what two threads send at the same time can reach the page as a broken widget.
    Jobs run in the queue's thread, and what takes time to read or draw is made in another one.

    Args:
        lab: What it measures and shows.

    Raises:
        RuntimeError: If no event loop runs.
    """

    def __init__(self, lab: Lab) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._closed = False
        self._described: dict[str, Description] = {}
        self.queue = Queue(lambda _: self._tell())
        self.store = KeptResults(lab.results / FILE_NAME)
        self.now = Now(lab, self.queue)
        self.kept = KeptView(self.store)
        self.results = Results(lab, self.queue, self.store, self.kept.refresh)
        self.start = widgets.Button(button_style="primary", layout=widgets.Layout(width="100%", height="36px"))
        self.line = widgets.HTML()
        self.form = Form(lab, self._describe, self._form_changed)
        go = widgets.VBox([self.start, self.line]).add_class("perflab-card")
        left = widgets.VBox([*self.form.widget.children, go])
        right = widgets.VBox([self.now.widget, self.results.widget, self.kept.widget])
        title = "<h1>perflab tuning console<small>choose, measure, keep, compare; every click is a command</small></h1>"
        self.widget = widgets.VBox(
            [
                widgets.HTML(STYLE + title),
                widgets.HBox([left, right]).add_class("perflab-columns"),
            ]
        ).add_class("perflab-console")
        self.start.on_click(lambda _: self._start())
        self._form_changed()
        self._following = self._loop.create_task(self._follow())

    def close(self) -> None:
        """Stop what is under way, and following it."""
        self._closed = True
        self._tell()
        self.queue.close()

    async def refresh(self) -> None:
        """Show how things are now."""
        view, over = await asyncio.to_thread(lambda: (self.now.look(), self.results.look()))
        for job in self.queue.jobs:
            if job.command.name == "describe" and job.over:
                self._take_description(job)
        if not self.form.ready and self.form.topic.value in self._described:
            self.form.fill(self._described[self.form.topic.value])
        self.now.show(view)
        self.results.show(over)
        self._form_changed()

    def _tell(self) -> None:
        """Something has changed; from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the kernel ends
            self._loop.call_soon_threadsafe(self._wake.set)

    def _start(self) -> None:
        try:
            self.queue.add(self.form.command())
        except LabError:
            self._form_changed()

    def _describe(self, topic: str) -> None:
        if topic not in self._described:
            self.queue.add(Command("describe", topic), first=True)
        self._tell()

    def _take_description(self, job: Job) -> None:
        topic = job.command.topic
        if topic not in self._described and job.result is not None:
            self._described[topic] = msgspec.convert(job.result, Description)
        elif topic == self.form.topic.value and topic not in self._described:
            self.form.about.value = problem(job.failure or "it was stopped", job.hint or "choose it again")

    def _form_changed(self) -> None:
        if not hasattr(self, "form"):
            return
        way = self.form.way.value
        busy = self.queue.running is not None
        self.start.description = f"{way}: add to the queue" if busy else way
        try:
            self.line.value = command(self.form.command().shell, "will run")
            self.start.disabled = False
        except LabError as error:
            self.start.disabled = True
            self.line.value = problem(error.message, error.hint)

    async def _follow(self) -> None:
        while not self._closed:
            running = self.queue.running is not None
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _EVERY_S if running else None)
            self._wake.clear()
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - a page that stops following says nothing at all
                self.line.value = problem(f"the console failed: {error!r}", "reload the page")
            await asyncio.sleep(_AT_ONCE_S)
