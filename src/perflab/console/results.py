"""What was found: the figures of a job, its charts, what to take away, and what to keep."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from perflab.console import markup
from perflab.console.exports import FORMATS, export, save
from perflab.console.figures import shown
from perflab.console.remains import remains
from perflab.console.rows import rows, setting
from perflab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.console.jobs import Job
    from perflab.console.keeping import Shelf
    from perflab.console.queue import Queue

_SECOND_CHART = 1
_MOST_NAMED = 4


class Results:
    """The jobs that are over; one of them is shown.

    Args:
        queue: Whose jobs they are.
        shelf: Where results are kept.
        kept: Called when one was.
    """

    def __init__(self, queue: Queue, shelf: Shelf, kept: Callable[[], None]) -> None:
        self._queue = queue
        self._shelf = shelf
        self._kept = kept
        self._job: Job | None = None
        self.which = widgets.Dropdown(options=[], description="job")
        self.text = widgets.HTML('<p class="perflab-meta">What was measured appears here.</p>')
        self.charts = widgets.Output().add_class("perflab-chart")
        self.notes = widgets.HTML()
        self.name = widgets.Text(placeholder="as in: before the change", description="keep as")
        self.keep = widgets.Button(description="Keep", tooltip="keep this result under the name")
        self.format = widgets.Dropdown(options=list(FORMATS), description="export as")
        self.save = widgets.Button(description="Save file", tooltip="under results/console")
        self.exported = widgets.Textarea(rows=3, disabled=True, layout=widgets.Layout(width="100%"))
        self.said = widgets.HTML()
        self._tools = widgets.VBox(
            [
                widgets.HBox([self.name, self.keep]),
                widgets.HBox([self.format, self.save]),
                self.exported,
                self.said,
            ]
        )
        self._tools.layout.display = "none"
        self.widget = widgets.VBox(
            [
                widgets.HTML("<h2>Result</h2>"),
                self.which,
                self.text,
                self.charts,
                self.notes,
                self._tools,
            ]
        ).add_class("perflab-card")
        self.which.layout.display = "none"
        self.which.observe(lambda _: self._choose(), "value")
        self.format.observe(lambda _: self._show_export(), "value")
        self.keep.on_click(lambda _: self._say(self._keep))
        self.save.on_click(lambda _: self._say(self._save))

    def look(self) -> list[Job]:
        """The jobs that are over, with what those left behind that were stopped.

        It reads files and draws, and changes no widget: it is meant for another thread.
        """
        over = [job for job in self._queue.jobs if job.over and job.started and job.command.name != "describe"]
        for job in over[len(self.which.options) :]:
            if job.state == "stopped" and job.result is None and (left := remains(job.command.name, job.started)):
                job.result, job.displays = left.result, left.charts
        return over

    def show(self, over: list[Job]) -> None:
        """Take in the jobs that have ended since, and show the newest of them; on the kernel's event loop only."""
        if len(over) == len(self.which.options):
            return
        self.which.options = [(f"#{job.number} {job.command.shell} ({job.state})", job.number) for job in over]
        self.which.layout.display = "" if len(over) > 1 else "none"
        self.which.value = max(over, key=lambda job: job.ended).number

    def _choose(self) -> None:
        found = [job for job in self._queue.jobs if job.number == self.which.value]
        self._job = found[0] if found else None
        if self._job is not None:
            self._show(self._job)

    def _show(self, job: Job) -> None:
        result = job.result or {}
        self.text.value = _described(job, result)
        self.charts.outputs = shown(_charts(job))
        self.notes.value = _notes(job, result)
        self._tools.layout.display = "" if rows(result) or result.get("trials") else "none"
        self.name.value, self.said.value = "", ""
        self._show_export()

    def _show_export(self) -> None:
        if self._job is not None and self._job.result is not None:
            self.exported.value = export(self.format.value, self._job.command, self._job.result)

    def _keep(self, job: Job) -> str:
        kept = self._shelf.keep(self.name.value, job.command, job.result)
        self._kept()
        return f"kept as {kept.name}"

    def _save(self, job: Job) -> str:
        path = save(self.format.value, f"{job.command.topic}-{job.number}", job.command, job.result)
        return f"written: {path}"

    def _say(self, action: Callable[[Job], str]) -> None:
        if self._job is None:
            return
        try:
            self.said.value = f'<p role="status" class="perflab-meta">{escape(action(self._job))}</p>'
        except LabError as error:
            self.said.value = markup.problem(error.message, error.hint)


def _described(job: Job, result: dict[str, Any]) -> str:
    parts = [markup.command(job.command.shell, "ran")]
    if job.state == "failed":
        parts.append(markup.problem(job.failure, job.hint))
    if job.state == "stopped":
        said = (
            "Stopped by hand: the figures are of the rounds until then, and stopping because of what one sees misleads."
        )
        parts.append(f"<p><b>{said}</b></p>")
    if "trials" in result:
        parts.append(_search(result))
    parts.append(markup.figures(rows(result), swept="sweep" in result))
    if result.get("missing") and job.state == "stopped":
        parts.append(markup.command(f"./lab sweep --resume {result['sweep']}", "goes on"))
    facts = [str(result[key]) for key in ("run", "sweep", "search") if key in result]
    machine = result.get("machine") or {}
    facts += [str(machine["title"])] if "title" in machine else []
    parts.append(f'<p class="perflab-meta">{escape(" · ".join([*facts, markup.duration(job.seconds)]))}</p>')
    return "".join(parts)


def _notes(job: Job, result: dict[str, Any]) -> str:
    missing = [f"{points}: {why}" for why, points in _missing(result).items()]
    dropped = [f"{label} dropped out: {why}" for label, why in (result.get("failures") or {}).items()]
    # Which run it was stands above, and a command's own last line says it too.
    own = {str(result[key]) for key in ("run", "sweep", "search") if key in result}
    said = [line for line in job.notes if not any(name in line for name in own)]
    return markup.notes([*dropped, *missing, *(result.get("notes") or []), *said])


def _missing(result: dict[str, Any]) -> dict[str, str]:
    """The points of a sweep that are missing, by why they are; many as their number."""
    found: dict[str, list[str]] = {}
    for one in result.get("missing", []):
        found.setdefault(one["why"], []).append(setting(one["params"]))
    return {
        why: "; ".join(points) if len(points) <= _MOST_NAMED else f"{len(points)} points"
        for why, points in found.items()
    }


def _search(result: dict[str, Any]) -> str:
    best = result.get("best")
    tried = f"{len(result['trials'])} settings tried"
    if best:
        name = escape(str(best["candidate"]))
        return f"<p><b>Best: {name}</b>. {tried}; the figures are those of the confirming run.</p>"
    if result.get("confirmed"):
        return f"<p><b>No setting is surely better than the default.</b> {tried}, the best few measured again.</p>"
    return f"<p><b>Nothing is confirmed.</b> {tried}.</p>"


def _charts(job: Job) -> list[dict[str, Any]]:
    """Those worth a look at once: of a sweep all, since each candidate may have one of its own."""
    match job.command.name:
        case "sweep":
            return job.displays
        case "search":
            return job.displays[-1:]
        case _:
            return job.displays[: _SECOND_CHART + 1]
