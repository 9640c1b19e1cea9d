"""The tuning console: a form in a notebook that starts `./lab` commands and shows what they find.

It measures nothing itself: a job is a `./lab ... --stream` process, so its exact line is always on the page.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shlex
import time
from html import escape
from signal import SIGINT
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as widgets
import msgspec

from perflab.charts.chart import PLOTLY, Table
from perflab.host.guard import marked
from perflab.measure.analysis import analyse
from perflab.measure.grid import read_axes, read_space
from perflab.measure.presets import PRESETS
from perflab.model.errors import LabError, UsageError
from perflab.model.format import assignments, option_words, typed
from perflab.model.lab import CHECKOUT, Lab
from perflab.model.protocol import Description, Note, Problem, ProgressMessage, ResultMessage, Shown, read_stream
from perflab.stats.comparison import Comparison
from perflab.stats.interval import MINIMUM_ROUNDS
from perflab.store.records import made_since
from perflab.store.runs import find_run
from perflab.topics.build import is_built
from perflab.topics.catalogue import check_parameters, find_components

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.model.protocol import Parameter, Scenario, StreamMessage

__all__ = ["Console", "console"]

LAUNCHER_VARIABLE = "PERFLAB_LAUNCHER"
"""Launcher to use in place of the checkout's `lab`; labkits honour it too."""

_WAYS = {
    "measure": "Compare variants at one setting.",
    "sweep": "Compare variants over the values of one parameter or two, as in size=1,2,4 or size=64..4096.",
    "search": "Find the best setting of one variant, as in size=1..64 or kind=a,b, and measure the best few again.",
}
_LONGEST_LINE = 1 << 28
"""Maximum length of a line of the stream; a chart is one line."""
_PATIENCE_S = 20.0
_STYLE = """<style>
.perflab-console { max-width: 100%; overflow-x: auto; } .perflab-console h2 { font-size: 1.2em; margin: .6em 0 .2em; }
.perflab-console code { overflow-wrap: anywhere; } .perflab-console td, .perflab-console th { padding: 0 .8em 0 0; }
</style>"""


def console() -> widgets.Widget:
    """Return the console, to be the last value of a notebook's cell."""
    made = Console(Lab.from_environment())
    made.describe()
    return made.widget


def results_table(result: Mapping[str, Any]) -> str:
    """Render the comparisons of what `measure`, `sweep` or `search` print with `--json` as an HTML table."""
    swept = "points" in result
    points = result["points"] if swept else [result.get("confirmed") or result]
    rows = [
        [
            *([", ".join(assignments(point["params"]))] if swept else []),
            *(one.candidate, one.baseline, *one.columns, one.verdict, one.detectable),
        ]
        for point in points
        for one in map(Comparison.from_dict, point.get("comparisons", []))
    ]
    head = [*(["at"] if swept else []), "variant", "over", ">factor", "interval", "verdict", "detectable"]
    return Table(head, rows).html() if rows else "Nothing was compared."


class Console:
    """The form, and the one job that it has started.

    Attributes:
        widget: All of it.
        job: The task of the job under way, or of the last one.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._description: Description | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._rounds = 0
        self.job: asyncio.Task[None] | None = None
        topics = find_components(lab)
        titles = [(f"{one.name}: {one.manifest.title}", one.name) for one in topics]
        # Opening the page must not build a topic.
        first = next((one.name for one in topics if is_built(one)), topics[0].name if topics else None)
        self.topic = widgets.Dropdown(options=titles, value=first, description="topic")
        self.scenario = widgets.Dropdown(description="scenario")
        self.way = widgets.ToggleButtons(options=list(_WAYS))
        self.variants: dict[str, widgets.Checkbox] = {}
        self.baseline = widgets.Dropdown(description="baseline")
        self.params: dict[str, widgets.DOMWidget] = {}
        self.over = widgets.Text(description="over", placeholder="NAME=VALUES, or two with a space")
        self.trials = widgets.BoundedIntText(value=20, min=1, max=1000, description="trials")
        self.minutes = widgets.BoundedFloatText(value=0, min=0, max=1440, description="minutes")
        self.preset = widgets.ToggleButtons(options=["quick", "normal", "rigorous"])
        self.start = widgets.Button(description="Start", button_style="primary", disabled=True)
        self.stop = widgets.Button(description="Stop", tooltip="like Ctrl-C: what was measured is kept", disabled=True)
        self.line, self.about, self.status, self.figures, self.notes = (widgets.HTML() for _ in range(5))
        self._variants, self._parameters = widgets.VBox(), widgets.VBox()
        self._budget = widgets.HBox([self.trials, self.minutes])
        self.charts = widgets.Output()
        form = [
            widgets.HTML(f"{_STYLE}<h2>What to measure</h2>"),
            *(self.topic, self.scenario, self.about, self.way, self.over, self._budget),
            widgets.HTML("<h2>Variants</h2>"),
            *(self._variants, self.baseline),
            widgets.HTML("<h2>Parameters</h2>"),
            *(self._parameters, self.preset, self.line, widgets.HBox([self.start, self.stop])),
        ]
        found = [widgets.HTML("<h2>Result</h2>"), self.status, self.figures, self.charts, self.notes]
        columns = widgets.Layout(display="grid", grid_template_columns="repeat(auto-fit, minmax(min(100%, 30em), 1fr))")
        self.widget = widgets.Box([widgets.VBox(form), widgets.VBox(found)], layout=columns)
        self.widget.add_class("perflab-console")
        self.topic.observe(lambda _: self.describe(), "value")
        self.scenario.observe(lambda _: self._fill_scenario(), "value")
        for one in (self.way, self.over, self.trials, self.minutes, self.preset, self.baseline):
            one.observe(lambda _: self.check(), "value")
        self.start.on_click(lambda _: self.begin())
        self.stop.on_click(lambda _: self.interrupt())
        atexit.register(self.interrupt)

    # The form

    def fill(self, description: Description) -> None:
        """Fill the form from a topic's description."""
        self._description = description
        self.scenario.options = [(one.title or one.name, one.name) for one in description.scenarios]
        self.scenario.value = description.scenarios[0].name
        self._fill_scenario()  # the other topic's scenario may have had the same name

    def _scenario(self) -> Scenario | None:
        every = self._description.scenarios if self._description else []
        return next((one for one in every if one.name == self.scenario.value), None)

    def _fill_scenario(self) -> None:
        scenario = self._scenario()
        if scenario is None or self._description is None:
            return
        about = f"one operation: {scenario.operation}; in {scenario.unit}, {scenario.better} is better"
        self.about.value = escape(about)
        able = [one for one in self._description.variants if scenario.name in one.scenarios]
        self.variants = {
            one.name: widgets.Checkbox(description=f"{one.name} ({one.role})", indent=False) for one in able
        }
        for box in list(self.variants.values())[:3]:
            box.value = True
        self.params = {one.name: _input(one) for one in scenario.parameters}
        self.baseline.options = [one.name for one in able]
        self.baseline.value = next((one.name for one in able if one.role == "before"), able[0].name if able else None)
        self._variants.children = list(self.variants.values())
        helps = (f"{one.help} ({one.allowed or one.type}; default {typed(one.default)})" for one in scenario.parameters)
        pairs = zip(self.params.values(), helps, strict=True)
        self._parameters.children = [widgets.VBox([one, widgets.HTML(escape(text))]) for one, text in pairs]
        for one in (*self.variants.values(), *self.params.values()):
            one.observe(lambda _: self.check(), "value")
        self.check()

    def words(self) -> list[str]:
        """Return the command that the form stands for, without the launcher.

        Raises:
            UsageError: If something in it is wrong or missing.
        """
        scenario = self._scenario()
        if scenario is None:
            raise UsageError("the topic's description has not arrived yet", "wait for it, or choose another topic")
        given = {name: typed(one.value) for name, one in self.params.items()}
        check_parameters(scenario, given)
        changed = {one.name: given[one.name] for one in scenario.parameters if given[one.name] != typed(one.default)}
        variants = [name for name, box in self.variants.items() if box.value]
        over = self.over.value.split() if self.way.value != "measure" else []
        options: list[tuple[str, object]] = [("scenario", scenario.name), ("variant", variants)]
        if self.way.value == "search":
            if len(variants) != 1:
                raise UsageError("a search is of one variant", "tick one under Variants")
            read_space(scenario, over, changed)
            options += [("trials", self.trials.value), ("minutes", self.minutes.value or None)]
        else:
            if len(variants) < 2 or self.baseline.value not in variants:  # noqa: PLR2004 - a comparison is of two
                raise UsageError("a comparison needs two variants, and its baseline", "tick them under Variants")
            options.append(("baseline", self.baseline.value))
        if self.way.value == "sweep":
            read_axes(scenario, over, changed)
        options += [("over", over), ("param", [f"{name}={text}" for name, text in changed.items()])]
        if self.preset.value != "normal":
            options.append((self.preset.value, True))
        return [self.way.value, self.topic.value, *option_words(options)]

    def check(self) -> None:
        """Show the command of the form, or what is wrong with it."""
        self._budget.layout.display = "" if self.way.value == "search" else "none"
        self.over.layout.display = "none" if self.way.value == "measure" else ""
        preset = PRESETS[self.preset.value]
        takes = f"{_WAYS[self.way.value]} At most {preset.budget_s:g} s a run."
        try:
            line = shlex.join(["./lab", *self.words()])
            self.line.value = f"<p>{escape(takes)}</p><p><code>{escape(line)}</code></p>"
            self.start.disabled = self._running
        except LabError as error:
            self.line.value = f"<p>{escape(takes)}</p><p role='alert'>{escape(str(error))}</p>"
            self.start.disabled = True

    # The job

    @property
    def _running(self) -> bool:
        return self.job is not None and not self.job.done()

    def describe(self) -> None:
        """Ask for the description of the chosen topic, which may build it."""
        if self.topic.value:
            self._description = None
            self._begin(["describe", self.topic.value])

    def begin(self) -> None:
        """Start the command of the form."""
        self._begin(self.words())

    def _begin(self, words: list[str]) -> None:
        before = self.job if self._running else None
        self.job = asyncio.get_running_loop().create_task(self._run(words, before))

    def interrupt(self) -> None:
        """Stop the job as Ctrl-C does: what was measured is kept."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(SIGINT)
            with contextlib.suppress(RuntimeError):  # the kernel ends
                asyncio.get_running_loop().call_later(_PATIENCE_S, self._kill, self._process)

    def _kill(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            process.kill()

    async def _run(self, words: list[str], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            self.interrupt()
            await asyncio.wait([before])
        self.start.disabled, self.stop.disabled = True, False
        measures = words[0] != "describe"
        if measures:
            self.figures.value, self.charts.outputs = "", ()
        line = shlex.join(["./lab", *words])
        self.status.value = f"<code>{escape(line)}</code>"
        launcher = os.environ.get(LAUNCHER_VARIABLE) or str(CHECKOUT / "lab")
        notes: list[str] = []
        since, self._rounds = time.time() - 1, 0
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *(launcher, *words, "--stream"),
                env=marked(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
                start_new_session=True,  # shielded from the kernel's interrupts
            )
            async for text in cast("asyncio.StreamReader", process.stdout):
                message = read_stream(text.decode(errors="replace"))
                self._take(message, notes, measures=measures)
                self.notes.value = "<br>".join(map(escape, notes))
                progress = escape(_progress(message)) if isinstance(message, ProgressMessage) else ""
                self.status.value = f"<code>{escape(line)}</code><p>{progress}</p>"
                if words[0] == "measure" and isinstance(message, ProgressMessage):
                    await self._show_live(message, since)
            status = await process.wait()
            if status and not self.figures.value and not notes:
                notes.append(f"it ended with status {status}; run the line in a terminal to see why")
        except (LabError, OSError, ValueError) as error:
            notes.append(str(error))
        self.notes.value = "<br>".join(map(escape, notes))
        self.status.value = f"<code>{escape(line)}</code>" if measures or notes else ""
        if self.job is asyncio.current_task():
            self.stop.disabled, self.job = True, None
            self.check()

    def _take(self, message: StreamMessage, notes: list[str], *, measures: bool) -> None:
        match message:
            case Note(text):
                text = text.removeprefix("note: ")
                notes += [text] if text not in notes else []
            case Problem(text, hint):
                notes.append(f"error: {text}" + (f"; {hint}" if hint else ""))
            case Shown(data) if measures and PLOTLY in data:
                output = {"output_type": "display_data", "data": _narrow(data), "metadata": {}}
                self.charts.outputs = (*self.charts.outputs, output)
            case ResultMessage(data) if measures:
                self.figures.value = results_table(data)
            case ResultMessage(data):
                notes.clear()
                if data.get("component") == self.topic.value:
                    self.fill(msgspec.convert(data, Description))
            case _:
                pass

    async def _show_live(self, message: ProgressMessage, since: float) -> None:
        """Show the intervals of a run under way after each whole round, if a core is free for that."""
        number = _round_of(message.text)
        if number <= max(self._rounds, MINIMUM_ROUNDS) or (os.cpu_count() or 1) == 1:
            return
        self._rounds = number

        def analysed() -> str:
            run = find_run("latest", self._lab.results)
            return results_table(analyse(run).to_dict()) if made_since(run.header.created, since) else ""

        with contextlib.suppress(LabError, ValueError):
            self.figures.value = await asyncio.to_thread(analysed)


def _narrow(data: dict[str, Any]) -> dict[str, Any]:
    """Put what explains the x axis in brackets on a line of its own."""
    title = data[PLOTLY].get("layout", {}).get("xaxis", {}).get("title") or {}
    if title.get("text", "").endswith(")"):
        title["text"] = "<br>(".join(title["text"].rsplit(" (", 1))
    return data


def _round_of(text: str) -> int:
    _, _, rest = text.partition(": round ")
    number = rest.partition(",")[0]
    return int(number) if number.isdigit() else 0


def _progress(message: ProgressMessage) -> str:
    left = "" if message.seconds_left is None else f", {message.seconds_left:.0f} s left"
    return f"{message.done:.0%} {message.text}{left}"


def _input(parameter: Parameter) -> widgets.DOMWidget:
    """Return a field for a parameter; numbers are typed freely, since a field that corrects measures something else."""
    name, default = parameter.name, parameter.default
    if parameter.choices:
        return widgets.Dropdown(options=parameter.choices, value=default, description=name)
    if parameter.type == "bool":
        return widgets.Checkbox(value=bool(default), description=name, indent=False)
    return widgets.Text(value=typed(default), description=name, continuous_update=True)
