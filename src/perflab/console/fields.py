"""A field for each kind of parameter, and what is wrong with what stands in it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.components import check_parameters
from perflab.errors import UsageError
from perflab.search import read_space
from perflab.sweeps import read_axes

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.protocol import Parameter, ParameterValue, Scenario

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
