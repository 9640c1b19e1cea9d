"""The bench protocol, and the stream of `./lab COMMAND --stream` to a labkit or the console; see docs/protocol.md."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

import msgspec

from perflab.model.errors import BenchError, one_line
from perflab.model.files import UNREADABLE
from perflab.model.names import Id, Label

PROTOCOL_VERSION = 1

Better = Literal["higher", "lower"]
Role = Literal["before", "after", "peer", "lab", "yours"]
LARGEST_FIGURE = 1e30
"""Magnitude limit: with it, and its reciprocal as the smallest time, no square in a statistic overflows."""
Figure = Annotated[float, msgspec.Meta(ge=-LARGEST_FIGURE, le=LARGEST_FIGURE)]
Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Limited, since JSON integers may have 400 digits, too many for a float."""
LONGEST_TEXT = 4_000
"""Maximum length of a program's message in characters."""
ParameterValue = bool | Whole | float | str


class Runtime(msgspec.Struct, frozen=True):
    """The bench program's runtime; `flags` is limited to those that are recorded."""

    name: str
    version: str
    flags: list[str] = []

    def __post_init__(self) -> None:
        known = {"name": named(self.name), "version": named(self.version), "flags": recorded(self.flags)}
        for field, value in known.items():
            msgspec.structs.force_setattr(self, field, value)


class Parameter(msgspec.Struct, frozen=True):
    """A scenario's parameter; `min` and `max` are inclusive and only for numbers."""

    name: Id
    type: Literal["int", "float", "string", "bool"]
    default: ParameterValue
    min: float | None = None
    max: float | None = None
    choices: list[Label] | None = None
    help: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values for users: `1 to 1048576`, `0 up`, `linked, array`; empty if unrestricted."""
        low, high = (None if bound is None else f"{bound:.15g}" for bound in (self.min, self.max))
        if low is not None:
            return f"{low} up" if high is None else f"{low} to {high}"
        return ", ".join(self.choices or []) if high is None else f"up to {high}"


class Metric(msgspec.Struct, frozen=True):
    """A named figure of a fork, computed from its samples by the expression `of`."""

    name: Id
    of: str
    unit: str
    better: Better


class Scenario(msgspec.Struct, frozen=True):
    """A measured operation with its headline metric and its parameters."""

    name: Id
    operation: str
    unit: str
    better: Better
    title: str = ""
    metric: str = ""
    metrics: list[Metric] = []
    parameters: list[Parameter] = []

    def settings(self, params: dict[str, ParameterValue]) -> dict[str, ParameterValue]:
        """Return all parameters: `params`, and defaults for the rest."""
        return {one.name: one.default for one in self.parameters} | params

    @property
    def headline(self) -> Metric:
        """The default metric of comparisons."""
        of = self.metric or ("rate" if self.better == "higher" else "time")
        return Metric(name=self.name, of=of, unit=self.unit, better=self.better)

    @property
    def all_metrics(self) -> dict[str, Metric]:
        """All metrics by name, the headline first."""
        return {one.name: one for one in [self.headline, *self.metrics]}


class Variant(msgspec.Struct, frozen=True):
    """An implementation of the component. `findings`: statements of the contract that it is known to break."""

    name: Id
    role: Role
    description: str = ""
    source: str = ""
    scenarios: list[Id] = []
    findings: list[str] = []


class Description(msgspec.Struct, frozen=True):
    """The answer to `bench describe`.

    `timed_regions`: true if profilers can tell when samples begin and end, see docs/protocol.md.
    """

    protocol: int
    component: Id
    runtime: Runtime
    scenarios: list[Scenario]
    variants: list[Variant]
    timed_regions: bool = False


class Start(msgspec.Struct, frozen=True, tag="start"):
    """First line of a run."""

    protocol: int
    component: Id
    scenario: Id
    variant: Id
    params: dict[Id, ParameterValue] = {}
    seed: int = 0
    runtime: Runtime | None = None


Index = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
"""A sample's number, stored in 32 bits."""


class Sample(msgspec.Struct, frozen=True, tag="sample"):
    """One measurement: `ops` operations in `ns` nanoseconds; percentiles in nanoseconds, counters as totals."""

    i: Index
    ops: float
    ns: float
    percentiles: dict[Id, Figure] = {}
    counters: dict[Id, Figure] = {}


class Validation(msgspec.Struct, frozen=True):
    """The scenario's verdict on its own outcome, and what it checked."""

    passed: bool
    checks: list[str] = []


class End(msgspec.Struct, frozen=True, tag="end"):
    """Last line of a successful run."""

    samples: int
    ops: float
    ns: float
    validation: Validation


class Failure(msgspec.Struct, frozen=True, tag="error"):
    """Last line of a failed run."""

    message: str
    kind: Literal["usage", "missing", "void", "validation", "internal"] = "internal"
    allowed: list[str] = []


Message = Start | Sample | End | Failure


_SHOWN = 120

_message_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_description_decoder = msgspec.json.Decoder(Description)


def read_message(line: bytes) -> Message:
    """Read one line of `bench run`."""
    try:
        message = _message_decoder.decode(line)
    except UNREADABLE as error:
        raise BenchError(
            f"the bench program printed a line that is no protocol message: {_shown(line)} [{one_line(error)}]",
            "standard output is for the protocol only, logs go to standard error; see docs/protocol.md",
        ) from None
    if isinstance(message, Start):
        _check_version(message.protocol)
    if isinstance(message, Sample) and not all(
        1 / LARGEST_FIGURE <= one <= LARGEST_FIGURE for one in (message.ops, message.ns)
    ):
        raise BenchError(
            f"sample {message.i} has ops {message.ops:g} and ns {message.ns:g}; both must be above zero, and possible"
        )
    return message


def read_description(output: bytes) -> Description:
    """Read the answer to `bench describe`."""
    try:
        # Check the version first, so that a newer format is not reported as a missing key.
        version = msgspec.json.decode(output, type=_Version)
        _check_version(version.protocol)
        return _description_decoder.decode(output)
    except UNREADABLE as error:
        raise BenchError(
            f"`bench describe` did not print a description: {_shown(output)} [{one_line(error)}]",
            "see docs/protocol.md",
        ) from None


class _Version(msgspec.Struct):
    protocol: int


def _check_version(version: int) -> None:
    if version != PROTOCOL_VERSION:
        raise BenchError(
            f"the bench program speaks protocol version {version}, this lab version {PROTOCOL_VERSION}",
            "rebuild the component with this checkout's labkit",
        )


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    if not text:
        return "(nothing)"
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


class ProgressMessage(msgspec.Struct, frozen=True, tag="progress"):
    """Progress of the command, 0 to 1; `seconds_left` is None if unknown."""

    done: float
    text: str
    seconds_left: float | None = None


class Note(msgspec.Struct, frozen=True, tag="note"):
    """A permanent line of output."""

    text: str


class Shown(msgspec.Struct, frozen=True, tag="display"):
    """A MIME bundle."""

    data: dict[str, Any]
    metadata: dict[str, Any] = {}


class ResultMessage(msgspec.Struct, frozen=True, tag="result"):
    """The output of `--json`."""

    data: Any = None


class Problem(msgspec.Struct, frozen=True, tag="error"):
    """The command's error, and its exit status."""

    message: str
    hint: str = ""
    exit: int = 4


StreamMessage = ProgressMessage | Note | Shown | ResultMessage | Problem


def read_stream(line: str) -> StreamMessage:
    """Read one line of the stream.

    Returns:
        The message; any other line, such as a library's output, becomes a note.
    """
    try:
        # Not msgspec's decoder, which refuses lone surrogates, as in file names.
        message: StreamMessage = msgspec.convert(json.loads(line), StreamMessage)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return Note(line.rstrip())
    return message


_SIZE = r"\d+[kKmMgGtT]?"
_NUMBER = r"-?\d+(?:\.\d+)?[kKmMgGtT]?"
_MODULES = r"[\w.$]+(?:/[\w.$]+)?(?:=[\w.$,-]+|,[\w.$,]+)?"
# Settings of .NET's runtime (docs.microsoft.com, "runtime configuration options"; clrconfignames.h).
_DOTNET = (
    "TieredPGO|TieredCompilation|TC_\\w+|OSR_\\w+|ReadyToRun\\w*|JIT\\w+|OptimizationLevel|"
    "gc\\w+|GC\\w+|ThreadPool_\\w+|Thread_\\w+|HillClimbing_\\w+|SpinLimit\\w+|PROCESSOR_COUNT|"
    "Enable(?:HW|SSE|AVX|BMI|FMA|LZCNT|POPCNT|Arm64)\\w*|PerfMapEnabled|EnableWriteXorExecute|"
    "SYSTEM_GLOBALIZATION_INVARIANT|SYSTEM_CONCURRENCY_\\w+|SYSTEM_NET_SOCKETS_\\w+"
)
_KEPT = re.compile(
    "|".join(
        [
            # The JVM's.
            rf"-X(?:m[nsx]|ss){_SIZE}|-X(?:int|comp|mixed|batch|rs|noclassgc)|-X(?:share|verify):\w+",
            r"-Xlog:(?:disable|[\w+*=,]+(?::std(?:err|out))?)",
            rf"-XX:(?:[+-]\w+|\w+={_NUMBER})",
            r"-XX:(?:ShenandoahGC(?:Mode|Heuristics)|NativeMemoryTracking)=[a-z]{1,12}",
            rf"--add-(?:opens|exports|reads|modules)=(?:{_MODULES})|--enable-native-access=(?:{_MODULES})",
            r"--(?:illegal|illegal-native|sun-misc-unsafe-memory)-access=[a-z]{1,8}|--enable-preview|-d?e?s?a|-server",
            rf"-Djdk\.virtualThreadScheduler\.\w+={_NUMBER}",
            rf"-Djava\.util\.concurrent\.ForkJoinPool\.common\.\w+={_NUMBER}",
            # .NET's; numbers are hexadecimal.
            r"gc=(?:server|workstation)|latency=[A-Za-z]{1,24}",
            rf"(?:DOTNET|COMPlus)_(?:{_DOTNET})=(?:(?:0x)?[0-9A-Fa-f]{{1,16}}|true|false)",
            r"DOTNET_ROLL_FORWARD=(?:Disable|(?:Latest)?(?:Patch|Minor|Major))",
            # Rust's and C++'s.
            r"(?:profile|build)=[A-Za-z]{1,20}|(?:glibc|musl)(?: [\d.]{1,12})?|libc",
            r"-O(?:[0-3gsz]|fast)|-m(?:arch|cpu|tune)=[\w.+-]{1,30}|-flto(?:=\w{1,8})?",
            # Sizes of pools and heaps that other runtimes read from the environment.
            r"(?:TOKIO_WORKER_THREADS|RAYON_NUM_THREADS|OMP_NUM_THREADS|GOMAXPROCS|GOGC|PYTHON_GIL|PYTHONHASHSEED)=\d+",
        ]
    )
)
# A file that affects startup time, with its path within the program's folder.
_FILE = re.compile(r"(?P<name>-XX:(?:SharedArchiveFile|AOTCache)=)(?:/(?:.*/)?)?(?P<path>[\w.-]+(?:/[\w.-]+)*)")
_FOLDERS = re.compile(r"(?<![\w.])/(?:[^\s/]+/)+")
_LONGEST = 200
_MOST = 100


def recorded(flags: list[str]) -> list[str]:
    """Return the runtime's flags that are recorded, in order."""
    kept = []
    for flag in flags:
        if len(flag) <= _LONGEST:
            if _KEPT.fullmatch(flag):
                kept.append(flag)
            elif found := _FILE.fullmatch(flag):
                path = found["path"]
                kept.append(found["name"] + (path.rpartition("/")[2] if ".." in path else path))
    return kept[:_MOST]


def named(text: str) -> str:
    """Return a runtime's name or version, without the folder if it is a program's path."""
    return _FOLDERS.sub("", text[: _LONGEST * 10])[:_LONGEST]
