"""Measure benchmarks of other harnesses, or whole commands, as variants of a topic."""

from __future__ import annotations

import os
import re
import shutil
import signal
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from perflab.bench.command import Commands, Pattern
from perflab.bench.interface import MOST_OUTPUT, Ended, choose, find_harness, reason
from perflab.host.spawner import Spawner
from perflab.measure.around import Around, Steps, around_each, filled
from perflab.measure.fork import Fork, run_fork, signal_name
from perflab.model.errors import BenchError, LabError, MissingError, UsageError, one_line
from perflab.model.files import UNREADABLE, atomic, copy_of, remove
from perflab.model.lab import CHECKOUT, user_cache
from perflab.model.names import LONGEST, is_id, is_label, is_unicode
from perflab.model.protocol import LONGEST_TEXT, PROTOCOL_VERSION, Description, Parameter, Runtime, Variant
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perflab.bench.interface import Harness
    from perflab.measure.presets import Preset
    from perflab.model.progress import Progress
    from perflab.model.project import SavedBench
    from perflab.model.protocol import ParameterValue, Sample


COMMAND = "command"
"""The name of the harness of whole commands."""
BENCHMARK = "benchmark"
"""The arm parameter that names the benchmark."""

_REVISION = re.compile(r"(?<= @ )\S*/revisions/([0-9a-f]{7})[0-9a-f]{33}/?")
"""Path of a revision's work tree, shortened to `Get @ 1a2b3c4:cache` in labels."""
_OF_COMMANDS = ("ignore_failure", "shell", "names", *(one.name for one in fields(Around)))
_STATUSES = range(1, 256)
_COMMANDING = Lock()
"""The current folder and the variables are the whole process's."""
_LONGEST_LABEL = 60
_LAST_BYTES = 4_000


@dataclass(frozen=True)
class PreparedBench:
    """A prepared harness, which a plan runs in place of a bench program.

    Attributes:
        harness: The adapter.
        runs: Prepared target and benchmark, by variant.
        known: All benchmarks, by prepared target.
        defaults: Default values of the parameters in benchmark names.
        folder: Working directory of the processes.
        spawner: Starts the processes.
        arms: The variants, labelled as typed.
        scratch: Folder of the prepared targets.
        notes: On how the processes run.
        around: What runs around commands, by variant.
        steps: Runs it.
        environment: Variables of its processes, besides the user's.
    """

    harness: Harness
    runs: Mapping[str, tuple[str, str]]
    folder: Path
    spawner: Spawner
    arms: Sequence[Arm] = ()
    scratch: TemporaryDirectory[str] | None = None
    known: Mapping[str, Sequence[str]] = field(default_factory=dict)
    defaults: Mapping[str, ParameterValue] = field(default_factory=dict)
    notes: Sequence[str] = ()
    around: Mapping[str, Around] = field(default_factory=dict)
    steps: Steps = field(default_factory=lambda: Steps(str.split, Path(), {}))
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def targets(self) -> list[str]:
        """The prepared targets, without duplicates."""
        return list(dict.fromkeys(target for target, _ in self.runs.values()))

    def benchmark(self, arm: Arm) -> str:
        """Return the benchmark of an arm at its parameters, or raise if its target has none of that name."""
        target, text = self.runs[arm.variant]
        if not self.defaults:
            return text
        name = filled(text, self.values(arm))
        return name if self.harness.whole else choose(name, self.known[target], target, self.harness.left_out)

    @contextmanager
    def as_there(self) -> Iterator[None]:
        """Be in its folder, with its variables, one thread at a time: what an adapter returns may depend on both."""
        with _COMMANDING, chdir(self.folder):
            usual = {name: os.environ.get(name) for name in self.environment}
            os.environ.update(self.environment)
            try:
                yield
            finally:
                for name, value in usual.items():
                    os.environ.pop(name)
                    if value is not None:
                        os.environ[name] = value

    def values(self, arm: Arm) -> dict[str, ParameterValue]:
        """Return the values of all parameters in an arm."""
        return {name: arm.params.get(name, default) for name, default in self.defaults.items()}

    def fork(
        self,
        arm: Arm,
        preset: Preset,
        on_sample: Callable[[Sample], None] = lambda _: None,
        fork: Fork | None = None,
        *,
        added: Mapping[str, str] = MappingProxyType({}),
        changed: Callable[[list[str]], list[str]] = list,
        on_start: Callable[[int], None] = lambda _: None,
        on_output: Callable[[], None] = lambda: None,
        spawner: Spawner | None = None,
    ) -> Fork:
        """Run an arm's fork with `run_fork`, with `added` environment variables and its command `changed`.

        Several threads may do so at once, each with a `spawner` of its own, if nothing runs around the commands.
        """
        target, benchmark = self.runs[arm.variant][0], self.benchmark(arm)
        around = self.around.get(arm.variant, Around()).at(self.values(arm))
        return self._run(
            lambda: changed(self.harness.command(target, benchmark, preset)),
            lambda ended: self.harness.samples(ended, benchmark, preset),
            around,
            preset,
            on_sample=on_sample,
            on_output=on_output,
            environment=added,
            fork=fork,
            on_start=on_start,
            spawner=spawner,
        )

    def fork_together(self, arms: Sequence[Arm], preset: Preset) -> tuple[dict[str, list[Sample]], Fork]:
        """Run benchmarks of one target in one process, and return the samples of each by label.

        One that fails has none. Only for a harness that is `together`.
        """
        names = {self.benchmark(arm): arm.label for arm in arms}
        target = self.runs[arms[0].variant][0]
        found: dict[str, list[Sample]] = {}

        def samples(ended: Ended) -> list[Sample]:
            found.update(self.harness.samples_of_each(ended, preset))
            return [one for each in found.values() for one in each]

        timeouts = msgspec.structs.replace(preset, fork_timeout_s=preset.fork_timeout_s * len(arms))
        fork = self._run(lambda: self.harness.command_of_all(target, list(names), preset), samples, Around(), timeouts)
        return {label: found[name] for name, label in names.items() if found.get(name)}, fork

    def _run(
        self,
        command: Callable[[], list[str]],
        parsed: Callable[[Ended], list[Sample]],
        around: Around,
        preset: Preset,
        *,
        on_sample: Callable[[Sample], None] = lambda _: None,
        on_output: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] = MappingProxyType({}),
        fork: Fork | None = None,
        on_start: Callable[[int], None] = lambda _: None,
        spawner: Spawner | None = None,
    ) -> Fork:
        def samples(ended: Ended) -> list[Sample]:
            with parsing_output(self.harness):
                return parsed(ended)

        try:
            with scratch() as own, self.steps.around(around) as streams:
                result_file = Path(own, "result")
                # The command's paths are relative to the folder, and the adapter is told its result file right before.
                with parsing_output(self.harness), self.as_there():
                    self.harness.result_file = result_file
                    words = command()
                return run_fork(
                    words,
                    cwd=self.folder,
                    environment={**user_environment(), **self.environment, **environment},
                    timeout_s=preset.fork_timeout_s,
                    fork=fork,
                    on_start=on_start,
                    reader=lambda fork: _Reader(
                        self.harness, samples, on_sample, fork, on_output, result_file=result_file
                    ),
                    spawner=spawner or self.spawner,
                    streams=streams,
                )
        except MissingError as error:
            raise MissingError(error.message, "check its name, and the folder you are in") from None


@contextmanager
def parsing_output(harness: Harness) -> Iterator[None]:
    """Turn any exception of an adapter's parser into a BenchError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, *UNREADABLE) as error:
        what = f"{type(error).__name__}: {one_line(error)}"
        raise BenchError(f"cannot parse the output as that of {harness.about}: {what}", "run it by hand") from None


class _Reader:
    """Collects a harness's output and parses its samples at the end."""

    def __init__(
        self,
        harness: Harness,
        samples: Callable[[Ended], list[Sample]],
        on_sample: Callable[[Sample], None],
        fork: Fork,
        on_output: Callable[[], None],
        *,
        result_file: Path,
    ) -> None:
        self._on_output, self._result_file = on_output, result_file
        self._harness, self._samples, self._on_sample, self._fork = harness, samples, on_sample, fork
        self._output, self._last = bytearray(), b""

    def feed(self, stream: str, data: bytes) -> None:
        if stream == "stderr":
            self._last = (self._last + data)[-_LAST_BYTES:]
            return
        self._on_output()
        if self._harness.reads_output:
            self._output += data
            if len(self._output) > MOST_OUTPUT:
                raise BenchError(
                    f"the process printed more than {MOST_OUTPUT >> 20} MiB", "make it print only its results"
                )

    def check(self, status: int) -> None:
        if status == -signal.SIGPROF:
            raise BenchError("the program called exec, and cannot be profiled across it", "profile the new program")
        if status < 0:
            raise BenchError(f"the process was ended by {signal_name(-status)}", self._said())
        if status and status not in self._harness.ignored:
            raise BenchError(f"the process ended with status {status}", self._said())
        try:
            samples = self._samples(Ended(bytes(self._output), self._fork.wall_s, self._fork.usage, self._result()))
        except BenchError as error:
            told = error.hint and (self._output.strip() or not self._reason())
            raise BenchError(error.message, error.hint if told else self._said()) from None
        if not samples:
            raise BenchError("the process gave no samples", self._said())
        # What one sample lacks, or has as NaN, has no total.
        common = set.intersection(*({*one.counters} for one in samples))
        for each in samples:
            one = msgspec.structs.replace(each, counters={n: v for n, v in each.counters.items() if n in common})
            self._fork.samples.append(one)
            self._on_sample(one)

    def _result(self) -> bytes:
        try:
            with self._result_file.open("rb") as file:
                result = file.read(MOST_OUTPUT + 1)
        except OSError:
            return b""
        if len(result) > MOST_OUTPUT:
            raise BenchError(f"the process wrote more than {MOST_OUTPUT >> 20} MiB of results")
        return result

    def _reason(self) -> str:
        return reason(re.sub(self._harness.log_noise.encode(), b"", self._last, flags=re.MULTILINE))

    def _said(self) -> str:
        said = self._reason() or reason(bytes(self._output[-_LAST_BYTES:]))
        if said:
            return f"log: {said}"
        return "run it by hand; --ignore-failure counts such runs, too" if self._harness.whole else "run it by hand"


def user_environment() -> dict[str, str]:
    """Return the user's environment without the PYTHONPATH entry of this checkout's launcher."""
    environment = dict(os.environ)
    own = str(CHECKOUT / "src")
    kept = [one for one in environment.pop("PYTHONPATH", "").split(os.pathsep) if one and one != own]
    return {**environment, "PYTHONPATH": os.pathsep.join(kept)} if kept else environment


class _ParsedBench(NamedTuple):
    """A bench with its harness loaded and its arguments parsed."""

    harness: Harness
    name: str
    targets: Sequence[str]
    benchmarks: Sequence[str]
    parameters: Sequence[Parameter] = ()
    names: Sequence[str] = ()
    around: Sequence[Around] = ()

    @property
    def titles(self) -> list[str]:
        """The texts or names of what is compared."""
        texts = self.targets if self.several or self.harness.whole else self.benchmarks
        return [name or text for name, text in zip_longest(self.names, texts, fillvalue="")]

    @property
    def several(self) -> bool:
        """Return whether one benchmark is compared across several builds."""
        return len(self.targets) > 1 and not self.harness.whole

    @property
    def variants(self) -> list[str]:
        """Return a unique variant name for each build, command or benchmark."""
        found: list[str] = []
        names = "|".join(re.escape(one.name) for one in self.parameters)
        for text in self.titles:
            # Labels append the parameter's name and value.
            bare = re.sub(rf"(?:\w+[=:])?\{{(?:{names})\}}", "", text) if names else text
            found.append(_unique(_id(bare), found))
        return found


_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})"  # not 007: it stands for itself in a name
_WHOLE = re.compile(rf"{_NUMBER}(?:(?:,|\.\.|:){_NUMBER})*")


def _parameters(bench: SavedBench, name: str, targets: Sequence[str]) -> list[Parameter]:
    """Parse `--over` into parameters: of commands, each occurs somewhere, else in all benchmark names."""
    if bench.over and bench.harness and len(targets) > 1:
        raise UsageError("parameters are those of commands, or benchmarks of one program", "see docs/bench.md")
    around = [] if bench.harness else [one.options for one in around_each(bench)]
    texts = [*bench.compare, *(str(text) for one in around for text in one.values())]
    found: list[Parameter] = []
    for text in bench.over:
        key, _, values = text.partition("=")
        taken = {name, BENCHMARK, *(one.name for one in found)}.union(*around)
        choices = values.split(",")
        if not is_id(key) or not values or key in taken or not all(map(is_label, choices)):
            raise UsageError(f"cannot read the parameter {one_line(text)!r}", "write it as name=value,value")
        has = [f"{{{key}}}" in one for one in texts]
        if not any(has) or (bench.harness and not all(has)):
            where = "a benchmark has no {} in its name" if bench.harness else "no command has {}"
            raise UsageError(where.format(f"{{{key}}}"), f"write it where {key} stands: Get/{{{key}}}")
        if not _WHOLE.fullmatch(values):
            found.append(Parameter(key, "string", choices[0], choices=choices))
        elif ".." in values or ":" in values:
            found.append(Parameter(key, "int", int(re.split(r",|\.\.|:", values)[0])))
        else:
            whole = [str(int(one)) for one in choices]
            found.append(Parameter(key, "int", int(whole[0]), choices=whole))
    return found


def _swap_if_reversed(folder: Path, targets: list[str], benchmarks: list[str]) -> tuple[list[str], list[str]]:
    """Swap targets and benchmarks if they were typed the other way round: `./a ./b --gbench Get`.

    A name without the syntax of a path is a benchmark even if a file of that name exists.
    """

    def exists(name: str) -> bool:
        return os.path.exists(folder / name)  # noqa: PTH110 - `Path.exists` fails where a name is too long for a file

    if not targets or any(map(exists, targets)) or not any(map(exists, benchmarks)):
        return targets, benchmarks
    if not all(re.match(r"[./]|.*\.(?:dll|jar|py)$", one) for one in benchmarks):
        if any(shutil.which(one) for one in targets):
            return targets, benchmarks
        raise UsageError(f"there is no {' or '.join(targets)}", f"if {benchmarks[0]} is the program: ./{benchmarks[0]}")
    return benchmarks, targets


def _check_options(bench: SavedBench) -> None:
    """Raise if options do not go together, or cannot be recorded."""
    if bench.pattern is None and (bench.unit is not None or bench.decimal is not None):
        raise UsageError("--unit and --decimal say what --pattern finds", "add --pattern REGEX")
    if bench.pattern is None and bench.better is not None and bench.metric is None:
        raise UsageError("--better is for --pattern and --metric", "the direction of times is known")
    given = msgspec.structs.asdict(bench)
    for option in _OF_COMMANDS:
        if bench.harness and given[option]:
            raise UsageError(f"--{option.replace('_', '-')} is for commands", "leave it out")
    if len(bench.names) > len(bench.compare):
        raise UsageError(f"there are {len(bench.names)} names for {len(bench.compare)} commands", "one for each")
    texts = [value if isinstance(value, list) else [value] for value in given.values()]
    for text in (one for each in texts for one in each if isinstance(one, str)):
        if not is_unicode(text) or "\0" in text:
            raise UsageError(f"{one_line(text)!r} is not valid UTF-8, which run records need", "put it into a script")


def _parse_bench(bench: SavedBench, folder: Path) -> _ParsedBench:
    """Parse a bench's arguments and load its harness."""
    _check_options(bench)
    harness: Harness
    if bench.harness:
        harness = find_harness(bench.harness)
        targets, benchmarks = _swap_if_reversed(folder, bench.of, bench.compare)
        if len(targets) > 1 and len(benchmarks) > 1:
            raise UsageError("several builds are compared by one benchmark", "name one benchmark, or one build")
    else:
        targets, benchmarks = bench.compare, []
        codes = bench.ignore_failure
        ignored = codes if isinstance(codes, list) else _STATUSES if codes else ()
        if bench.pattern is None:
            harness = Commands(ignored=ignored)
        else:
            harness = Pattern(bench.pattern, bench.unit, bench.better, bench.decimal, ignored=ignored)
    name = bench.harness or COMMAND
    around = [] if bench.harness else around_each(bench)
    found = _ParsedBench(harness, name, targets, benchmarks, _parameters(bench, name, targets), bench.names, around)
    if not (targets and found.variants):
        raise UsageError("there is nothing to measure", "name a benchmark, and what has it; see --help")
    return found


def name_of(bench: SavedBench, folder: Path) -> str:
    """Return a default name for a bench without one."""
    parsed = _parse_bench(bench, folder)
    stem = "" if parsed.harness.whole else f" {Path(parsed.targets[0]).resolve().stem}"
    return _id(f"{parsed.name}{stem}")


def describe_bench(bench: SavedBench, name: str, folder: Path) -> Description:
    """Describe a bench by its arguments alone: one scenario, and a variant for each build, command or benchmark."""
    parsed = _parse_bench(bench, folder)
    scenario = msgspec.structs.replace(parsed.harness.scenario, parameters=list(parsed.parameters))
    variants = [
        Variant(variant, "yours", one_line(text), scenarios=[scenario.name])
        for variant, text in zip(parsed.variants, parsed.titles, strict=True)
    ]
    return Description(
        PROTOCOL_VERSION, name, Runtime(parsed.harness.about, ""), [scenario], variants, parsed.harness.timed_regions
    )


def open_bench(bench: SavedBench, folder: Path, progress: Progress) -> PreparedBench:
    """Build a bench's targets and resolve its benchmarks."""
    parsed = _parse_bench(bench, folder)
    harness = parsed.harness
    built = scratch()
    ready: dict[str, str] = {}
    runs: dict[str, tuple[str, str]] = {}
    benchmarks: dict[str, Sequence[str]] = {}
    arms: list[Arm] = []
    notes = list[str]()
    around: dict[str, Around] = {}
    with chdir(folder):
        if isinstance(harness, Commands):
            notes = _choose_shell(harness, bench.shell, parsed)
        for number, target in enumerate(dict.fromkeys(parsed.targets)):
            if not harness.whole:
                doing = f"building {target}" if harness.builds else f"asking {target} for its benchmarks"
                progress.update(0.0, doing)
            place = Path(built.name, str(number))
            place.mkdir()
            with parsing_output(harness):
                ready[target] = harness.prepare(target if harness.whole else local_path(target), place)
        variants = iter(parsed.variants)  # in the order of the nested loops below: by target, then by benchmark
        for target in parsed.targets:
            with parsing_output(harness):
                known = benchmarks[ready[target]] = harness.benchmarks(ready[target])
            for part, why in harness.left_out.items():
                progress.note(f"{part} is left out: {why}")
            # A command is its own benchmark.
            for name in known if harness.whole else parsed.benchmarks:
                # A name with parameters can be resolved only once they have values.
                given = harness.whole or parsed.parameters
                full = name if given else choose(name, known, target, harness.left_out, alone=parsed.several)
                number = len(arms)
                title = parsed.titles[number] if harness.whole else name
                text = _REVISION.sub(r"\1:", f"{name} @ {target}") if parsed.several else title
                variant = next(variants)
                # Labels append the values, so the variant's name is enough.
                label = variant if parsed.parameters else _unique(_short(text), [one.label for one in arms])
                runs[variant] = ready[target], full
                what: dict[str, ParameterValue] = {parsed.name: target[:LONGEST_TEXT]}
                if not harness.whole:
                    what[BENCHMARK] = full[:LONGEST_TEXT]
                else:
                    what |= _cut(_recorded(bench, number, parsed.around[number]))
                    around[variant] = parsed.around[number]
                arms.append(Arm(label, variant, "yours", params=what | _cut(harness.options)))
    defaults = {one.name: one.default for one in parsed.parameters}
    steps = Steps(harness.outer if isinstance(harness, Commands) else str.split, folder, user_environment())
    return PreparedBench(harness, runs, folder, Spawner(), arms, built, benchmarks, defaults, notes, around, steps)


def _choose_shell(harness: Commands, option: str | None, parsed: _ParsedBench) -> list[str]:
    """Choose the shell of all commands at all values of the parameters, and return notes on how they run."""
    usual = {one.name: one.default for one in parsed.parameters}
    points = [usual, *({**usual, one.name: choice} for one in parsed.parameters for choice in one.choices or ())]
    commands = [filled(text, point) for text in parsed.targets for point in points]
    around = [one.at(point) for one in parsed.around for point in points]
    notes = harness.choose_shell(option, commands, [text for one in around for text in one.commands])
    if len({(one.setup, one.cleanup) for one in around}) > 1:
        notes.append("--setup and --cleanup run around each run that follows one with others: one might undo the other")
    return notes


def _recorded(bench: SavedBench, number: int, around: Around) -> dict[str, ParameterValue]:
    """Return a command's options as a run records them."""
    ignored = bench.ignore_failure
    recorded: dict[str, ParameterValue] = {"name": bench.names[number]} if number < len(bench.names) else {}
    if ignored:
        recorded["ignore-failure"] = ",".join(map(str, ignored)) if isinstance(ignored, list) else True
    return recorded | around.options


def local_path(target: str) -> str:
    """Prefix a file of this folder with `./`, so that it is not looked up on the PATH."""
    return f"./{target}" if os.sep not in target and Path(target).is_file() else target


def keep_targets(bench: PreparedBench, settings: Mapping[str, ParameterValue], folder: Path) -> bool:
    """Copy a bench's targets into a folder, and check that the copies have the same benchmarks with these parameters.

    Returns:
        Whether the copies are complete; commands and folders of scripts may need other files, and are not copied.
    """
    if not bench.harness.copied:
        return False
    try:
        with atomic(folder) as draft:
            draft.mkdir()
            for number, target in enumerate(bench.targets):
                copy_of(bench.folder / target, draft / str(number))
    except OSError as error:
        raise MissingError(f"cannot keep the build: {error}", "point PERFLAB_RESULTS to a writable folder") from None
    whole = kept_targets(bench, settings, folder) is not None
    if not whole:
        remove(folder)
    return whole


def kept_targets(bench: PreparedBench, settings: Mapping[str, ParameterValue], folder: Path) -> PreparedBench | None:
    """Return the same bench with the copies in a folder as targets; `None` if one is missing."""
    copies = {target: str(folder.absolute() / str(number)) for number, target in enumerate(bench.targets)}
    harness = bench.harness
    if not all(Path(copy).exists() for copy in copies.values()):
        return None
    try:
        with chdir(bench.folder), parsing_output(harness):
            for target, copy in copies.items():
                harness.stand_in(copy, target)
            known = {copy: harness.benchmarks(copy) for copy in copies.values()}
        own = {variant: (copies[target], benchmark) for variant, (target, benchmark) in bench.runs.items()}
        for copy, benchmark in own.values():
            choose(filled(benchmark, settings), known[copy], copy)
    except LabError:
        return None
    return replace(bench, runs=own, known=known)


def scratch() -> TemporaryDirectory[str]:
    """Create a folder in the user's cache: compilers read configuration from parent folders, so none may be shared."""
    try:
        user_cache().mkdir(parents=True, exist_ok=True)
        return TemporaryDirectory(prefix="bench-", dir=user_cache())
    except OSError as error:
        raise MissingError(f"cannot build anything: {error}", "XDG_CACHE_HOME may name another folder") from None


def _cut(options: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    return {name: value[:LONGEST_TEXT] if isinstance(value, str) else value for name, value in options.items()}


def _id(text: str) -> str:
    """Turn a text into a valid topic or variant name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:LONGEST] or "bench"


def _short(text: str) -> str:
    """Shorten a text to one line that fits a table."""
    line = one_line(text)
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 3]}..."


def _unique(text: str, taken: Sequence[str]) -> str:
    number = 1
    while (found := text if number == 1 else f"{text}-{number}") in taken:
        number += 1
    return found
