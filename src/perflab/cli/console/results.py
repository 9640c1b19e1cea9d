"""What was found: the figures of a job, its charts, what to take away, and what to keep."""

from __future__ import annotations

import csv
import io
import itertools
import json
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets

from perflab.charts.chart import bundle
from perflab.charts.curve import sweep_charts
from perflab.charts.run_charts import run_charts
from perflab.cli.console import markup
from perflab.cli.console.jobs import figures_so_far, newest_run, newest_sweep
from perflab.cli.console.markup import card, rows, setting, shown
from perflab.measure.sweep import collect
from perflab.model.errors import LabError, MissingError
from perflab.model.files import atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from perflab.cli.console.form import Command
    from perflab.cli.console.jobs import Job, Queue
    from perflab.cli.console.kept import KeptResults
    from perflab.model.lab import Lab


class Remains(NamedTuple):
    """What a stopped command left: as it would have printed it with `--json`, and as MIME bundles of charts."""

    result: dict[str, Any]
    charts: list[dict[str, Any]]


def remains(lab: Lab, name: str, since: float) -> Remains | None:
    """What a `measure` or `sweep` left that started at `since` (seconds since the epoch).

    A search leaves nothing: its trials only choose.
    """
    if name == "sweep" and (sweep := newest_sweep(since, lab.results)) is not None and sweep.records:
        result = collect(sweep)
        return Remains(result.to_dict(), [bundle(chart) for chart in sweep_charts(result).values()])
    if name == "measure" and (run := newest_run(since, lab.results)) and (analysis := figures_so_far(run)):
        return Remains(analysis.to_dict(), [bundle(chart) for chart in run_charts(lab, analysis, {"ratios"}).values()])
    return None


FORMATS = {"shell line": "sh", "notebook cell": "py", "CSV": "csv", "JSON": "json"}
"""What there is to choose, and the suffix of each as a file."""

FOLDER = "console"
"""Of the results."""


def export(format_: str, command: Command, result: Mapping[str, Any]) -> str:
    """The result as text.

    Args:
        format_: A key of `FORMATS`.
        command: What found it.
        result: What it found.
    """
    match format_:
        case "CSV":
            return _csv(result)
        case "JSON":
            return json.dumps({"command": command.shell, "result": result}, indent=1, default=str) + "\n"
        case "notebook cell":
            return command.cell + "\n"
        case _:
            return command.shell + "\n"


def save(lab: Lab, format_: str, name: str, command: Command, result: Mapping[str, Any]) -> Path:
    """Write it as a file beside the other results, under a name that is free.

    Returns:
        Its path, from the root where it lies in it.

    Raises:
        MissingError: If it cannot be written.
    """
    folder = lab.results / FOLDER
    ends = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    numbered = (folder / f"{name}{end}.{FORMATS[format_]}" for end in ends)
    path = next(one for one in numbered if not one.exists())
    try:
        with atomic(path) as draft:
            draft.write_text(export(format_, command, result), encoding="utf-8")
    except OSError as error:
        raise MissingError(
            f"cannot write {path}: {error.strerror}", "point PERFLAB_RESULTS to a folder that can be written"
        ) from None
    return path.relative_to(lab.root) if path.is_relative_to(lab.root) else path


_COLUMNS = (
    *("setting", "candidate", "baseline", "estimate", "low", "high", "verdict", "detectable", "rounds", "run"),
    *("scale", "unit"),
)


def _csv(result: Mapping[str, Any]) -> str:
    """Tidy: a line for each comparison, numbers unrounded."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows(result):
        one = row.comparison
        found = {**one.to_dict(), "setting": row.setting, "run": row.run, "detectable": one.minimum_detectable_effect}
        writer.writerow(found)
    return out.getvalue()


_MOST_NAMED = 4


class Results:
    """The jobs that are over; one of them is shown.

    Args:
        lab: In whose results they are.
        queue: Whose jobs they are.
        store: Where results are kept.
        kept: Called when one was.
    """

    def __init__(self, lab: Lab, queue: Queue, store: KeptResults, kept: Callable[[], None]) -> None:
        self._lab = lab
        self._queue = queue
        self._store = store
        self._kept = kept
        self._job: Job | None = None
        self.which = widgets.Dropdown(options=[], description="job")
        self.text = widgets.HTML('<p class="perflab-meta">Results appear here.</p>')
        self.charts = widgets.Output().add_class("perflab-chart")
        self.notes = widgets.HTML()
        self.name = widgets.Text(placeholder="for example: before the change", description="keep as")
        self.keep = widgets.Button(description="Keep", tooltip="keep this result under this name")
        self.format = widgets.Dropdown(options=list(FORMATS), description="export as")
        self.save = widgets.Button(description="Save file", tooltip="under results/console")
        self.exported = widgets.Textarea(rows=3, disabled=True, layout=widgets.Layout(width="100%"))
        self.said = widgets.HTML()
        lines = widgets.HBox([self.name, self.keep]), widgets.HBox([self.format, self.save])
        self._tools = widgets.VBox([*lines, self.exported, self.said])
        self._tools.layout.display = "none"
        self.widget = card("Result", self.which, self.text, self.charts, self.notes, self._tools)
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
            if (
                job.state == "stopped"
                and job.result is None
                and (left := remains(self._lab, job.command.name, job.since))
            ):
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
        kept = self._store.keep(self.name.value, job.command, job.result)
        self._kept()
        return f"kept as {kept.name}"

    def _save(self, job: Job) -> str:
        path = save(self._lab, self.format.value, f"{job.command.topic}-{job.number}", job.command, job.result)
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
        said = "Stopped by hand: the figures cover the rounds up to then. Stopping because of what you see biases them."
        parts.append(f"<p><b>{said}</b></p>")
    if "trials" in result:
        parts.append(_search(result))
    parts.append(markup.figures(rows(result), swept="sweep" in result))
    if result.get("missing") and job.state == "stopped":
        parts.append(markup.command(f"./lab sweep --resume {result['sweep']}", "to resume"))
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
            return job.displays[:2]
