"""The shapes of protocol version 1, exactly as `docs/protocol.md` describes them."""

from __future__ import annotations

from typing import Literal

import msgspec

PROTOCOL_VERSION = 1

Better = Literal["higher", "lower"]
Role = Literal["before", "after", "peer", "lab", "yours"]
ParameterValue = bool | int | float | str


class Runtime(msgspec.Struct, frozen=True):
    """What the bench program runs on."""

    name: str
    version: str
    flags: list[str] = []


class Parameter(msgspec.Struct, frozen=True):
    """A scenario's knob; `min` and `max` are inclusive and only for numbers."""

    name: str
    type: Literal["int", "float", "string", "bool"]
    default: ParameterValue
    min: float | None = None
    max: float | None = None
    choices: list[str] | None = None
    help: str = ""

    @property
    def allowed(self) -> str:
        """What one may give, as one types it: `1 to 1048576`, `0 up`, `linked, array`; empty if anything goes."""
        low, high = (None if bound is None else f"{bound:.15g}" for bound in (self.min, self.max))
        if low is not None:
            return f"{low} up" if high is None else f"{low} to {high}"
        return ", ".join(self.choices or []) if high is None else f"up to {high}"


class Metric(msgspec.Struct, frozen=True):
    """A named figure of a fork, computed from its samples by the expression `of`."""

    name: str
    of: str
    unit: str
    better: Better


class Scenario(msgspec.Struct, frozen=True):
    """What is measured: one operation, its headline metric, and its parameters."""

    name: str
    operation: str
    unit: str
    better: Better
    title: str = ""
    metric: str = ""
    metrics: list[Metric] = []
    parameters: list[Parameter] = []

    def settings(self, params: dict[str, ParameterValue]) -> dict[str, ParameterValue]:
        """All parameters, those that `params` does not name at their defaults."""
        return {one.name: one.default for one in self.parameters} | params

    @property
    def headline(self) -> Metric:
        """The metric that comparisons use unless another one is asked for."""
        of = self.metric or ("rate" if self.better == "higher" else "time")
        return Metric(name=self.name, of=of, unit=self.unit, better=self.better)


class Variant(msgspec.Struct, frozen=True):
    """One implementation of the component. `findings`: the statements of the contract that it is known to break."""

    name: str
    role: Role
    description: str = ""
    source: str = ""
    scenarios: list[str] = []
    findings: list[str] = []


class Description(msgspec.Struct, frozen=True):
    """The answer to `bench describe`."""

    protocol: int
    component: str
    runtime: Runtime
    scenarios: list[Scenario]
    variants: list[Variant]


class Start(msgspec.Struct, frozen=True, tag="start"):
    """First line of a run."""

    protocol: int
    component: str
    scenario: str
    variant: str
    params: dict[str, ParameterValue] = {}
    seed: int = 0
    runtime: Runtime | None = None


class Sample(msgspec.Struct, frozen=True, tag="sample"):
    """One measurement: `ops` operations in `ns` nanoseconds; percentiles in nanoseconds, counters as totals."""

    i: int
    ops: float
    ns: float
    percentiles: dict[str, float] = {}
    counters: dict[str, float] = {}


class Validation(msgspec.Struct, frozen=True):
    """The scenario's verdict on its own outcome, and what it looked at."""

    passed: bool
    checks: list[str] = []


class End(msgspec.Struct, frozen=True, tag="end"):
    """Last line of a run that went well."""

    samples: int
    ops: float
    ns: float
    validation: Validation


class Failure(msgspec.Struct, frozen=True, tag="error"):
    """Last line of a run that did not."""

    message: str
    kind: Literal["usage", "missing", "void", "validation", "internal"] = "internal"
    allowed: list[str] = []


Message = Start | Sample | End | Failure
