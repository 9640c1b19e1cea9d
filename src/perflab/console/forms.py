"""The form: what is to be measured, made from what the topic says of itself."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.components import find_components, is_built
from perflab.console import markup
from perflab.console.commands import Choice
from perflab.console.fields import Field, SearchedOver, SweptOver
from perflab.errors import UsageError
from perflab.runner import PRESETS
from perflab.sweeps import read_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.console.commands import Command
    from perflab.console.fields import Over
    from perflab.protocol import Description, Scenario, Variant

MEASURE, SWEEP, SEARCH = "Measure", "Sweep", "Search"
_PRESETS = ("quick", "normal", "rigorous")
_MOST_ARMS_TO_START_WITH = 3


def ways() -> list[str]:
    """What this lab has a command for."""
    return [way for way in (MEASURE, SWEEP, SEARCH) if find_spec(f"perflab.cli.{way.lower()}")]


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
        self.way = widgets.ToggleButtons(options=ways())
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
                _card("What", self.topic, self.scenario, self.about, self.way, self.way_help),
                _card("Who", self._who),
                _card("Over", self.over),
                _card("Parameters", self.parameters),
                _card("How precise", self.preset, self.takes),
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


def _card(title: str, *children: widgets.Widget) -> widgets.VBox:
    return widgets.VBox([widgets.HTML(f"<h2>{escape(title)}</h2>"), *children]).add_class("perflab-card")


def _box(variant: Variant) -> widgets.Checkbox:
    label = f"{variant.name} ({variant.role})"
    return widgets.Checkbox(value=False, description=label, indent=False, tooltip=variant.description)
