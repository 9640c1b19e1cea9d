"""What is under way: how far it is, what it has measured until now, what waits."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING

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
    from perflab.console.jobs import Job
    from perflab.console.live import SoFar
    from perflab.console.queue import Queue
    from perflab.store import Sweep

_NOTES_SHOWN = 3


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
        self.refresh()

    def refresh(self) -> None:
        """Show how things are now."""
        job = self._queue.running
        run = newest_run(job.started) if job is not None and job.command.name != "describe" else None
        rounds = so_far(run) if run else None
        self.status.value = _status(job, rounds)
        self.stop.disabled = job is None or job.state == "stopping"
        self.stop_all.disabled = job is None and not self._queue.waiting
        self._show_figures(job, rounds)
        self._show_waiting()

    def _show_figures(self, job: Job | None, rounds: SoFar | None) -> None:
        if job is None or not self.live.value:
            self._clear()
        elif job.command.name == "search":
            self._show_search(job)
        elif (sweep := newest_sweep(job.started) if job.command.name == "sweep" else None) and sweep.records:
            self._show_sweep(job, sweep)
        elif rounds is not None:
            self._show_rounds(job, rounds)

    def _show_rounds(self, job: Job, rounds: SoFar) -> None:
        """The figures of a run, after each of its rounds and not more often: drawing takes time of the machine too."""
        if self._shown == (job.number, rounds.run, rounds.rounds):
            return
        self._shown = (job.number, rounds.run, rounds.rounds)
        analysis = figures_so_far(rounds.run)
        if analysis is None:
            self.figures.value, self.chart.outputs = "", ()
            return
        title = f'<p class="perflab-meta">after {rounds.rounds} rounds, not yet a result</p>'
        self.figures.value = title + markup.figures(rows(analysis.to_dict()))
        drawn = run_charts(analysis, {"ratios"})
        if "ratios" in drawn:
            self._draw(bundle(drawn["ratios"]))

    def _show_sweep(self, job: Job, sweep: Sweep) -> None:
        """The figures of the points that are measured, after each of them; before the first, those of its rounds."""
        done = len(sweep.records)
        if self._shown == (job.number, sweep.id, done):
            return
        self._shown = (job.number, sweep.id, done)
        result = collect(sweep)
        title = f"after {done} of {len(points_of(sweep.header.over))} points, which come in random order"
        self.figures.value = f'<p class="perflab-meta">{title}</p>' + markup.figures(rows(result.to_dict()), swept=True)
        self._draw(*(bundle(chart) for name, chart in sweep_charts(result).items() if name.startswith(FACTORS)))

    def _show_search(self, job: Job) -> None:
        found = newest_search(job.started)
        if found is None or self._shown == (job.number, len(found.trials), found.ended):
            return
        self._shown = (job.number, len(found.trials), found.ended)
        self.figures.value = (
            '<p class="perflab-meta">trials only choose; the best few are measured again at the end</p>'
        )
        if (chart := search_chart(found)) is not None:
            self._draw(bundle(chart))

    def _draw(self, *bundles: dict[str, object]) -> None:
        self.chart.outputs = shown(bundles)

    def _clear(self) -> None:
        if self._shown:
            self._shown, self.figures.value, self.chart.outputs = (), "", ()

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
