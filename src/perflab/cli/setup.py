"""`lab setup`: everything ahead of time."""

from __future__ import annotations

import platform
import shlex
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

import click
import msgspec
from click.shell_completion import get_completion_class

from perflab.charts.chart import find_chromium
from perflab.cli.options import topics_argument
from perflab.cli.output import Output, show_table, with_output
from perflab.host.guard import end_marked
from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.host.processes import result_of, version_line
from perflab.host.toolchains import find_tool, provide
from perflab.kernels.csharp import choose
from perflab.kernels.registry import ensure, installed, prepare
from perflab.model.errors import BenchError, LabError, MissingError, UsageError
from perflab.model.lab import CHECKOUT, can_make, nearest, user_cache
from perflab.profile import asyncprofiler, dotnet
from perflab.topics.build import build, build_module
from perflab.topics.catalogue import find_component, find_components
from perflab.topics.program import provide_runtime, runtime_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.profile.profile import Mode
    from perflab.topics.catalogue import Component
    from perflab.topics.manifest import OwnRuntime


_COMPILED = {"rust", "cpp"}
"""Languages whose builds keep the processors busy; they run beside the other tasks, which start with downloads."""


@click.command("setup", epilog="Example: ./lab setup mailbox")
@topics_argument
@click.option("--no-kernels", is_flag=True, help="Build only: no notebook kernels, and no modules for notebooks.")
@click.option(
    "--csharp-kernel",
    type=click.Choice(["lab", "interactive"]),
    help="The kernel for C# notebooks from now on: the lab's own, or .NET Interactive (not tested).",
)
@click.pass_obj
@with_output
def setup_command(
    output: Output,
    lab: Lab,
    topics: tuple[str, ...],
    no_kernels: bool,
    csharp_kernel: Literal["lab", "interactive"] | None,
) -> int:
    """Install the kernels, build TOPICS (all by default) and fetch runtimes, ahead of the commands that need them.

    Setup skips what this machine cannot provide, and prints the reason and a fix. The exit status is 3 if it skips a
    topic that you named, or everything; 4 if a build fails.
    """
    begun = time.monotonic()
    components = [find_component(lab, name) for name in topics] or find_components(lab)
    kernels = [] if no_kernels else sorted({"python3", *(one.manifest.kernel for one in components)} - {""})
    if csharp_kernel is not None:
        choose(csharp_kernel)
        kernels = sorted({*kernels, ".net-csharp"})
    setting_up = _SettingUp(output, _plan(components, kernels))
    # A build would disturb a measurement.
    with measurement_lock(lab.lock, wait=lambda text: output.update(0.0, text)):
        setting_up.run()
    seconds = round(time.monotonic() - begun, 1)
    for what in setting_up.done:
        output.say(f"ready: {what}")
    for what, error in setting_up.left_out.items():
        output.say(f"left out: {what}: {error.message}" + (f"\n  fix: {error.hint}" if error.hint else ""))
    output.say(f"set up in {seconds} s")
    left_out = [f"{what}: {error}" for what, error in setting_up.left_out.items()]
    output.result({"ready": setting_up.done, "left_out": left_out, "seconds": seconds})
    return setting_up.status(named=bool(topics))


@dataclass(frozen=True)
class _SetupTask:
    """A thing to set up.

    Attributes:
        name: Name in the output.
        work: Sets it up, and reports progress.
        after: Names of the tasks that it depends on; if one fails, this task is skipped without a message.
        optional: Whether the topics work without it.
    """

    name: str
    work: Callable[[Callable[[str], None]], object]
    after: tuple[str, ...] = ()
    optional: bool = False


def _plan(components: Sequence[Component], kernels: Sequence[str]) -> list[list[_SetupTask]]:
    """Return two lists of tasks that run concurrently."""
    network: list[_SetupTask] = []
    processors: list[_SetupTask] = []
    remaining = dict.fromkeys(kernels)
    for component in components:
        manifest = component.manifest
        lane = processors if manifest.language in _COMPILED else network
        topic, kernel = f"topic {component.name}", f"kernel {manifest.kernel}"
        lane.append(_SetupTask(topic, partial(_build, component)))
        if manifest.kernel not in kernels:
            continue
        if manifest.kernel in remaining:
            del remaining[manifest.kernel]
            lane.append(_SetupTask(kernel, partial(ensure, manifest.kernel)))
        work = partial(_build_for_notebook, component)
        lane.append(_SetupTask(f"notebook of {component.name}", work, after=(topic, kernel), optional=True))
    network[:0] = [_SetupTask(f"kernel {name}", partial(ensure, name)) for name in remaining]
    runtimes = {", ".join(runtime.requires): runtime for one in components for runtime in one.manifest.runtime}
    # Only some variants need these.
    network += [_SetupTask(f"runtime {name}", partial(_fetch, one), optional=True) for name, one in runtimes.items()]
    return [network, processors]


@dataclass
class _SettingUp:
    """The tasks of both lists, their results and the progress."""

    output: Output
    lanes: list[list[_SetupTask]]
    done: list[str] = field(default_factory=list)
    left_out: dict[str, LabError] = field(default_factory=dict)
    _said: dict[int, str] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _interrupted: bool = False

    def run(self) -> None:
        with ThreadPoolExecutor(len(self.lanes)) as pool:
            working = [pool.submit(self._work, number, lane) for number, lane in enumerate(self.lanes)]
            try:
                for one in working:
                    result_of(one)
            except BaseException:
                self._interrupted = True
                end_marked()
                raise

    def status(self, *, named: bool) -> int:
        needed = {task.name for lane in self.lanes for task in lane if not task.optional}
        if any(isinstance(error, BenchError) for error in self.left_out.values()):
            return BenchError.exit_status
        if needed and (needed <= self._failed or (named and needed & self._failed)):
            return MissingError.exit_status
        return 0

    def _work(self, number: int, lane: Sequence[_SetupTask]) -> None:
        for task in lane:
            if self._interrupted:
                return
            if self._failed & set(task.after):
                continue
            self._say(number, task.name)
            try:
                task.work(partial(self._say, number))
            except LabError as error:
                with self._lock:
                    self._failed.add(task.name)
                    self.left_out[task.name] = error
            else:
                with self._lock:
                    self.done.append(task.name)
        with self._lock:
            self._said.pop(number, None)

    def _say(self, number: int, text: str) -> None:
        with self._lock:
            self._said[number] = text
            finished = (len(self.done) + len(self.left_out)) / sum(map(len, self.lanes))
            self.output.update(finished, "; ".join(self._said.values()))


def _build(component: Component, say: Callable[[str], None]) -> None:
    provide(component.manifest.requires, say)
    say(f"building {component.name}")
    build(component)


def _fetch(runtime: OwnRuntime, say: Callable[[str], None]) -> None:
    say(f"fetching {', '.join(runtime.requires)}")
    provide_runtime(runtime)


def _build_for_notebook(component: Component, say: Callable[[str], None]) -> None:
    if component.manifest.module is not None:
        say(f"building the module of {component.name}")
        build_module(component)
    for notebook in component.notebooks:
        say(f"compiling what {notebook} needs")
        prepare(component.manifest.kernel, component.lab.root / notebook)


@click.command("doctor", epilog="Example: ./lab doctor --json")
@click.pass_obj
@with_output
def doctor_command(output: Output, lab: Lab) -> int:
    """Show every toolchain, kernel and profiler: whether it is installed, its version, and how to install it.

    The exit status is 3 if something is missing that a topic needs.
    """
    checks = examine(lab)
    show_table(
        output,
        ["area", "what", "state", "version", "needed for", "fix"],
        [[one.area, one.name, one.state, one.version, one.needed_for, one.fix] for one in checks],
        styles={"found": "green", "missing": "bold red", "optional": "yellow"},
    )
    output.result([msgspec.to_builtins(check) for check in checks])
    return 3 if any(check.state == "missing" for check in checks) else 0


@click.command("completion", epilog='Example: eval "$(./lab completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the completion script of SHELL for `lab` and `./lab`."""
    from perflab.cli.main import lab

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101 - the choices are those that click has
    source = completion_class(lab, {}, "lab", "_LAB_COMPLETE").source()
    # click's script calls `lab` by name; here it is a file in the checkout.
    launcher = shlex.quote(str(CHECKOUT / "lab"))
    click.echo(source.replace("_LAB_COMPLETE=bash_complete $1", f"_LAB_COMPLETE=bash_complete {launcher}"))
    if shell == "bash":
        click.echo("complete -o nosort -F _lab_completion ./lab")


_LEAST_DISK = 2 * 2**30


class Check(msgspec.Struct, frozen=True):
    """A row. `state`: `found`, `missing` (a topic needs it), or `optional` (not installed, and no topic needs it)."""

    area: str
    name: str
    state: Literal["found", "missing", "optional"]
    version: str
    needed_for: str
    fix: str = ""


def examine(lab: Lab) -> list[Check]:
    """Check the whole machine, for the lab's topics."""
    components = find_components(lab)
    return [
        *_machine(lab.results),
        *_toolchains(components),
        *_runtimes(components),
        *_kernels(components),
        *_profilers(),
        *_charts(),
    ]


def _optional(area: str, name: str, version: str, needed_for: str, missing: str) -> Check:
    """Return a row for an optional tool; `missing` is the fix, empty if it is installed."""
    return Check(area, name, "optional" if missing else "found", version, needed_for, missing)


def _machine(results: Path) -> Iterator[Check]:
    machine = this_machine()
    yield Check("machine", "processor", "found", machine.title, "everything")
    yield Check("machine", "python", "found", platform.python_version(), "everything")
    for folder in (results, user_cache()):
        yield _folder(folder)


def _folder(folder: Path) -> Check:
    there = nearest(folder)
    free = shutil.disk_usage(there).free
    shown, fix = f"{free / 2**30:.0f} GiB free", ""
    if not can_make(folder):
        shown, fix = "read-only", f"make {there} writable"
    elif free < _LEAST_DISK:
        fix = f"free some space below {there}"
    return Check("machine", folder.name, "missing" if fix else "found", shown, "results and downloads", fix)


def _toolchains(components: Sequence[Component]) -> Iterator[Check]:
    wanted: dict[str, list[str]] = {}
    for component in components:
        for requirement in component.manifest.requires:
            wanted.setdefault(requirement, []).append(component.name)
    for requirement, topics in wanted.items():
        needed_for = "topic " + ", ".join(topics)
        try:
            yield Check("toolchain", requirement, "found", find_tool(requirement).title, needed_for)
        except (MissingError, UsageError) as error:  # report the other topics all the same
            yield Check("toolchain", requirement, "missing", error.message, needed_for, error.hint)


def _runtimes(components: Sequence[Component]) -> Iterator[Check]:
    for component in components:
        for runtime in component.manifest.runtime:
            needed_for = f"variants {', '.join(runtime.variants)} of {component.name}"
            try:
                state = runtime_state(runtime)
            except UsageError as error:
                yield _optional("runtime", ", ".join(runtime.requires), error.message, needed_for, error.hint)
                continue
            version = "; ".join(find_tool(one).title for one in runtime.requires) if state.ready else ""
            fix = "" if state.ready else f"{state.fix}, and so does the first measurement"
            yield _optional("runtime", ", ".join(runtime.requires), version, needed_for, fix)


def _kernels(components: Sequence[Component]) -> Iterator[Check]:
    used = {one.manifest.kernel: one.name for one in components if one.manifest.kernel}
    for kernel in installed():
        # Kernels that no topic uses are optional.
        absent: Literal["missing", "optional"] = "missing" if kernel.name in {"python3", *used} else "optional"
        state = "found" if kernel.installed else absent
        needed_for = f"notebook of {used[kernel.name]}" if kernel.name in used else "notebooks"
        yield Check("kernel", kernel.name, state, kernel.version, needed_for, "" if kernel.installed else kernel.fix)


def _profilers() -> Iterator[Check]:
    fix = "" if asyncprofiler.find() else "fetched by the first ./lab profile"
    yield _optional("profiler", "async-profiler", asyncprofiler.VERSION, "profiles of JVM and native programs", fix)
    fix = "" if shutil.which("perf") else "Debian: apt install linux-perf"
    yield _optional("profiler", "perf", version_line("perf"), "counting futex calls", fix)
    fix = "" if shutil.which("valgrind") else "Debian: apt install valgrind"
    yield _optional("profiler", "valgrind", version_line("valgrind"), "counting instructions", fix)
    modes: tuple[Mode, ...] = ("cpu", "wall")
    for mode in modes:
        yield _optional("profiler", f"perf ({mode})", "", ".NET stacks", dotnet.unavailable_reason(mode))


def _charts() -> Iterator[Check]:
    chromium = find_chromium()
    version, fix = (version_line(chromium), "") if chromium else ("", "Debian: apt install chromium")
    yield _optional("charts", "chromium", version, "charts as PNG, the browser test", fix)
