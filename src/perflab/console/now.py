"""What is under way: how far it is, what it has measured until now, what waits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import ipywidgets as widgets

from perflab.charts import bundle
from perflab.console import markup
from perflab.console.figures import shown
from perflab.console.live import figures_so_far, newest_run, newest_sweep, so_far
from perflab.console.rows import rows
from perflab.gallery import FACTORS, run_charts, sweep_charts
from perflab.search import newest_search, search_chart
from perflab.sweeps import collect, points_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.console.jobs import Job
    from perflab.console.live import SoFar
    from perflab.console.queue import Queue
    from perflab.search import SearchResult
    from perflab.store import Sweep

_NOTES_SHOWN = 3


Figures: TypeAlias = "tuple[str, tuple[dict[str, Any], ...]]"
"""HTML, and the outputs of charts."""


@dataclass(frozen=True)
class View:
    """How things are: the job under way, its rounds, and its figures where they are new."""

    job: Job | None
    rounds: SoFar | None
    figures: Figures | None


class Now:
    """The job under way, and those that wait.

    Args:
        queue: Whose jobs they are.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._shown: tuple[object, ...] = ()
        self._listed: list[int] = []
        self.status = widgets.HTML()
        self.stop = widgets.Button(description="Stop", tooltip="as Ctrl-C does: what was measured is kept")
        self.stop_all = widgets.Button(description="Stop all", tooltip="also what waits")
        self.live = widgets.Checkbox(value=_spare_core(), description="live figures", indent=False)
        self.chart = widgets.Output().add_class("perflab-chart")
        self.figures = widgets.HTML()
        self.waiting = widgets.VBox([])
        self.widget = widgets.VBox(
            [
                widgets.HTML("<h2>Now</h2>"),
                self.status,
                widgets.HBox([self.stop, self.stop_all, self.live]),
                self.figures,
                self.chart,
                self.waiting,
            ]
        ).add_class("perflab-card")
        self.stop.on_click(lambda _: self._stop())
        self.stop_all.on_click(lambda _: queue.stop_all())
        self.show(self.look())

    def look(self) -> View:
        """How things are now. It reads files and draws, and changes no widget: it is meant for another thread."""
        job = self._queue.running
        run = newest_run(job.started) if job is not None and job.command.name != "describe" else None
        rounds = so_far(run) if run else None
        return View(job, rounds, self._figures(job, rounds))

    def show(self, view: View) -> None:
        """Show it; on the kernel's event loop only."""
        job = view.job
        self.status.value = _status(job, view.rounds)
        self.stop.disabled = job is None or job.state == "stopping"
        self.stop_all.disabled = job is None and not self._queue.waiting
        if view.figures is not None:
            self.figures.value, self.chart.outputs = view.figures
        self._show_waiting()

    def _figures(self, job: Job | None, rounds: SoFar | None) -> Figures | None:
        """The figures and their charts; `None` if they are the same as before."""
        if job is None or not self.live.value:
            return self._new((), lambda: ("", ()))
        if job.command.name == "search":
            found = newest_search(job.started)
            return self._new((job.number, len(found.trials), found.ended), lambda: _of_search(found)) if found else None
        if (sweep := newest_sweep(job.started) if job.command.name == "sweep" else None) and sweep.records:
            return self._new((job.number, sweep.id, len(sweep.records)), lambda: _of_sweep(sweep))
        if rounds is not None:
            return self._new((job.number, rounds.run, rounds.rounds), lambda: _of_rounds(rounds))
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


def _of_rounds(rounds: SoFar) -> Figures:
    analysis = figures_so_far(rounds.run)
    if analysis is None:
        return "", ()
    title = f'<p class="perflab-meta">after {rounds.rounds} rounds, not yet a result</p>'
    drawn = run_charts(analysis, {"ratios"})
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


def _status(job: Job | None, rounds: SoFar | None) -> str:
    if job is None:
        return '<div role="status" class="perflab-meta">Nothing is under way.</div>'
    left = f"<span>{markup.duration(job.seconds_left)} left</span>" if job.seconds_left is not None else ""
    word = "stopping, what was measured is kept" if job.state == "stopping" else job.text or "starting"
    about = f"<span>{escape(rounds.text)}</span>" if rounds and rounds.rounds else ""
    return (
        f'<div role="status" class="perflab-now"><b>#{job.number} {escape(job.command.name)}</b>'
        f"<span>{escape(word)}</span>{about}{left}<span>{markup.duration(job.seconds)} gone</span></div>"
        f'<progress value="{job.done:.4f}" aria-label="progress"></progress>'
        + markup.command(job.command.shell, "running")
        + markup.notes(job.notes[-_NOTES_SHOWN:])
    )


def _spare_core() -> bool:
    """Whether drawing takes no processor away from what is measured."""
    return len(os.sched_getaffinity(0)) > 1
