"""The form: what is to be measured, made from what the topic says of itself."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.components.build import is_built
from perflab.components.catalogue import check_parameters, find_components
from perflab.model.errors import UsageError
from perflab.model.paths import ROOT
from perflab.run.presets import PRESETS
from perflab.run.search_space import read_space
from perflab.run.sweep import read_axes
from perflab.ui.console import markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
        return [self.name, self.topic, *_flat(self.options)]

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
        return [os.environ.get(LAUNCHER_VARIABLE) or str(ROOT / "lab"), *self.words, "--stream"]


@dataclass(frozen=True)
class Choice:
    """What is chosen in the form; parameters are texts, and only those that differ from their defaults.

    Attributes:
        preset: `quick`, `normal` or `rigorous`.
        over: For a sweep or a search: each parameter's values or bounds, as typed.
        trials: For a search: at most so many.
        minutes: For a search: at most so long.
    """

    topic: str
    scenario: str
    variants: tuple[str, ...] = ()
    baseline: str = ""
    params: dict[str, str] = field(default_factory=dict)
    preset: str = "normal"
    over: dict[str, str] = field(default_factory=dict)
    trials: int | None = None
    minutes: float | None = None

    def measure(self) -> Command:
        """Variants against each other."""
        return Command("measure", self.topic, tuple(self._common()))

    def sweep(self) -> Command:
        """Variants against each other, over values of one parameter or two."""
        return Command("sweep", self.topic, (*self._common(), *self._over()))

    def search(self) -> Command:
        """One variant's best setting."""
        budget: list[tuple[str, str | bool]] = []
        if self.trials is not None:
            budget.append(("trials", str(self.trials)))
        if self.minutes is not None:
            budget.append(("minutes", f"{self.minutes:g}"))
        return Command("search", self.topic, (*self._common(), *self._over(), *budget))

    def _common(self) -> Iterable[tuple[str, str | bool]]:
        yield "scenario", self.scenario
        for name in self.variants:
            yield "variant", name
        if self.baseline:
            yield "baseline", self.baseline
        for name, value in self.params.items():
            yield "param", f"{name}={value}"
        if self.preset != "normal":
            yield self.preset, True

    def _over(self) -> Iterable[tuple[str, str | bool]]:
        for name, values in self.over.items():
            yield "over", f"{name}={values}"


def _flat(options: Iterable[tuple[str, str | bool]]) -> list[str]:
    return [word for name, value in options for word in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]


def _arguments(options: Sequence[tuple[str, str | bool]]) -> Iterable[tuple[str, str]]:
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


_MOST_SPELLED = 8


class Field:
    """A parameter of the scenario, at its default until somebody changes it.

    Numbers can be typed freely, and what is wrong is said: a field that corrects what it is given measures what nobody
    asked for.
    """

    def __init__(self, scenario: Scenario, parameter: Parameter, changed: Callable[[], None]) -> None:
        self._scenario = scenario
        self.parameter = parameter
        self.input = _input(parameter)
        allowed = f"{parameter.allowed}; " if parameter.allowed else ""
        text = f"{escape(parameter.help)} ({escape(allowed)}default {escape(_text(parameter.default))})"
        self.help = widgets.HTML(text).add_class("perflab-help")
        self.widget = widgets.VBox([self.input, self.help])
        self.input.observe(lambda _: changed(), "value")

    @property
    def text(self) -> str:
        """The value, as one types it."""
        return _text(self.input.value)

    @property
    def changed(self) -> bool:
        """Whether it differs from its default."""
        return self.text != _text(self.parameter.default)

    def problem(self) -> UsageError | None:
        """What is wrong with it, if anything is."""
        try:
            check_parameters(self._scenario, {self.parameter.name: self.text})
        except UsageError as error:
            return error
        return None


class Over:
    """A parameter that takes several values: those of a sweep, or where to search.

    Args:
        scenario: Whose parameters there are to choose from.
        label: Of the choice.
        read: Reads `NAME=VALUES`, or says what is wrong with it.
        example: How values are typed.
        changed: Called after each change.
    """

    def __init__(
        self,
        scenario: Scenario,
        label: str,
        read: Callable[[str], object],
        example: str,
        changed: Callable[[], None],
    ) -> None:
        self._read = read
        self._example = example
        names = [one.name for one in scenario.parameters]
        self.name = widgets.Dropdown(options=[("none", ""), *((one, one) for one in names)], description=label)
        self.values = widgets.Text(placeholder=f"as in {example}", description="values", continuous_update=True)
        self.widget = widgets.VBox([self.name, self.values])
        for one in (self.name, self.values):
            one.observe(lambda _: changed(), "value")

    @property
    def chosen(self) -> dict[str, str]:
        """The parameter and what was typed; empty if none is chosen."""
        return {self.name.value: self.values.value.replace(" ", "")} if self.name.value else {}

    def problem(self) -> UsageError | None:
        """What is wrong with it, if anything is."""
        for name, values in self.chosen.items():
            if not values:
                return UsageError(f"{name} has no values yet", f"type them, as in {self._example}")
            try:
                self._read(f"{name}={values}")
            except UsageError as error:
                return error
        return None


class SweptOver(Over):
    """A parameter of a sweep; which values a range stands for is shown."""

    def __init__(self, scenario: Scenario, label: str, changed: Callable[[], None]) -> None:
        super().__init__(
            scenario, label, lambda text: read_axes(scenario, [text], {}), "1,2,4,8 or 64..4096 or 1..9:2", changed
        )
        self._scenario = scenario
        self.spelled = widgets.HTML().add_class("perflab-help")
        self.widget.children = (*self.widget.children, self.spelled)
        for one in (self.name, self.values):
            one.observe(lambda _: self._spell(), "value")

    @property
    def count(self) -> int:
        """At how many values it is measured; 1 if no parameter is chosen, or its values cannot be read."""
        return len(self._swept()) or 1

    def _swept(self) -> list[str]:
        try:
            axes = read_axes(self._scenario, [f"{name}={values}" for name, values in self.chosen.items()], {})
        except UsageError:
            return []
        return [_text(value) for value in axes[0].values]

    def _spell(self) -> None:
        values = self._swept()
        few = values if len(values) <= _MOST_SPELLED else [*values[: _MOST_SPELLED - 2], "…", values[-1]]
        self.spelled.value = escape(f"{len(values)} values: {', '.join(few)}") if values else ""


class SearchedOver(Over):
    """A parameter of a search: its bounds, or what there is to choose from."""

    def __init__(self, scenario: Scenario, label: str, changed: Callable[[], None]) -> None:
        super().__init__(scenario, label, lambda text: read_space(scenario, [text]), "1..64 or a,b,c", changed)


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


WAYS = MEASURE, SWEEP, SEARCH = "Measure", "Sweep", "Search"
_PRESETS = ("quick", "normal", "rigorous")
_MOST_ARMS_TO_START_WITH = 3


class Form:
    """All there is to choose.

    Args:
        describe: Called with a topic whose description is needed; `fill` takes it when it comes.
        changed: Called after each change.
    """

    def __init__(self, describe: Callable[[str], None], changed: Callable[[], None]) -> None:
        self._describe = describe
        self._changed = changed
        self._quiet = False
        self._description: Description | None = None
        self.fields: list[Field] = []
        self.boxes: dict[str, widgets.Checkbox] = {}
        self.swept: list[SweptOver] = []
        self.searched: list[SearchedOver] = []
        topics = find_components()
        titles = [(f"{one.name}: {one.manifest.title}", one.name) for one in topics]
        # To open a page is not to ask for a build.
        first = next((one.name for one in topics if is_built(one)), topics[0].name if topics else None)
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
        self.minutes_help = widgets.HTML("at most; 0 is no limit. Whichever comes first.").add_class("perflab-help")
        self.preset = widgets.ToggleButtons(options=_PRESETS, value="quick")
        self.takes = widgets.HTML()
        self._who = widgets.VBox([])
        self.widget = widgets.VBox(
            [
                markup.card("What", self.topic, self.scenario, self.about, self.way, self.way_help),
                markup.card("Who", self._who),
                markup.card("Over", self.over),
                markup.card("Parameters", self.parameters),
                markup.card("How precise", self.preset, self.takes),
            ]
        )
        self._who_card, self._over_card = self.widget.children[1], self.widget.children[2]
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
            raise UsageError("the topic has not said yet what there is to choose", "wait for it, or choose another one")
        problems = [*(one.problem() for one in self.fields), *(one.problem() for one in self._overs)]
        if error := next(filter(None, problems), None):
            raise error
        over = self._over()
        params = {one.parameter.name: one.text for one in self.fields if one.changed}
        if both := [name for name in over if name in params]:
            raise UsageError(
                f"{both[0]} takes several values, and has one under Parameters", "set it back to its default there"
            )
        common = {"topic": self.topic.value, "scenario": scenario.name, "params": params, "preset": self.preset.value}
        if self.way.value == SEARCH:
            return self._search(Choice(**common, variants=(self.candidate.value,), over=over))
        variants = tuple(name for name, box in self.boxes.items() if box.value)
        if len(variants) < 2:  # noqa: PLR2004 - a comparison is of two
            raise UsageError("a comparison needs two variants", "tick at least two under Who")
        choice = Choice(**common, variants=variants, baseline=self.baseline.value or "", over=over)
        if self.way.value == MEASURE:
            return choice.measure()
        if not over:
            raise UsageError("a sweep needs a parameter", "choose one under Over, and type its values")
        # Two that are fine by themselves can be too many together.
        read_axes(scenario, [f"{name}={values}" for name, values in over.items()], {})
        return choice.sweep()

    def _search(self, choice: Choice) -> Command:
        if not choice.over:
            raise UsageError("a search needs a parameter", "choose one under Over, and type its bounds or values")
        minutes = self.minutes.value or None
        return replace(choice, trials=self.trials.value, minutes=minutes).search()

    @property
    def _overs(self) -> Sequence[Over]:
        overs: dict[str, Sequence[Over]] = {SWEEP: self.swept, SEARCH: self.searched}
        return overs.get(self.way.value, [])

    def _over(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in self._overs:
            for name, values in one.chosen.items():
                if name in found:
                    raise UsageError(f"{name} is chosen twice", "choose another parameter, or none")
                found[name] = values
        return found

    def _new_topic(self) -> None:
        self._description = None
        self._quiet = True
        self.scenario.options = []
        self._quiet = False
        self.fields, self.boxes = [], {}
        self.swept, self.searched = [], []
        self.parameters.children, self.variants.children = (), ()
        self.about.value = "asking what there is to choose; the first time it is built"
        self._show()
        if self.topic.value:
            self._describe(self.topic.value)

    def _new_scenario(self) -> None:
        scenario = self._chosen_scenario()
        if self._quiet or scenario is None:
            return
        better = f"{scenario.better} is better"
        self.about.value = f"one operation: {escape(scenario.operation)}; in {escape(scenario.unit)}, {better}"
        self.fields = [Field(scenario, one, self._show) for one in scenario.parameters]
        self.parameters.children = [one.widget for one in self.fields] or [widgets.HTML("This scenario has none.")]
        self.swept = [SweptOver(scenario, label, self._show) for label in ("sweep", "and")]
        self.searched = [SearchedOver(scenario, label, self._show) for label in ("search", "and", "and")]
        self._fill_variants(scenario)
        self._show()

    def _fill_variants(self, scenario: Scenario) -> None:
        able = self._able(scenario)
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
        self.over.children = [*(one.widget for one in self._overs), *budget]
        self._over_card.layout.display = "none" if way == MEASURE else ""
        chosen = [name for name, box in self.boxes.items() if box.value]
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
        runs = 1
        if self.way.value == SWEEP:
            for one in self.swept:
                runs *= one.count
        elif self.way.value == SEARCH:
            runs = self.trials.value + 4
        text = f"{preset.min_rounds} to {preset.max_rounds} rounds, until ±{100 * preset.half_width:.3g} %"
        each = f"{runs} runs, together " if runs > 1 else ""
        return f"{text}; {each}about {markup.duration(runs * preset.budget_s)} at most"

    def _chosen_scenario(self) -> Scenario | None:
        if self._description is None:
            return None
        return next((one for one in self._description.scenarios if one.name == self.scenario.value), None)

    def _able(self, scenario: Scenario) -> list[Variant]:
        found = self._description.variants if self._description else []
        return [one for one in found if scenario.name in one.scenarios]


_ABOUT = {
    MEASURE: "Variants against each other, at one setting.",
    SWEEP: "Variants against each other, over values of one parameter or two.",
    SEARCH: "The best setting of one variant, within a budget; the best few are measured again.",
}


def _box(variant: Variant) -> widgets.Checkbox:
    label = f"{variant.name} ({variant.role})"
    return widgets.Checkbox(value=False, description=label, indent=False, tooltip=variant.description)
