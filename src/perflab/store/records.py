"""Records on disk: what a run was made with and how it ended, profiles, and outcomes of tests."""

from __future__ import annotations

import math
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
"""The request, its results, and the `id` of the machine."""
ENDING_FILE = "end.json"
SHAPE = ("warmup_ms", "sample_ms", "samples")
"""The options that decide how long a fork lasts."""

SAMPLES = "samples"
FORKS = "forks"


Way = Literal["apart", "parallel", "sliced"]
"""How the processes of a round run: one after the other, at once, or at once on one core."""


class Arm(msgspec.Struct, frozen=True):
    """A participant of a run with its own label: an A/A run has one variant twice.

    `findings`: the statements its variant is known to break; `commit`: the commit of its build, if not the run's;
    `params`: parameters that differ from the run's.
    """

    label: Label
    variant: Id
    role: Role
    findings: list[str] = []
    commit: OptionalId = ""
    params: dict[Id, ParameterValue] = {}


class RunHeader(msgspec.Struct, frozen=True):
    """Everything known when a run starts. `created` is ISO 8601 in UTC.

    `options` is the preset that was used; `planned` is the preset as requested, if the shape of the forks was found by
    probing. `sequential` is the round of the first look if the run may end once its claims are decided, else 0; its
    intervals are then those of `sequential_interval`. `pairs` is how the processes of a round ran if the question was
    which of them is faster; else empty, and they ran apart.
    `reproduction`: made by a reproduction, so that claims may use it.
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
    pairs: Literal["", Way] = ""

    def __post_init__(self) -> None:
        labels = [arm.label for arm in self.arms]
        if self.baseline not in labels or len(set(labels)) < len(labels):
            raise ValueError("its baseline is none of its arms, or two of these have one label")

    @property
    def settings(self) -> dict[str, ParameterValue]:
        """All parameters of the scenario, including defaults."""
        return self.scenario.settings(self.params)

    @property
    def pairs_text(self) -> str:
        """How the processes of a round ran, for people; empty if one after the other."""
        told = {"sliced": "CPU time, each round at once on one core", "parallel": "each round at once"}
        return told.get(self.pairs, "")

    @property
    def shape(self) -> dict[str, float | None]:
        """The length of its forks: those with a longer warm-up are faster, so different shapes are not comparable."""
        return {name: self.options.get(name) for name in SHAPE}

    @property
    def shape_text(self) -> str:
        """The shape formatted for people; empty for whole commands, whose length is not chosen."""
        warmup_ms, sample_ms, samples = (self.options.get(name) or 0 for name in SHAPE)
        return f"a process: {warmup_ms:g} ms of warm-up, {samples:g} x {sample_ms:g} ms" if sample_ms else ""


def moment(created: str) -> float:
    """Return a record's time in seconds since the epoch; NaN if it has none."""
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, ArithmeticError, OSError):
        return float("nan")


_CLOCK_S = 1.0
"""Resolution of the records' times."""


def made_since(created: str, since: float) -> bool:
    """Check that a record's time is between `since` (seconds since the epoch) and now."""
    return since <= moment(created) <= datetime.now(UTC).timestamp() + _CLOCK_S


LONGEST_WARNING = 300


class Unsettled(msgspec.Struct, frozen=True):
    """A metric that still changed within a label's processes: its means over their first and last samples."""

    label: Label
    metric: Id
    first: float
    last: float

    def note(self, unit: str) -> str:
        """Return the note for readers."""
        first, last = quantity(self.first, unit), quantity(self.last, unit)
        return f"{self.label}: {self.metric} goes from {first} to {last} within a process: its length matters"


class Ending(msgspec.Struct, frozen=True):
    """The ending of a run.

    `failures` has the reason for each label that dropped out; those in `void` broke a scenario's rule, or a statement
    that they are known to break. `reason` is `precision` (target met), `decided` (claims are decided), `exact` (counts
    repeat), `budget` (time), `rounds` (limit), `interrupted` or `failed`. `warnings` are of other work on the machine,
    `notes` of what ran.
    """

    reason: str
    rounds: Whole
    wall_s: Figure
    load: Load
    failures: dict[Label, str] = {}
    warnings: list[str] = []
    void: list[Label] = []
    unsettled: list[Unsettled] = []
    notes: list[str] = []

    def __post_init__(self) -> None:
        if not set(self.void) <= self.failures.keys():
            raise ValueError("what is void has no reason")

    @property
    def complete(self) -> bool:
        """True if the run was neither interrupted nor failed."""
        return self.reason in {"precision", "decided", "budget", "rounds", "exact"}


def new_id(*parts: str) -> str:
    """Return an `Id` for a results folder that sorts by time, such as `20260131-120000-mailbox-burst-3fa9`."""
    now = datetime.now(UTC)
    time, tail = now.strftime("%Y%m%d-%H%M%S"), f"{now.microsecond >> 4:04x}"
    return f"{'-'.join([time, *parts])[: LONGEST - len(tail) - 1]}-{tail}"


PROFILE_FILE = "profile-record.json"
TESTS_FILE = "tests.jsonl"


Share = Annotated[float, msgspec.Meta(ge=0, le=1 + 1e-9)]
"""A share from 0 to 1, with a tolerance for rounding."""

MOST_NOTES = 100
"""Maximum number of a profile's notes, including the profiler's messages."""


class ProfileRecord(msgspec.Struct, frozen=True):
    """A variant's profile, with each cause's share in each fork (0 to 1).

    `reproduction`: as for a run. `stackless`: the reason for missing stacks, without which shares are meaningless.
    """

    id: Id
    created: str
    component: Id
    scenario: Id
    variant: Id
    params: dict[Id, ParameterValue]
    mode: Literal["cpu", "wall", "lock", "alloc", "counts"]
    unit: Literal["ns", "bytes", "samples", "instructions"]
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
    """The outcome of a test; `machine` is an id, empty in records of earlier versions."""

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
    """Write a profile's record beside its stacks."""
    write_json(profile_folder(record.id, results) / PROFILE_FILE, record)


def find_profiles(results: Path) -> list[ProfileRecord]:
    """Return all profiles, oldest first; skip unreadable ones."""
    return read_json(sorted(results.glob(f"profiles/*/{PROFILE_FILE}")), ProfileRecord)


def write_tests(records: list[TestRecord], results: Path) -> None:
    """Append test outcomes."""
    shortened = [msgspec.structs.replace(one, message=one.message[:LONGEST_TEXT]) for one in records]
    append_json_lines(results / TESTS_FILE, shortened)


def find_tests(results: Path) -> list[TestRecord]:
    """Return the test outcomes, oldest first; skip truncated lines."""
    return read_json_lines(results / TESTS_FILE, TestRecord)


class _Reproduced(msgspec.Struct, frozen=True):
    machine: str


def find_reproductions(results: Path, machine: str) -> list[Path]:
    """Return the folders of a machine's reproductions, oldest first; copied results may include other machines'."""
    found = []
    for path in sorted(results.glob(f"reproductions/*/{REPRODUCTION_FILE}")):
        with suppress(OSError, *UNREADABLE):
            if msgspec.json.decode(path.read_bytes(), type=_Reproduced).machine == machine:
                found.append(path.parent)
    return found


_SHOWN = 5


def resolve_name(
    name: str, paths: Sequence[Path], kind: str, make: str, made: Callable[[Path], tuple[str, str]]
) -> str:
    """Resolve a record's name.

    Args:
        name: A name, an unambiguous part of one, or `latest`: the newest record, preferably of this machine.
        paths: The records, each in a folder of its name, sorted by time.
        kind: The noun for messages, such as `run`.
        make: The command that makes one.
        made: Return a record's machine and time; raise a UsageError if it cannot be read.
    """
    if not paths:
        raise UsageError(f"there are no {kind}s yet", f"make one with {make}")
    in_time = sorted(path.parent.name for path in paths)
    if name == "latest":
        return max((*_age(path, made), path.parent.name) for path in paths)[-1]
    fitting = [one for one in in_time if name in one]
    # Another machine's record may have a name that is part of a local one.
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
    """Return a sort key: local records last, then by time; unreadable and future ones come first."""
    with suppress(UsageError):
        machine, created = made(path)
        if made_since(created, -math.inf):
            return machine == this_machine().id, moment(created)
    return False, -math.inf
