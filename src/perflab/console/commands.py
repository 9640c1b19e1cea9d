"""What the console does, as the command that does it: for a terminal, for a notebook, and for a process."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perflab.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
