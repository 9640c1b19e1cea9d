"""A job: a command of the lab in a process of its own, and what its stream has said until now."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading
import time
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import ipywidgets as widgets

from perflab.charts.chart import bundle
from perflab.charts.curve import FACTORS, sweep_charts
from perflab.charts.estimates import search_chart
from perflab.charts.run_charts import run_charts
from perflab.cli.console import markup
from perflab.cli.console.markup import rows, shown
from perflab.host.guard import marked
from perflab.host.processes import interrupt
from perflab.measure.analysis import analyse
from perflab.measure.grid import points_of
from perflab.measure.presets import preset_of
from perflab.measure.sweep import collect
from perflab.model.errors import LabError, MissingError, UsageError
from perflab.model.protocol import Note, Problem, ProgressMessage, ResultMessage, Shown, read_stream
from perflab.stats.interval import MINIMUM_ROUNDS
from perflab.store.records import FORKS, made_since
from perflab.store.runs import Run, find_run
from perflab.store.searches import newest_search
from perflab.store.sweeps import Sweep, find_sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.cli.console.form import Command
    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.model.protocol import StreamMessage
    from perflab.store.searches import SearchResult


State = Literal["waiting", "running", "stopping", "done", "stopped", "failed"]
OVER: frozenset[State] = frozenset({"done", "stopped", "failed"})

_INTERRUPTED_STATUS = 130
_PATIENCE_S = 20.0
"""After so long a process that was interrupted is killed; what it had measured is on disk."""


@dataclass
class Job:
    """A command, and how far it is. The thread that runs it writes; others read.

    Attributes:
        command: The command.
        number: Its place in the order in which jobs were asked for, from 1.
        state: Where it stands.
        done: Progress, 0 to 1.
        text: What it is about.
        seconds_left: As it estimates it; `None` if it does not know.
        started: By `time.monotonic`, once it runs.
        ended: By `time.monotonic`, once it is over.
        since: When it started, in seconds since the epoch: what is in the store from then on is its own.
        notes: Lines that stay.
        displays: MIME bundles that it showed, in order.
        result: What `--json` would print, if it got so far.
        failure: Why it failed, in one line.
        hint: What to do about that.
    """

    command: Command
    number: int = 0
    state: State = "waiting"
    done: float = 0.0
    text: str = ""
    seconds_left: float | None = None
    started: float = 0.0
    ended: float = 0.0
    since: float = 0.0
    notes: list[str] = field(default_factory=list)
    displays: list[dict[str, Any]] = field(default_factory=list)
    result: Any = None
    failure: str = ""
    hint: str = ""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in OVER

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self.ended or time.monotonic()) - self.started if self.started else 0.0

    def run(self, tell: Callable[[Job], None]) -> None:
        """Run it to its end.

        Args:
            tell: Called after each change, from this thread.
        """
        with self._lock:
            if self.state == "waiting":
                self._start()
        tell(self)
        if self._process is None:
            return
        said = self._read(self._process, tell)
        self._end(self._process.wait(), said)
        tell(self)

    def stop(self) -> None:
        """End it as Ctrl-C does: what was measured is kept. One that waits is taken out of the order."""
        with self._lock:
            if self.state == "waiting":
                self.state = "stopped"
            elif self.state == "running" and self._process is not None:
                self.state = "stopping"
                interrupt(self._process, _PATIENCE_S)

    def _start(self) -> None:
        self.started, self.since = time.monotonic(), time.time()
        try:
            # Not by `processes.start`: its lines are read as text; it is interrupted before all is ended.
            self._process = subprocess.Popen(
                self.command.process,
                env=marked(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # the kernel's interrupt is not for it
            )
            self.state = "running"
        except OSError as error:
            self._fail(MissingError(f"cannot start {error.filename}: {error.strerror}", "./lab doctor"))

    def _read(self, process: subprocess.Popen[str], tell: Callable[[Job], None]) -> str:
        """Take in the stream; returns what was said on standard error, which is read beside it or would fill up."""
        said: list[str] = []
        assert process.stdout is not None  # noqa: S101 - both are pipes
        assert process.stderr is not None  # noqa: S101
        errors = threading.Thread(target=lambda: said.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
        errors.start()
        for line in process.stdout:
            self.take(read_stream(line))
            tell(self)
        errors.join()
        process.stdout.close()
        process.stderr.close()
        return "".join(said)

    def take(self, message: StreamMessage) -> None:
        """Take in a message of the stream (docs/protocol.md)."""
        match message:
            case ProgressMessage():
                self.done, self.text, self.seconds_left = message.done, message.text, message.seconds_left
            case Note(text):
                self.notes.append(text)
            case Shown(data):
                self.displays.append(data)
            case ResultMessage(data):
                self.result = data
            case Problem(text, hint):
                self.failure, self.hint = text, hint

    def abandon(self, error: Exception) -> None:
        """End it because of a defect of the console, and return when its process is gone."""
        self.stop()
        if self._process is not None:
            assert self._process.stdout is not None  # noqa: S101 - a pipe
            self._process.stdout.close()  # or it could wait for who reads it
            self._process.wait()
        self._fail(LabError(f"the console failed: {error!r}", "reload the page"))

    def _end(self, status: int, said: str) -> None:
        with self._lock:
            self.ended, self.seconds_left = time.monotonic(), None
            if self.state == "stopping" or status == _INTERRUPTED_STATUS:
                self.state = "stopped"
            elif self.failure or (status and self.result is None):
                lines = said.strip().splitlines()
                self.failure = self.failure or (lines[-1] if lines else f"it ended with status {status}")
                self.state = "failed"
            else:
                self.state, self.done = "done", 1.0

    def _fail(self, error: LabError) -> None:
        self.ended, self.state = time.monotonic(), "failed"
        self.failure, self.hint = error.message, error.hint


_GOODBYE_S = 10.0


class Queue:
    """Runs jobs in the order in which they were asked for, in a thread of its own.

    Args:
        tell: Called with a job whenever something about it has changed, from that thread or from the one that asked.
    """

    def __init__(self, tell: Callable[[Job], None]) -> None:
        self._tell = tell
        self._jobs: list[Job] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="perflab-console", daemon=True)
        self._thread.start()
        # A kernel that is shut down takes the process under way with it in the same way as Stop does.
        atexit.register(self.close)

    @property
    def jobs(self) -> list[Job]:
        """All that were asked for, oldest first."""
        with self._changed:
            return list(self._jobs)

    @property
    def running(self) -> Job | None:
        """The one under way."""
        return next((job for job in self.jobs if job.state in {"running", "stopping"}), None)

    @property
    def waiting(self) -> list[Job]:
        """Those whose turn is still to come, in their order."""
        return [job for job in self.jobs if job.state == "waiting"]

    def add(self, command: Command, *, first: bool = False) -> Job:
        """Ask for a command.

        Args:
            command: The command.
            first: Whether it goes before all that wait.
        """
        with self._changed:
            job = Job(command, number=len(self._jobs) + 1)
            place = next((i for i, one in enumerate(self._jobs) if one.state == "waiting"), len(self._jobs))
            self._jobs.insert(place if first else len(self._jobs), job)
            self._changed.notify_all()
        self._tell(job)
        return job

    def stop(self, job: Job) -> None:
        """Stop a job, or take one that waits out of the queue."""
        job.stop()
        self._tell(job)

    def stop_all(self) -> None:
        """Stop the one under way, and all that wait."""
        for job in reversed(self.jobs):
            if not job.over:
                self.stop(job)

    def close(self) -> None:
        """Stop everything and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for job in reversed(self.jobs):
            job.stop()
        self._thread.join(_GOODBYE_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or any(job.state == "waiting" for job in self._jobs))
                if self._closed:
                    return
                job = next((one for one in self._jobs if one.state == "waiting"), None)
            if job is not None:
                self._run(job)

    def _run(self, job: Job) -> None:
        try:
            job.run(self._tell)
        except Exception as error:  # noqa: BLE001 - the jobs that wait have no other thread
            job.abandon(error)
            with contextlib.suppress(Exception):
                self._tell(job)


_Found = TypeVar("_Found", Run, Sweep)

_CLOCK_S = 1.0
"""Headers know seconds only."""


def newest_run(since: float, results: Path) -> Run | None:
    """The newest run, if it began after `since` (seconds since the epoch)."""
    return _newest(find_run, since, results)


def newest_sweep(since: float, results: Path) -> Sweep | None:
    """The newest sweep, if it began after `since` (seconds since the epoch)."""
    return _newest(find_sweep, since, results)


def _newest(find: Callable[[str, Path], _Found], since: float, results: Path) -> _Found | None:
    try:
        found = find("latest", results)
    except UsageError:
        return None
    return found if made_since(found.header.created, since - _CLOCK_S) else None


def figures_so_far(run: Run) -> Analysis | None:
    """The figures of a run that is under way, or was stopped; `None` if its rounds are too few for an interval."""
    if _whole_rounds(run) < MINIMUM_ROUNDS:
        return None
    try:
        analysis = analyse(run)
    except (UsageError, ValueError):
        return None
    return analysis if analysis.comparisons else None


def _whole_rounds(run: Run) -> int:
    if run.ending is not None:
        return run.ending.rounds
    try:
        forks = (run.folder / f"{FORKS}.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0
    return forks // len(run.header.arms)


_NOTES_SHOWN = 3


Figures: TypeAlias = "tuple[str, tuple[dict[str, Any], ...]]"
"""HTML, and the outputs of charts."""


class View(NamedTuple):
    """How things are: the job under way, its run and that run's whole rounds, and its figures where they are new."""

    job: Job | None
    run: Run | None
    rounds: int
    figures: Figures | None


class Now:
    """The job under way, and those that wait.

    Args:
        queue: Whose jobs they are.
    """

    def __init__(self, lab: Lab, queue: Queue) -> None:
        self._lab = lab
        self._queue = queue
        self._shown: tuple[object, ...] = ()
        self._listed: list[int] = []
        self.status = widgets.HTML()
        self.stop = widgets.Button(description="Stop", tooltip="like Ctrl-C: what was measured is kept")
        self.stop_all = widgets.Button(description="Stop all", tooltip="the running job and those that wait")
        self.live = widgets.Checkbox(value=_spare_core(), description="live figures", indent=False)
        self.chart = widgets.Output().add_class("perflab-chart")
        self.figures = widgets.HTML()
        self.waiting = widgets.VBox([])
        buttons = widgets.HBox([self.stop, self.stop_all, self.live])
        self.widget = markup.card("Running", self.status, buttons, self.figures, self.chart, self.waiting)
        self.stop.on_click(lambda _: self._stop())
        self.stop_all.on_click(lambda _: queue.stop_all())
        self.show(self.look())

    def look(self) -> View:
        """How things are now. It reads files and draws, and changes no widget: it is meant for another thread."""
        job, results = self._queue.running, self._lab.results
        run = newest_run(job.since, results) if job is not None and job.command.name != "describe" else None
        rounds = _whole_rounds(run) if run else 0
        return View(job, run, rounds, self._figures(job, run, rounds))

    def show(self, view: View) -> None:
        """Show it; on the kernel's event loop only."""
        job = view.job
        self.status.value = _status(view)
        self.stop.disabled = job is None or job.state == "stopping"
        self.stop_all.disabled = job is None and not self._queue.waiting
        if view.figures is not None:
            self.figures.value, self.chart.outputs = view.figures
        self._show_waiting()

    def _figures(self, job: Job | None, run: Run | None, rounds: int) -> Figures | None:
        """The figures and their charts; `None` if they are the same as before."""
        if job is None or not self.live.value:
            return self._new((), lambda: ("", ()))
        results = self._lab.results
        if job.command.name == "search":
            found = newest_search(job.since, results)
            return self._new((job.number, len(found.trials), found.ended), lambda: _of_search(found)) if found else None
        if (sweep := newest_sweep(job.since, results) if job.command.name == "sweep" else None) and sweep.records:
            return self._new((job.number, sweep.id, len(sweep.records)), lambda: _of_sweep(sweep))
        if run is not None:
            return self._new((job.number, run.id, rounds), lambda: _of_rounds(self._lab, run, rounds))
        return None

    def _new(self, state: tuple[object, ...], figures: Callable[[], Figures]) -> Figures | None:
        """After each round or point, and not more often: drawing takes time of the machine too."""
        if self._shown == state:
            return None
        self._shown = state
        return figures()

    def _show_waiting(self) -> None:
        jobs = self._queue.waiting
        if [job.number for job in jobs] != self._listed:
            self._listed = [job.number for job in jobs]
            head = [widgets.HTML(f"<h2>Waiting ({len(jobs)})</h2>")] if jobs else []
            self.waiting.children = [*head, *(self._line(job) for job in jobs)]

    def _line(self, job: Job) -> widgets.Widget:
        text = widgets.HTML(markup.command(job.command.shell, f"#{job.number}"), layout=widgets.Layout(flex="1"))
        remove = widgets.Button(description="Remove", tooltip=f"take #{job.number} out of the queue")
        remove.add_class("perflab-small-button")
        remove.on_click(lambda _: self._queue.stop(job))
        return widgets.HBox([text, remove])

    def _stop(self) -> None:
        if (job := self._queue.running) is not None:
            self._queue.stop(job)


def _of_rounds(lab: Lab, run: Run, rounds: int) -> Figures:
    analysis = figures_so_far(run)
    if analysis is None:
        return "", ()
    title = f'<p class="perflab-meta">after {rounds} rounds, not yet a result</p>'
    drawn = run_charts(lab, analysis, {"ratios"})
    return title + markup.figures(rows(analysis.to_dict())), shown(bundle(chart) for chart in drawn.values())


def _of_sweep(sweep: Sweep) -> Figures:
    """The figures of the points that are measured; before the first, those of its rounds are shown."""
    result = collect(sweep)
    of = len(points_of(sweep.header.over))
    title = f'<p class="perflab-meta">after {len(sweep.records)} of {of} points, which come in random order</p>'
    drawn = (bundle(chart) for name, chart in sweep_charts(result).items() if name.startswith(FACTORS))
    return title + markup.figures(rows(result.to_dict()), swept=True), shown(drawn)


def _of_search(found: SearchResult) -> Figures:
    title = '<p class="perflab-meta">trials only choose; the best few are measured again at the end</p>'
    chart = search_chart(found)
    return title, shown([] if chart is None else [bundle(chart)])


def _status(view: View) -> str:
    job = view.job
    if job is None:
        return '<div role="status" class="perflab-meta">No job is running.</div>'
    word = "stopping; what was measured is kept" if job.state == "stopping" else job.text or "starting"
    said = [
        word,
        _rounds(view.run, view.rounds) if view.run and view.rounds else "",
        f"{markup.duration(job.seconds_left)} left" if job.seconds_left is not None else "",
        f"{markup.duration(job.seconds)} elapsed",
    ]
    spans = "".join(f"<span>{escape(one)}</span>" for one in said if one)
    return (
        f'<div role="status" class="perflab-now"><b>#{job.number} {escape(job.command.name)}</b>{spans}</div>'
        f'<progress value="{job.done:.4f}" aria-label="progress"></progress>'
        + markup.command(job.command.shell, "running")
        + markup.notes(job.notes[-_NOTES_SHOWN:])
    )


def _rounds(run: Run, rounds: int) -> str:
    """How far a run is, as in `3 of 8 to 30 rounds done, until ±2 %`."""
    try:
        preset = preset_of(run.header.options)
    except UsageError:
        return f"{rounds} rounds done"
    least, most = preset.min_rounds, preset.max_rounds
    of = f"{least} to {most}" if most > least else f"{least}"
    return f"{rounds} of {of} rounds done, until ±{100 * preset.half_width:.3g} %"


def _spare_core() -> bool:
    """Whether drawing takes no processor away from what is measured."""
    return len(os.sched_getaffinity(0)) > 1
