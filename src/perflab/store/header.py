"""What a run says of itself: `run.json` when it starts, `end.json` when it ends."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import msgspec

from perflab.environment import Load, Machine, Revision
from perflab.protocol import ParameterValue, Role, Runtime, Scenario

RESULT_VERSION = 1
"""Version of the folder's layout; a reader refuses a newer one."""

HEADER_FILE = "run.json"
ENDING_FILE = "end.json"
SHAPE = ("warmup_ms", "sample_ms", "samples")
"""The options that decide how long a fork lasts."""

SAMPLES = "samples"
FORKS = "forks"


class Arm(msgspec.Struct, frozen=True):
    """What takes part in a run under a label of its own: for an A/A run, one variant does twice.

    `findings`: what its variant is known to break; `commit`: whose build it runs, where that is not the run's own;
    `params`: in what its forks differ from the run's parameters.
    """

    label: str
    variant: str
    role: Role
    findings: list[str] = []
    commit: str = ""
    params: dict[str, ParameterValue] = {}


class RunHeader(msgspec.Struct, frozen=True):
    """All that is known when a run starts. `created` is ISO 8601 in UTC.

    `options` is the preset that the run was made with; `planned`, where the shape of its forks was found by probing, is
    the preset as it was asked for.
    """

    id: str
    version: int
    created: str
    kind: str
    component: str
    scenario: Scenario
    arms: list[Arm]
    baseline: str
    params: dict[str, ParameterValue]
    preset: str
    seed: int
    options: dict[str, float]
    machine: Machine
    revision: Revision
    runtime: Runtime
    perflab: str
    plugin: str = ""
    planned: dict[str, float] = {}

    @property
    def settings(self) -> dict[str, ParameterValue]:
        """All parameters of the scenario, those that were left at their defaults too."""
        return self.scenario.settings(self.params)

    @property
    def shape(self) -> dict[str, float | None]:
        """How long its forks are: one that warms up for longer is faster, and no measure for one of another shape."""
        return {name: self.options.get(name) for name in SHAPE}


class Ending(msgspec.Struct, frozen=True):
    """How a run ended.

    `failures` says of each label that dropped out, why; those in `void` broke a scenario's rule, or what they are known
    to break. `reason` is `precision` (target met), `budget` (time), `rounds` (limit), `interrupted` or `failed`.
    """

    reason: str
    rounds: int
    wall_s: float
    load: Load
    failures: dict[str, str] = {}
    warnings: list[str] = []
    void: list[str] = []

    @property
    def complete(self) -> bool:
        """Whether the run went to an end of its own."""
        return self.reason in {"precision", "budget", "rounds"}


def new_run_id(component: str, scenario: str) -> str:
    """A name for a run's folder that sorts by time."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{now}-{component}-{scenario}-{secrets.token_hex(2)}"
