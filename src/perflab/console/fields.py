"""A field for each kind of parameter, and what is wrong with what stands in it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from perflab.components import check_parameters
from perflab.errors import UsageError
from perflab.search import read_space

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.protocol import Parameter, ParameterValue, Scenario


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
        bounds: Whether `LOW..HIGH` is a way to say it, as in a search.
        changed: Called after each change.
    """

    def __init__(self, scenario: Scenario, label: str, changed: Callable[[], None], *, bounds: bool) -> None:
        self._scenario = scenario
        self._bounds = bounds
        names = [one.name for one in scenario.parameters]
        self.name = widgets.Dropdown(options=[("none", ""), *((one, one) for one in names)], description=label)
        example = "as in 1..64 or a,b,c" if bounds else "as in 1,2,4,8"
        self.values = widgets.Text(placeholder=example, description="values", continuous_update=True)
        self.widget = widgets.VBox([self.name, self.values])
        for one in (self.name, self.values):
            one.observe(lambda _: changed(), "value")

    @property
    def chosen(self) -> dict[str, str]:
        """The parameter and what was typed; empty if none is chosen."""
        return {self.name.value: self.values.value.replace(" ", "")} if self.name.value else {}

    @property
    def count(self) -> int:
        """How many values are named; 1 if no parameter is chosen."""
        return len([one for one in self.values.value.split(",") if one.strip()]) if self.name.value else 1

    def problem(self) -> UsageError | None:
        """What is wrong with it, if anything is."""
        for name, values in self.chosen.items():
            if not values:
                example = f"{name}=LOW..HIGH, or {name}=a,b,c" if self._bounds else "values with commas, as in 1,2,4"
                return UsageError(f"{name} has no values yet", f"type {example}")
            try:
                self._check(name, values)
            except UsageError as error:
                return error
        return None

    def _check(self, name: str, values: str) -> None:
        if self._bounds:
            read_space(self._scenario, [f"{name}={values}"])
        else:
            for value in values.split(","):
                check_parameters(self._scenario, {name: value})


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
