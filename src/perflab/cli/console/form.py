"""The form: what is to be measured, made from what the topic says of itself."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.cli.console import markup
from perflab.measure.grid import read_axes
from perflab.measure.presets import PRESETS
from perflab.measure.search_space import read_space
from perflab.model.commandline import option_words
from perflab.model.errors import UsageError
from perflab.model.lab import CHECKOUT
from perflab.topics.build import is_own_build
from perflab.topics.catalogue import check_parameters, find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perflab.model.lab import Lab
    from perflab.model.protocol import Description, Parameter, ParameterValue, Scenario, Variant


LAUNCHER_VARIABLE = "PERFLAB_LAUNCHER"
"""What starts the lab in place of the checkout's `lab`; labkits honour it too."""


@dataclass(frozen=True)
class Command:
    """A command of the lab.

    Args:
        name: As in `measure`.
        topic: Its argument.
        options: Names and values in order; an option may come several times, and a flag has the value `True`.
    """

    name: str
    topic: str
    options: tuple[tuple[str, str | bool], ...] = ()

    @property
    def words(self) -> list[str]:
        """Without the launcher."""
        return [self.name, self.topic, *option_words(self.options)]

    @property
    def shell(self) -> str:
        """As one types it."""
        return shlex.join(["./lab", *self.words])

    @property
    def cell(self) -> str:
        """As a cell of a Python notebook."""
        arguments = "".join(f", {name}={value}" for name, value in _arguments(self.options))
        return f"from perflab.labkit import lab\n\nlab.{self.name}({self.topic!r}{arguments})"

    @property
    def process(self) -> list[str]:
        """As the console starts it."""
        return [os.environ.get(LAUNCHER_VARIABLE) or str(CHECKOUT / "lab"), *self.words, "--stream"]


def _arguments(options: Iterable[tuple[str, str | bool]]) -> Iterable[tuple[str, str]]:
    """The arguments of the labkit's method: repeated options are lists, pairs are a dictionary."""
    lists: dict[str, list[str]] = {}
    for name, value in options:
        lists.setdefault(name, []).append(str(value))
    for name, values in lists.items():
        if name == "variant":
            yield "variants", repr(values)
        elif name in {"param", "over"}:
            pairs = dict(value.split("=", 1) for value in values)
            yield "params" if name == "param" else "over", repr(pairs)
        elif name in {"trials", "minutes"} or values == ["True"]:
            yield name, values[0]
        else:
            yield name, repr(values[0])


class Field:
    """A parameter of the scenario, at its default until it is changed.

    Numbers can be typed freely, and what is wrong is said: a field that corrects its input measures what was not asked
    for.
    """

    def __init__(self, parameter: Parameter, changed: Callable[[], None]) -> None:
        self.parameter = parameter
        self.input = _input(parameter)
        allowed = f"{parameter.allowed}; " if parameter.allowed else ""
        text = f"{escape(parameter.help)} ({escape(allowed)}default {escape(_text(parameter.default))})"
        self.widget = widgets.VBox([self.input, widgets.HTML(text).add_class("perflab-help")])
        self.input.observe(lambda _: changed(), "value")

    @property
    def text(self) -> str:
        """The value, as one types it."""
        return _text(self.input.value)

    @property
    def changed(self) -> bool:
        """Whether it differs from its default."""
        return self.text != _text(self.parameter.default)


def _input(parameter: Parameter) -> widgets.DOMWidget:
    name, default = parameter.name, parameter.default
    if parameter.choices:
        return widgets.Dropdown(options=parameter.choices, value=default, description=name)
    if parameter.type == "bool":
        return widgets.Checkbox(value=bool(default), description=name, indent=False)
    # A text field, since one for numbers forgets what it cannot read; the digits' keyboard is not worth that.
    return widgets.Text(value=_text(default), description=name, continuous_update=True)


def _text(value: ParameterValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


_MOST_SPELLED = 8


class Over:
    """A parameter that takes several values: those of a sweep, or where to search.

    Args:
        scenario: Whose parameters there are to choose from.
        label: Of the choice.
        example: How values are typed.
        changed: Called after each change.
    """

    def __init__(self, scenario: Scenario, label: str, example: str, changed: Callable[[], None]) -> None:
        self._scenario = scenario
        self._example = example
        names = [one.name for one in scenario.parameters]
        self.name = widgets.Dropdown(options=[("none", ""), *((one, one) for one in names)], description=label)
        self.values = widgets.Text(placeholder=example, description="values", continuous_update=True)
        self.spelled = widgets.HTML().add_class("perflab-help")
        self.widget = widgets.VBox([self.name, self.values, self.spelled])
        for one in (self.name, self.values):
            one.observe(lambda _: changed(), "value")

    @property
    def text(self) -> str:
        """The parameter and what was typed, as in `size=1..64`.

        Raises:
            UsageError: If no values have been typed.
        """
        values = self.values.value.replace(" ", "")
        if not values:
            raise UsageError(f"{self.name.value} has no values yet", f"type them, for example {self._example}")
        return f"{self.name.value}={values}"

    def spell(self) -> int:
        """Show which values of a sweep it stands for; returns how many, 1 if none can be read."""
        try:
            (found,) = read_axes(self._scenario, [self.text], {}).values()
            values = [_text(value) for value in found]
        except UsageError:
            values = []
        few = values if len(values) <= _MOST_SPELLED else [*values[: _MOST_SPELLED - 2], "…", values[-1]]
        self.spelled.value = escape(f"{len(values)} values: {', '.join(few)}") if values else ""
        return len(values) or 1


WAYS = MEASURE, SWEEP, SEARCH = "Measure", "Sweep", "Search"
_ABOUT = {
    MEASURE: "Compare variants at one setting.",
    SWEEP: "Compare variants over the values of one parameter or two.",
    SEARCH: "Find the best setting of one variant within a budget; the best few are measured again.",
}
_PRESETS = ("quick", "normal", "rigorous")
_MOST_ARMS_TO_START_WITH = 3


class Form:
    """All there is to choose.

    Args:
        lab: Whose topics.
        describe: Called with a topic whose description is needed; `fill` takes it when it comes.
        changed: Called after each change.
    """

    def __init__(self, lab: Lab, describe: Callable[[str], None], changed: Callable[[], None]) -> None:
        self._describe = describe
        self._changed = changed
        self._quiet = False
        self._description: Description | None = None
        self.fields: list[Field] = []
        self.boxes: dict[str, widgets.Checkbox] = {}
        self.swept: list[Over] = []
        self.searched: list[Over] = []
        topics = find_components(lab)
        titles = [(f"{one.name}: {one.manifest.title}", one.name) for one in topics]
        # To open a page is not to ask for a build.
        first = next((one.name for one in topics if is_own_build(one)), topics[0].name if topics else None)
        self.topic = widgets.Dropdown(options=titles, value=first, description="topic")
        self.scenario = widgets.Dropdown(options=[], description="scenario")
        self.about = widgets.HTML().add_class("perflab-help")
        self.way = widgets.ToggleButtons(options=WAYS)
        self.way_help = widgets.HTML()
        self.variants = widgets.VBox([]).add_class("perflab-scroll")
        self.baseline = widgets.Dropdown(options=[], description="baseline")
        self.candidate = widgets.Dropdown(options=[], description="variant")
        self.parameters = widgets.VBox([])
        self.over = widgets.VBox([])
        self.trials = widgets.BoundedIntText(value=20, min=1, max=1000, description="trials")
        self.minutes = widgets.BoundedFloatText(value=0, min=0, max=1440, step=1, description="minutes")
        self.minutes_help = widgets.HTML("At most, whichever comes first; 0 is no limit.").add_class("perflab-help")
        self.preset = widgets.ToggleButtons(options=_PRESETS, value="quick")
        self.takes = widgets.HTML()
        self._who = widgets.VBox([])
        self._over_card = markup.card("Values to try", self.over)
        self.widget = widgets.VBox(
            [
                markup.card("What to measure", self.topic, self.scenario, self.about, self.way, self.way_help),
                markup.card("Variants", self._who),
                self._over_card,
                markup.card("Parameters", self.parameters),
                markup.card("Precision", self.preset, self.takes),
            ]
        )
        self.topic.observe(lambda _: self._new_topic(), "value")
        self.scenario.observe(lambda _: self._new_scenario(), "value")
        for one in (self.way, self.preset, self.baseline, self.candidate, self.trials, self.minutes):
            one.observe(lambda _: self._show(), "value")
        self._new_topic()

    @property
    def ready(self) -> bool:
        """Whether the topic has said what there is to choose."""
        return self._description is not None

    def fill(self, description: Description) -> None:
        """Take a topic's description, if it is the one that is chosen."""
        if description.component != self.topic.value or self._description is not None:
            return
        self._description = description
        self._quiet = True
        self.scenario.options = [(one.title or one.name, one.name) for one in description.scenarios]
        self.scenario.value = description.scenarios[0].name
        self._quiet = False
        self._new_scenario()

    def command(self) -> Command:
        """What the form says.

        Raises:
            UsageError: If something in it is wrong, or missing; says what to do.
        """
        scenario = self._chosen_scenario()
        if scenario is None:
            raise UsageError("the topic's description has not arrived yet", "wait for it, or choose another topic")
        check_parameters(scenario, {one.parameter.name: one.text for one in self.fields})
        params = {one.parameter.name: one.text for one in self.fields if one.changed}
        over = self._read_over(scenario, params)
        options: list[tuple[str, str | bool]] = [("scenario", scenario.name)]
        if self.way.value == SEARCH:
            options.append(("variant", self.candidate.value))
        else:
            variants = self._ticked()
            if len(variants) < 2:  # noqa: PLR2004 - a comparison is of two
                raise UsageError("a comparison needs two variants", "tick at least two under Variants")
            options += [*(("variant", name) for name in variants), ("baseline", self.baseline.value)]
        options += [("param", f"{name}={value}") for name, value in params.items()]
        if self.preset.value != "normal":
            options.append((self.preset.value, True))
        options += [("over", text) for text in over]
        if self.way.value == SEARCH:
            options.append(("trials", str(self.trials.value)))
            if self.minutes.value:
                options.append(("minutes", f"{self.minutes.value:g}"))
        return Command(self.way.value.lower(), self.topic.value, tuple(options))

    @property
    def _overs(self) -> list[Over]:
        overs = {SWEEP: self.swept, SEARCH: self.searched}.get(self.way.value, [])
        return [one for one in overs if one.name.value]

    def _read_over(self, scenario: Scenario, params: dict[str, str]) -> list[str]:
        if self.way.value == MEASURE:
            return []
        chosen = self._overs
        if not chosen:
            what = "values" if self.way.value == SWEEP else "bounds or values"
            raise UsageError(
                f"a {self.way.value.lower()} needs a parameter", f"choose one under Values to try, and type its {what}"
            )
        texts = [one.text for one in chosen]
        names = [one.name.value for one in chosen]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"{name} is chosen twice", "choose another parameter, or none")
            if name in params:
                raise UsageError(
                    f"{name} takes several values, and has one under Parameters", "set it back to its default there"
                )
        if self.way.value == SWEEP:
            read_axes(scenario, texts, {})
        else:
            read_space(scenario, texts)
        return texts

    def _ticked(self) -> list[str]:
        return [name for name, box in self.boxes.items() if box.value]

    def _new_topic(self) -> None:
        self._description = None
        self._quiet = True
        self.scenario.options = []
        self._quiet = False
        self.fields, self.boxes = [], {}
        self.swept, self.searched = [], []
        self.parameters.children, self.variants.children = (), ()
        self.about.value = "Reading the topic's description; the first time, the topic is built."
        self._show()
        if self.topic.value:
            self._describe(self.topic.value)

    def _new_scenario(self) -> None:
        scenario = self._chosen_scenario()
        if self._quiet or scenario is None:
            return
        better = f"{scenario.better} is better"
        self.about.value = f"one operation: {escape(scenario.operation)}; in {escape(scenario.unit)}, {better}"
        self.fields = [Field(one, self._show) for one in scenario.parameters]
        self.parameters.children = [one.widget for one in self.fields] or [widgets.HTML("This scenario has none.")]
        sweep, search = "1,2,4,8 or 64..4096 or 1..9:2", "1..64 or a,b,c"
        self.swept = [Over(scenario, label, sweep, self._show) for label in ("sweep", "and")]
        self.searched = [Over(scenario, label, search, self._show) for label in ("search", "and", "and")]
        self._fill_variants(scenario)
        self._show()

    def _fill_variants(self, scenario: Scenario) -> None:
        able = (
            [one for one in self._description.variants if scenario.name in one.scenarios] if self._description else []
        )
        self._quiet = True
        self.boxes = {one.name: _box(one) for one in able}
        before = next((one for one in able if one.role == "before"), able[0] if able else None)
        started = [*([before] if before else []), *(one for one in able if one is not before)]
        for one in started[:_MOST_ARMS_TO_START_WITH]:
            self.boxes[one.name].value = True
        for box in self.boxes.values():
            box.observe(lambda _: self._show(), "value")
        self.variants.children = list(self.boxes.values())
        self.candidate.options = [one.name for one in able]
        # What one tunes is one's own, or the lab's.
        own = next((one.name for one in able if one.role in {"yours", "lab"}), None)
        self.candidate.value = own or next((one.name for one in able), None)
        self._quiet = False

    def _show(self) -> None:
        """Bring what depends on other choices up to date."""
        if self._quiet:
            return
        self._quiet = True
        way = self.way.value
        self.way_help.value = f'<span class="perflab-meta">{escape(_ABOUT[way])}</span>'
        self._who.children = [self.candidate] if way == SEARCH else [self.variants, self.baseline]
        budget = [self.trials, self.minutes, self.minutes_help] if way == SEARCH else []
        overs = {SWEEP: self.swept, SEARCH: self.searched}.get(way, [])
        self.over.children = [*(one.widget for one in overs), *budget]
        self._over_card.layout.display = "none" if way == MEASURE else ""
        chosen = self._ticked()
        if tuple(self.baseline.options) != tuple(chosen):
            kept = self.baseline.value
            self.baseline.options = chosen
            self.baseline.value = kept if kept in chosen else next(iter(chosen), None)
        self.takes.value = f'<span class="perflab-meta">{escape(self._takes())}</span>'
        self._quiet = False
        self._changed()

    def _takes(self) -> str:
        """How long it takes at most, by the preset's budget; a build or a slow fork comes on top."""
        preset = PRESETS[self.preset.value]
        runs = self.trials.value + 4 if self.way.value == SEARCH else 1
        for one in self.swept if self.way.value == SWEEP else []:
            runs *= one.spell()
        text = f"{preset.min_rounds} to {preset.max_rounds} rounds, until ±{100 * preset.half_width:.3g} %"
        each = f"{runs} runs, together " if runs > 1 else ""
        return f"{text}; {each}about {markup.duration(runs * preset.budget_s)} at most"

    def _chosen_scenario(self) -> Scenario | None:
        scenarios = self._description.scenarios if self._description else []
        return next((one for one in scenarios if one.name == self.scenario.value), None)


def _box(variant: Variant) -> widgets.Checkbox:
    label = f"{variant.name} ({variant.role})"
    return widgets.Checkbox(value=False, description=label, indent=False, tooltip=variant.description)
