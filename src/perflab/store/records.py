"""Records on disk: what a run was made with and how it ended, profiles, and outcomes of tests."""

from __future__ import annotations

import math
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from perflab.host.git import Revision
from perflab.host.machine import Load, Machine, this_machine
from perflab.model.errors import AmbiguousError, UsageError
from perflab.model.files import (
    UNREADABLE,
    append_json_lines,
    read_json,
    read_json_lines,
    write_json,
)
from perflab.model.format import quantity
from perflab.model.names import LONGEST, Id, Label, OptionalId
from perflab.model.protocol import LONGEST_TEXT, Figure, ParameterValue, Role, Runtime, Scenario, Whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


RESULT_VERSION = 1
"""Version of the folder's layout; a reader refuses a newer one."""

HEADER_FILE = "run.json"
REPRODUCTION_FILE = "reproduction.json"
"""What was asked for, what came of it, and the `id` of the machine."""
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

    label: Label
    variant: Id
    role: Role
    findings: list[str] = []
    commit: OptionalId = ""
    params: dict[Id, ParameterValue] = {}


class RunHeader(msgspec.Struct, frozen=True):
    """All that is known when a run starts. `created` is ISO 8601 in UTC.

    `options` is the preset that the run was made with; `planned`, where the shape of its forks was found by probing, is
    the preset as it was asked for. `sequential` is the round of the first look, if the run could end as soon as its
    claims were decided: its intervals are then those of `perflab.stats.interval`. It is 0 if it could not.
    `reproduction`: whether one made it, so that claims rest on it.
    """

    id: Id
    version: Whole
    created: str
    kind: Id
    component: Id
    scenario: Scenario
    arms: list[Arm]
    baseline: Label
    params: dict[Id, ParameterValue]
    preset: Id
    seed: Whole
    options: dict[Id, Figure]
    machine: Machine
    revision: Revision
    runtime: Runtime
    perflab: str
    plugin: Label = ""
    planned: dict[Id, Figure] = {}
    sequential: Whole = 0
    reproduction: bool = False

    def __post_init__(self) -> None:
        labels = [arm.label for arm in self.arms]
        if self.baseline not in labels or len(set(labels)) < len(labels):
            raise ValueError("its baseline is none of its arms, or two of these have one label")

    @property
    def settings(self) -> dict[str, ParameterValue]:
        """All parameters of the scenario, those that were left at their defaults too."""
        return self.scenario.settings(self.params)

    @property
    def shape(self) -> dict[str, float | None]:
        """How long its forks are: one that warms up for longer is faster, and no measure for one of another shape."""
        return {name: self.options.get(name) for name in SHAPE}

    @property
    def shape_text(self) -> str:
        """The same as people read it; empty of whole commands, which last as long as they do."""
        warmup_ms, sample_ms, samples = (self.options.get(name) or 0 for name in SHAPE)
        return f"a process: {warmup_ms:g} ms of warm-up, {samples:g} x {sample_ms:g} ms" if sample_ms else ""


def moment(created: str) -> float:
    """When a record was made, in seconds since the epoch; NaN, neither before nor after any, if it does not say."""
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, ArithmeticError, OSError):
        return float("nan")


_CLOCK_S = 1.0
"""Records know seconds only."""


def made_since(created: str, since: float) -> bool:
    """Whether a record was made after `since` (seconds since the epoch), and not after now: it may name any time."""
    return since <= moment(created) <= datetime.now(UTC).timestamp() + _CLOCK_S


LONGEST_WARNING = 300


class Unsettled(msgspec.Struct, frozen=True):
    """A metric of a label that still changed within its processes: its means over their first and last samples."""

    label: Label
    metric: Id
    first: float
    last: float

    def told(self, unit: str) -> str:
        """As a note."""
        first, last = quantity(self.first, unit), quantity(self.last, unit)
        return f"{self.label}: {self.metric} goes from {first} to {last} within a process: its length matters"


class Ending(msgspec.Struct, frozen=True):
    """How a run ended.

    `failures` says of each label that dropped out, why; those in `void` broke a scenario's rule, or what they are known
    to break. `reason` is `precision` (target met), `decided` (as its claims are), `budget` (time), `rounds`
    (limit), `interrupted` or `failed`.
    """

    reason: str
    rounds: Whole
    wall_s: Figure
    load: Load
    failures: dict[Label, str] = {}
    warnings: list[str] = []
    void: list[Label] = []
    unsettled: list[Unsettled] = []

    def __post_init__(self) -> None:
        if not set(self.void) <= self.failures.keys():
            raise ValueError("what is void has no reason")

    @property
    def complete(self) -> bool:
        """Whether the run went to an end of its own."""
        return self.reason in {"precision", "decided", "budget", "rounds"}


def new_id(*parts: str) -> str:
    """An `Id` for a folder of results that sorts by time, as in `20260131-120000-mailbox-burst-3fa9`."""
    time, tail = datetime.now(UTC).strftime("%Y%m%d-%H%M%S"), secrets.token_hex(2)
    return f"{'-'.join([time, *parts])[: LONGEST - len(tail) - 1]}-{tail}"


PROFILE_FILE = "profile-record.json"
TESTS_FILE = "tests.jsonl"


Share = Annotated[float, msgspec.Meta(ge=0, le=1 + 1e-9)]
"""Of a sum, which may differ from one by what rounding leaves."""

MOST_NOTES = 100
"""Of a profile, the profiler's own words among them."""


class ProfileRecord(msgspec.Struct, frozen=True):
    """A variant's profile: where it stands, and each cause's share of it in each fork (0 to 1).

    `reproduction`: as of a run. `stackless`: why there are no stacks, and so no share that means something.
    """

    id: Id
    created: str
    component: Id
    scenario: Id
    variant: Id
    params: dict[Id, ParameterValue]
    mode: Literal["cpu", "wall", "lock", "alloc"]
    unit: Literal["ns", "bytes", "samples"]
    total: Figure
    ops: Figure
    shares: dict[str, Annotated[list[Share], msgspec.Meta(min_length=1)]]
    counters: dict[Label, Figure]
    notes: list[str]
    machine: Machine
    revision: Revision
    reproduction: bool = False
    stackless: str = ""


class TestRecord(msgspec.Struct, frozen=True):
    """That a test passed or did not, when, and on which machine, by its id; empty in records of earlier versions."""

    component: Id
    test: str
    passed: bool
    message: str
    created: str
    revision: Revision
    machine: str = ""


def profile_folder(record_id: str, results: Path) -> Path:
    """Return the folder of a profile's record and stacks."""
    return results / "profiles" / record_id


def write_profile(record: ProfileRecord, results: Path) -> None:
    """Keep a profile's record; its stacks are in the folder already."""
    write_json(profile_folder(record.id, results) / PROFILE_FILE, record)


def find_profiles(results: Path) -> list[ProfileRecord]:
    """All profiles, oldest first; those that cannot be read are passed over."""
    return read_json(sorted(results.glob(f"profiles/*/{PROFILE_FILE}")), ProfileRecord)


def write_tests(records: list[TestRecord], results: Path) -> None:
    """Append tests' outcomes."""
    told = [msgspec.structs.replace(one, message=one.message[:LONGEST_TEXT]) for one in records]
    append_json_lines(results / TESTS_FILE, told)


def find_tests(results: Path) -> list[TestRecord]:
    """The outcomes, oldest first; a line cut short is passed over."""
    return read_json_lines(results / TESTS_FILE, TestRecord)


class _Reproduced(msgspec.Struct, frozen=True):
    machine: str


def find_reproductions(results: Path, machine: str) -> list[Path]:
    """The folders of a machine's reproductions, oldest first; a results folder that was copied may hold others'."""
    found = []
    for path in sorted(results.glob(f"reproductions/*/{REPRODUCTION_FILE}")):
        with suppress(OSError, *UNREADABLE):
            if msgspec.json.decode(path.read_bytes(), type=_Reproduced).machine == machine:
                found.append(path.parent)
    return found


_SHOWN = 5


def meant_by(name: str, paths: Sequence[Path], kind: str, make: str, made: Callable[[Path], tuple[str, str]]) -> str:
    """The name that is meant.

    Args:
        name: A whole name, an unambiguous part of one, or `latest`: of this machine, if there is one of it, the one
            that was made last.
        paths: The records, each in a folder of its name; these sort by time.
        kind: What they are, as in `run`.
        make: The command that makes one.
        made: On which machine a record was made, and when; raises a UsageError if it cannot be read.
    """
    if not paths:
        raise UsageError(f"there are no {kind}s yet", f"make one with {make}")
    in_time = sorted(path.parent.name for path in paths)
    if name == "latest":
        return max((*_age(path, made), path.parent.name) for path in paths)[-1]
    fitting = [one for one in in_time if name in one]
    # Somebody else's may be called like a part of one's own.
    whole = [path for path in paths if path.parent.name == name]
    if whole and (len(fitting) == 1 or _age(whole[0], made)[0]):
        return name
    newest = f"the newest: {', '.join((fitting or in_time)[-_SHOWN:])}"
    if not fitting:
        raise UsageError(f"no {kind} {name!r}", newest)
    if len(fitting) > 1:
        raise AmbiguousError(f"more than one {kind} fits {name!r}", newest)
    return fitting[0]


def _age(path: Path, made: Callable[[Path], tuple[str, str]]) -> tuple[bool, float]:
    """Whether a record is this machine's, and when it was made; the oldest are what is unreadable, or yet to come."""
    with suppress(UsageError):
        machine, created = made(path)
        if made_since(created, -math.inf):
            return machine == this_machine().id, moment(created)
    return False, -math.inf
