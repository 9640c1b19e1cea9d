"""`lab setup`: everything ahead of time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.components import Component, OwnRuntime
    from perflab.errors import LabError

_COMPILED = {"rust", "cpp"}
"""What takes processors rather than the network is set up beside the rest, which takes the network first."""


@click.command("setup", epilog="Example: ./lab setup mailbox")
@topics_argument
@click.option("--no-kernels", is_flag=True, help="Build only: no notebook kernels, and no modules for notebooks.")
@click.option(
    "--csharp-kernel",
    type=click.Choice(["auto", "interactive", "lab"]),
    help="Which kernel runs C# notebooks, from now on: .NET Interactive, the lab's own, or the former if it is there.",
)
@with_output
def setup_command(
    output: Output,
    topics: tuple[str, ...],
    no_kernels: bool,
    csharp_kernel: Literal["auto", "interactive", "lab"] | None,
) -> int:
    """Install the kernels, build TOPICS or all of them, and fetch runtimes; other commands do it when they need it.

    What cannot be set up here is left out, with the reason and what would fix it. The status is 3 if a topic that was
    named is left out, or everything is; 4 if a build failed.
    """
    from perflab.components import find_component, find_components
    from perflab.kernels import choose_csharp
    from perflab.runner import measurement_lock

    begun = time.monotonic()
    components = [find_component(name) for name in topics] or find_components()
    kernels = [] if no_kernels else sorted({"python3", *(one.manifest.kernel for one in components)} - {""})
    if csharp_kernel is not None:
        choose_csharp(csharp_kernel)
        kernels = sorted({*kernels, ".net-csharp"})
    setting_up = _SettingUp(output, _plan(components, kernels))
    # A build beside a measurement would be measured, too.
    with measurement_lock(wait=lambda text: output.update(0.0, text)):
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
class _Task:
    """A thing to set up.

    Attributes:
        name: As it is reported.
        work: Sets it up; told what takes long.
        after: Names of those without which it is left out, in silence: theirs is the reason.
        optional: Whether the topics work without it.
    """

    name: str
    work: Callable[[Callable[[str], None]], object]
    after: tuple[str, ...] = ()
    optional: bool = False


def _plan(components: Sequence[Component], kernels: Sequence[str]) -> list[list[_Task]]:
    """Two lanes that are worked through at the same time."""
    from perflab.kernels import ensure

    network: list[_Task] = []
    processors: list[_Task] = []
    remaining = dict.fromkeys(kernels)
    for component in components:
        manifest = component.manifest
        lane = processors if manifest.language in _COMPILED else network
        topic, kernel = f"topic {component.name}", f"kernel {manifest.kernel}"
        lane.append(_Task(topic, partial(_build, component)))
        if manifest.kernel not in kernels:
            continue
        if manifest.kernel in remaining:
            del remaining[manifest.kernel]
            lane.append(_Task(kernel, partial(ensure, manifest.kernel)))
        work = partial(_build_for_notebook, component)
        lane.append(_Task(f"notebook of {component.name}", work, after=(topic, kernel), optional=True))
    network[:0] = [_Task(f"kernel {name}", partial(ensure, name)) for name in remaining]
    runtimes = {", ".join(runtime.requires): runtime for one in components for runtime in one.manifest.runtime}
    # Only some variants run on it; the others do without.
    network += [_Task(f"runtime {name}", partial(_fetch, one), optional=True) for name, one in runtimes.items()]
    return [network, processors]


@dataclass
class _SettingUp:
    """The work on both lanes, what came of it, and what is being done."""

    output: Output
    lanes: list[list[_Task]]
    done: list[str] = field(default_factory=list)
    left_out: dict[str, LabError] = field(default_factory=dict)
    _said: dict[int, str] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _interrupted: bool = False

    def run(self) -> None:
        from perflab.toolchains import end_marked

        with ThreadPoolExecutor(len(self.lanes)) as pool:
            working = [pool.submit(self._work, number, lane) for number, lane in enumerate(self.lanes)]
            try:
                for one in working:
                    one.result()
            except BaseException:
                self._interrupted = True
                end_marked()
                raise

    def status(self, *, named: bool) -> int:
        from perflab.errors import BenchError, MissingError

        needed = {task.name for lane in self.lanes for task in lane if not task.optional}
        if any(isinstance(error, BenchError) for error in self.left_out.values()):
            return BenchError.exit_status
        if needed and (needed <= self._failed or (named and needed & self._failed)):
            return MissingError.exit_status
        return 0

    def _work(self, number: int, lane: Sequence[_Task]) -> None:
        from perflab.errors import LabError

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
    from perflab.components import build
    from perflab.toolchains import provide

    provide(component.manifest.requires, say)
    say(f"building {component.name}")
    build(component)


def _fetch(runtime: OwnRuntime, say: Callable[[str], None]) -> None:
    from perflab.components import provide_runtime

    say(f"fetching {', '.join(runtime.requires)}")
    provide_runtime(runtime)


def _build_for_notebook(component: Component, say: Callable[[str], None]) -> None:
    from perflab.components import build_module
    from perflab.kernels import prepare
    from perflab.paths import ROOT

    if component.manifest.module is not None:
        say(f"building the module of {component.name}")
        build_module(component)
    notebook = ROOT / component.manifest.notebook
    if component.manifest.notebook and notebook.is_file():
        say(f"compiling what {notebook.name} needs")
        prepare(component.manifest.kernel, notebook)
