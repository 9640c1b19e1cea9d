"""The lab in a Python notebook: commands as methods, results as charts, and `%%cpp` for a variant in C++."""

from __future__ import annotations

import argparse
import importlib
import linecache
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NoReturn

from IPython.display import display

from perflab.host.guard import marked
from perflab.host.processes import interrupt, kill_tree
from perflab.kernels.assembly import assembly_of
from perflab.model.errors import LabError
from perflab.model.format import assignments, option_words
from perflab.model.lab import CHECKOUT
from perflab.model.lab import Lab as Checkout
from perflab.model.protocol import Note, Problem, ProgressMessage, ResultMessage, Shown, read_stream
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FunctionType, ModuleType

    from IPython.core.display_functions import DisplayHandle
    from IPython.core.interactiveshell import InteractiveShell

    from perflab.model.protocol import StreamMessage


@dataclass(frozen=True, repr=False)
class Plugin:
    """A variant of your own that compiles and keeps its topic's contract; `lab.measure` takes it as a variant.

    Attributes:
        topic: The topic.
        variants: The names it is measured under, as in `my-buffers`.
        checks: The contract's checks that it passed.
        path: The plug-in.
    """

    topic: str
    variants: tuple[str, ...]
    checks: tuple[str, ...]
    path: Path

    def __repr__(self) -> str:
        passed = "".join(f"\n  ok  {check}" for check in self.checks)
        return f"{', '.join(self.variants)}: keeps the contract of {self.topic}{passed}"


class Display:
    """One progress line, updated in place, and everything else below it."""

    def __init__(self) -> None:
        self._bar: DisplayHandle | None = None

    def show(self, message: StreamMessage) -> None:
        """Show a message of the stream (docs/protocol.md)."""
        match message:
            case ProgressMessage():
                self._progress(message)
            case Note(text):
                display({"text/plain": text}, raw=True)
            case Shown(data, metadata):
                display(data, metadata=metadata, raw=True)

    def close(self) -> None:
        """Take the progress away: it is over."""
        if self._bar is not None:
            self._bar.update({"text/plain": "", "text/html": ""}, raw=True)

    def _progress(self, message: ProgressMessage) -> None:
        left = message.seconds_left
        text = message.text + ("" if left is None else f", {left:.0f} s left")
        data = {
            "text/plain": f"[{message.done:4.0%}] {text}",
            "text/html": f'<progress value="{message.done}" aria-label="progress"></progress> {escape(text)}',
        }
        if self._bar is None:
            self._bar = display(data, raw=True, display_id=True)
        else:
            self._bar.update(data, raw=True)


_PATIENCE_S = 20.0
"""Time a command has after an interrupt to stop its children and seal its measurements."""


class LabFailure(Exception):  # noqa: N818 - a notebook shows the name, and it is one
    """A command failed. Notebooks show it as a line or two, not as a stack trace.

    Args:
        message: The error.
        hint: How to fix it; may be empty.
        status: The command's exit status; see docs/commands.md.
    """

    def __init__(self, message: str, hint: str = "", status: int = 4) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status

    def __str__(self) -> str:
        return self.message + (f"\n  fix: {self.hint}" if self.hint else "")

    def _render_traceback_(self) -> list[str]:
        """Replace IPython's stack trace."""
        return [str(self)]


class Lab:
    """The lab in a Python notebook: each method runs the command of `./lab` of its name.

    It shows progress and charts in the cell, and returns what the command's `--json` prints. Interrupting the cell ends
    the command and its children, and keeps what was measured.
    """

    def run(self, command: str, *words: str, **options: Any) -> Any:  # noqa: ANN401 - JSON, here and below
        """Run any command of `./lab`: `lab.run("show", run, kind="values")`."""
        return self._run(command, *words, **options)

    def topics(self) -> Any:  # noqa: ANN401
        """Return the topics, and the bottleneck that each is about."""
        return self._run("topics")

    def doctor(self) -> Any:  # noqa: ANN401
        """Show what is on this machine, and what is missing."""
        return self._run("doctor", fine=(0, 3))

    def describe(self, topic: str) -> Any:  # noqa: ANN401
        """Show a topic's scenarios, parameters and variants."""
        return self._run("describe", topic)

    def build(self, topic: str) -> Any:  # noqa: ANN401
        """Build a topic with its language's own tool, unless nothing has changed since it was built."""
        return self._run("build", topic)

    def module(self, topic: str) -> ModuleType:
        """Build a topic's extension module, unless nothing has changed, and import it."""
        (built,) = self._run("build", topic, module=True)
        present = sys.modules.get(built["module"])
        if present is None:
            sys.path.insert(0, built["folder"])
            return importlib.import_module(built["module"])
        if Path(built["folder"]) not in Path(str(present.__file__)).parents:
            raise LabFailure(f"the module {built['module']} has changed since it was imported", "restart the kernel")
        return present

    def assembly(self, topic: str, function: str) -> None:
        """Show a function of a topic's bench program: each line of source beside its instructions.

        Example: `lab.assembly("sequencer", "LabBuffer.*::push")`; the regular expression matches one demangled name.
        """
        self._run("build", topic, quiet=True)
        try:
            component = find_component(Checkout.from_environment(), topic)
            program = component.folder / component.manifest.build.produces[0]
            display({"text/plain": assembly_of(program, function, component.folder)}, raw=True)
        except LabError as error:
            raise LabFailure(error.message, error.hint, error.exit_status) from None

    def check(self, topic: str, variant: str) -> Any:  # noqa: ANN401
        """Check a variant against its topic's contract."""
        return self._run("check", topic, variant=variant, fine=(0, 4))

    def variant(self, topic: str, type_name: str, source: str, *, title: str = "source", first_line: int = 1) -> Plugin:
        """Make a variant from source text, and check that it keeps the topic's contract. `%%cpp` does it for a cell.

        Args:
            topic: The topic.
            type_name: The type in the source that is the variant.
            source: The source; it may include what the topic's own sources include.
            title: File name in compiler messages.
            first_line: The number of its first line there.
        """
        with NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as file:
            file.write(source)
            file.flush()
            options: dict[str, Any] = {"type": type_name, "title": title, "first-line": first_line}
            compiled = self._run("compile", topic, file.name, **options)
        checks = self._run("check", topic, plugin=compiled["plugin"], fine=(0, 4), quiet=True)["checks"]
        failed = [f"\n  FAILED  {check['name']}: {check['message']}" for check in checks if not check["passed"]]
        if failed:
            raise LabFailure(
                f"{type_name} breaks the contract of {topic}" + "".join(failed), "a fast wrong answer is no answer"
            )
        names = tuple(dict.fromkeys(check["variant"] for check in checks))
        passed = tuple(dict.fromkeys(check["name"] for check in checks))
        return Plugin(topic, names, passed, Path(compiled["plugin"]))

    def measure(
        self,
        topic: str,
        *,
        scenario: str | None = None,
        variants: Sequence[str | Plugin] = (),
        params: Mapping[str, object] | None = None,
        over: Mapping[str, object] | None = None,
        baseline: str | None = None,
        metric: str | None = None,
        plugin: Plugin | None = None,
        quick: bool = False,
        rigorous: bool = False,
    ) -> Any:  # noqa: ANN401
        """Measure variants against each other, in fresh processes.

        Example: `lab.measure("mailbox", scenario="burst", quick=True)`

        Args:
            topic: The topic.
            scenario: The scenario; the topic's first one without it.
            variants: Names, and at most one variant of your own; all that support the scenario by default.
            params: The scenario's parameters.
            over: A parameter and its values, at which each variant takes turns with itself.
            baseline: The variant that the others are compared with.
            metric: Compare by this metric instead of the headline.
            plugin: A variant of your own; the same as naming it in `variants`.
            quick: Less than half a minute.
            rigorous: Half an hour.
        """
        chosen = _chosen(
            scenario=scenario,
            variants=variants,
            params=params,
            baseline=baseline,
            metric=metric,
            plugin=plugin,
            quick=quick,
            rigorous=rigorous,
        )
        return self._run("measure", topic, over=_points(over), **chosen)

    def sweep(
        self,
        topic: str | None = None,
        *,
        over: Mapping[str, object] | None = None,
        resume: str | Mapping[str, Any] | None = None,
        show: str | Mapping[str, Any] | None = None,
        on: str | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Measure variants at each value of one parameter, or at each pair of values of two.

        Example: `lab.sweep("mailbox", scenario="burst", over={"messages": "1000..64000"}, quick=True)`

        Args:
            topic: The topic; with `resume` or `show`, none.
            over: One parameter or two, each with its values or a range as `./lab sweep --help` explains it.
            resume: A sweep of which only what is missing is measured: its id, or what this method has returned.
            show: A sweep that is shown again.
            on: The scheduler of a Dask cluster whose machines measure, as `tls://HOST:PORT`.
            options: Options of `measure`: scenario, variants, params, baseline, metric, plugin, quick, rigorous.
        """
        given: dict[str, Any] = {"resume": _sweep_id(resume), "show": _sweep_id(show), "on": on}
        return self._run("sweep", *([topic] if topic else []), over=_points(over), **_chosen(**options), **given)

    def search(
        self,
        topic: str,
        *,
        variants: Sequence[str],
        over: Mapping[str, str],
        trials: int | None = None,
        minutes: float | None = None,
        scenario: str | None = None,
        params: Mapping[str, object] | None = None,
        quick: bool = False,
        rigorous: bool = False,
    ) -> Any:  # noqa: ANN401
        """Search for the setting at which a variant is best, within a budget; the best few are measured again.

        Example: `lab.search("mailbox", scenario="burst", variants=["lab"], over={"producers": "1..16"}, trials=20)`

        Args:
            topic: The topic.
            variants: One variant's name.
            over: Each parameter's bounds or values: `"1..64"` or `"a,b,c"`.
            trials: Try at most so many settings.
            minutes: Take at most so long.
            scenario: The scenario; the topic's first one without it.
            params: The parameters that do not change.
            quick: Less than half a minute a trial.
            rigorous: Half an hour a trial.
        """
        chosen = _chosen(scenario=scenario, variants=variants, params=params, quick=quick, rigorous=rigorous)
        return self._run("search", topic, over=assignments(over), trials=trials, minutes=minutes, **chosen)

    def bench(
        self, *functions: FunctionType, quick: bool = False, rigorous: bool = False, profile: str | None = None
    ) -> Any:  # noqa: ANN401
        """Measure functions without arguments against each other, in fresh processes, without a topic.

        Each process runs the cell that defines the function, and calls it over and over. The cell is run alone, without
        the notebook's variables, so it should hold nothing but imports, data and functions. The first is the baseline.

        Example: `lab.bench(linear, binary, quick=True)`

        Args:
            functions: Defined in cells, or in a module.
            quick: Less than half a minute.
            rigorous: Half an hour.
            profile: Show where the time goes, and measure nothing: `cpu`, `wall`, `lock` or `alloc`; or `counts`.
        """
        cells = dict.fromkeys(function.__code__.co_filename for function in functions)
        source = "\n".join("".join(linecache.getlines(cell)) for cell in cells)
        names = [function.__name__ for function in functions]
        return self.bench_source(source, ".py", names, quick=quick, rigorous=rigorous, profile=profile)

    def bench_source(
        self,
        source: str,
        suffix: str,
        functions: Sequence[str],
        *,
        quick: bool = False,
        rigorous: bool = False,
        profile: str | None = None,
    ) -> Any:  # noqa: ANN401
        """Bench functions given as source text, in the languages of `./lab bench --functions FILE`.

        Args:
            source: A whole file.
            suffix: File suffix of the language, such as `.rs`.
            functions: Their names.
            quick: See `bench`.
            rigorous: See `bench`.
            profile: See `bench`.
        """
        folder = CHECKOUT / ".lab" / "cells"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{'-'.join(functions)}{suffix}"
        file.write_text(source, encoding="utf-8")
        return self._run("bench", *functions, functions=file, quick=quick, rigorous=rigorous, profile=profile)

    def profile(
        self,
        topic: str,
        *,
        variant: str,
        against: str | None = None,
        mode: str = "cpu",
        scenario: str | None = None,
        params: Mapping[str, object] | None = None,
    ) -> Any:  # noqa: ANN401
        """Profile a variant, or compare its profile against another's."""
        return self._run(
            "profile",
            topic,
            variant=variant,
            against=against,
            mode=mode,
            scenario=scenario,
            param=assignments(params),
        )

    def counts(self, topic: str, **options: Any) -> Any:  # noqa: ANN401
        """Count what a variant of a C++ or Rust topic executes, under valgrind; options of `profile` but the mode.

        Example: `lab.counts("sequencer", scenario="push", variant="mutex", against="lab")`
        """
        return self.profile(topic, mode="counts", **options)

    def noise(
        self,
        topic: str,
        *,
        scenario: str | None = None,
        variant: str | None = None,
        params: Mapping[str, object] | None = None,
        quick: bool = False,
        rigorous: bool = False,
    ) -> Any:  # noqa: ANN401
        """Measure a variant against itself, to find this machine's noise; charts of the same parameters show it."""
        variants = [variant] if variant else []
        chosen = _chosen(scenario=scenario, variants=variants, params=params, quick=quick, rigorous=rigorous)
        return self._run("noise", topic, **chosen)

    def compare(self, *runs: str | Mapping[str, Any], variant: str | None = None, metric: str | None = None) -> Any:  # noqa: ANN401
        """Show a run, or what changed between two, each given by id or as returned by `measure`."""
        return self._run("compare", *map(_id, runs), variant=variant, metric=metric, fine=(0, 1))

    def chart(self, run: str | Mapping[str, Any] = "latest", *, kind: str | None = None) -> Any:  # noqa: ANN401
        """Show a run's charts; the run as in `compare`."""
        return self._run("chart", _id(run), kind=kind)

    def table(self, topic: str) -> Any:  # noqa: ANN401
        """Show the table of a topic: a heat map of variants by scenarios, void cells, and scores."""
        return self._run("table", topic)

    def claims(self, report: str | None = None, *, statements: bool = False) -> Any:  # noqa: ANN401
        """Show the verdicts on a report's claims, or on all; with `statements` the claims alone."""
        return self._run("claims", *([report] if report else []), statements=statements, fine=(0, 1))

    def runs(self) -> Any:  # noqa: ANN401
        """List the runs in the store."""
        return self._run("runs")

    def _run(
        self, command: str, *arguments: str, fine: tuple[int, ...] = (0,), quiet: bool = False, **options: object
    ) -> Any:  # noqa: ANN401
        words = [
            os.environ.get("PERFLAB_LAUNCHER") or str(CHECKOUT / "lab"),
            command,
            *arguments,
            *option_words(options.items()),
        ]
        # Not by `processes.start`: its lines are read as text; it is interrupted before it is ended, with all below it.
        process = subprocess.Popen(
            [*words, "--stream"],
            env=marked(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # so that the kernel's interrupt is forwarded once
        )
        display = Display()
        result: Any = None
        failure: LabFailure | None = None

        def take(line: str) -> None:
            nonlocal result, failure
            match message := read_stream(line):
                case ResultMessage(data):
                    result = data
                case Problem(text, hint, status):
                    failure = LabFailure(text, hint, status)
                case _ if not quiet or isinstance(message, ProgressMessage):
                    display.show(message)

        assert process.stdout is not None  # noqa: S101 - both are pipes
        assert process.stderr is not None  # noqa: S101
        said: list[str] = []
        # Read concurrently: a full pipe blocks the writer.
        errors = threading.Thread(target=said.extend, args=(process.stderr,), daemon=True)
        errors.start()
        try:
            for line in process.stdout:
                take(line)
        except KeyboardInterrupt:
            _interrupt(process, process.stdout, take)
            raise
        except BaseException:
            # If output cannot be shown, end the command with the cell.
            _interrupt(process, process.stdout, lambda _: None)
            raise
        finally:
            display.close()
        process.wait()
        errors.join()
        if failure is not None:
            raise failure
        if process.returncode not in fine and result is None:
            lines = "".join(said).strip().splitlines()
            raise LabFailure(lines[-1] if lines else f"./lab {command} failed", status=process.returncode)
        return result


def _interrupt(process: subprocess.Popen[str], stream: Iterable[str], take: Callable[[str], None]) -> None:
    """Forward an interrupt and drain the output; kill the command if it takes too long or is interrupted again."""
    interrupt(process, _PATIENCE_S)
    try:
        for line in stream:
            take(line)
        process.wait()
    finally:
        if process.poll() is None:
            kill_tree(process.pid)
        process.wait()


def _chosen(
    *,
    scenario: str | None = None,
    variants: Sequence[str | Plugin] = (),
    params: Mapping[str, object] | None = None,
    baseline: str | None = None,
    metric: str | None = None,
    plugin: Plugin | None = None,
    quick: bool = False,
    rigorous: bool = False,
) -> dict[str, Any]:
    """Return the command's options."""
    own = next((one for one in variants if isinstance(one, Plugin)), plugin)
    names = [name for one in variants for name in (one.variants if isinstance(one, Plugin) else [one])]
    return {
        "scenario": scenario,
        "variant": list(dict.fromkeys([*names, *own.variants])) if names and own else names,
        "param": assignments(params),
        "baseline": baseline,
        "metric": metric,
        "plugin": own.path if own else None,
        "quick": quick,
        "rigorous": rigorous,
    }


def _id(run: str | Mapping[str, Any]) -> str:
    return run if isinstance(run, str) else str(run["run"])


def _sweep_id(sweep: str | Mapping[str, Any] | None) -> str | None:
    return sweep if sweep is None or isinstance(sweep, str) else str(sweep["sweep"])


def _points(over: Mapping[str, object] | None) -> list[str]:
    return [f"{name}={_listed(values)}" for name, values in (over or {}).items()]


def _listed(values: object) -> str:
    if isinstance(values, Iterable) and not isinstance(values, str):
        return ",".join(map(str, values))
    return str(values)


_USAGE = (
    "%%cpp TOPIC TYPE [--as NAME], or %%cpp --bench FUNCTION... [--quick] [--profile MODE]; "
    "as in: %%cpp sequencer MyBuffers"
)
_BELOW_THE_MAGIC = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LabFailure(f"%%cpp: {message}", _USAGE, status=2)


def _parser() -> _Parser:
    parser = _Parser(prog="%%cpp", add_help=False)
    parser.add_argument("topic", nargs="?")
    parser.add_argument("type", nargs="?")
    parser.add_argument("--as", dest="name", default="yours")
    parser.add_argument("--bench", nargs="+", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--profile")
    return parser


def register(shell: InteractiveShell, lab: Lab) -> None:
    """Give a notebook the magic."""

    def cpp(line: str, cell: str) -> Plugin | None:
        """Make a variant of TOPIC of the C++ type TYPE, which the cell declares, and check it against the contract.

        `%%cpp TOPIC TYPE [--as NAME]`: the variant is kept as `yours`, or as NAME, and is the cell's value;
        `lab.measure(TOPIC, variants=["lab", yours])` measures it.

        `%%cpp --bench FUNCTION... [--quick] [--profile MODE]`: functions without arguments, which the cell defines, are
        measured against each other, as by `lab.bench`; the result is kept as `yours`, or as NAME.
        """
        options = _parser().parse_args(shlex.split(line))
        if not options.name.isidentifier():
            raise LabFailure(f"%%cpp: {options.name!r} is no name of a variable", _USAGE, status=2)
        if options.bench and options.topic is None:
            # One line in place of the magic, so that line numbers match the cell.
            text, how = "\n" + cell, {"quick": options.quick, "profile": options.profile}
            shell.user_ns[options.name] = lab.bench_source(text, ".cpp", options.bench, **how)
            return None
        if options.bench or options.type is None or options.quick or options.profile:
            raise LabFailure("%%cpp: a topic and a type, or --bench with functions", _USAGE, status=2)
        title = f"Cell In[{shell.displayhook.prompt_count}]"
        plugin = lab.variant(options.topic, options.type, cell, title=title, first_line=_BELOW_THE_MAGIC)
        shell.user_ns[options.name] = plugin
        return plugin

    shell.register_magic_function(cpp, "cell", "cpp")  # type: ignore[arg-type] # IPython's annotation forgets `self`
