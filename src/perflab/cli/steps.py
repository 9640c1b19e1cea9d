"""The steps of `lab test`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.git import ask_git
from perflab.host.toolchains import expand, provide, require
from perflab.kernels.registry import labkits
from perflab.model.errors import MissingError, UsageError
from perflab.model.files import atomic, hash_files, remove
from perflab.model.lab import CHECKOUT
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.kernels.kernel import LabkitTests
    from perflab.model.lab import Lab
    from perflab.topics.catalogue import Component
    from perflab.topics.manifest import Lint, Test


_BASES = ("origin/main", "main")
_HERE = ("--", ".")


def changed_since_main(root: Path) -> str | None:
    """The commit that `--changed` compares with: where this branch has left main; None without git or such a branch."""
    found = (ask_git(root, "merge-base", "HEAD", base) for base in _BASES)
    return next(filter(None, found), None)


def is_touched(step: Step, base: str) -> bool:
    """Whether a file that the step depends on differs from what it was in the commit `base`, or is new."""
    paths = _pathspecs(step)
    return bool(ask_git(step.root, "diff", "--name-only", base, *paths) or _untracked(step.root, paths))


def fingerprint(step: Step, work: Work) -> str | None:
    """A hash of all that the step's outcome depends on: files, commands, tools; None where git cannot list the files.

    Args:
        step: The step.
        work: What it runs; the toolchain is part of its commands and environment.
    """
    paths = _pathspecs(step)
    listed = ask_git(step.root, "ls-files", "-z", *paths)
    if not listed:
        return None
    names = {*listed.split("\0"), *_untracked(step.root, paths)} - {""}
    return hash_files(step.root, filter(Path.is_file, map(step.root.joinpath, names)), sorted(names), work, sys.version)


def has_passed(step: Step, fingerprint: str | None) -> bool:
    """Whether the step has passed on this machine on the same."""
    try:
        return fingerprint is not None and _passed(step).read_text(encoding="utf-8") == fingerprint
    except OSError:
        return False


def keep_passed(step: Step, fingerprint: str | None) -> None:
    """Remember that the step has passed, or forget it."""
    if fingerprint is None:
        remove(_passed(step))
    else:
        with atomic(_passed(step)) as draft:
            draft.write_text(fingerprint, encoding="utf-8")


def _passed(step: Step) -> Path:
    """Holds the fingerprint of what the step has passed on."""
    return step.root / ".lab" / "passed" / step.name


def _untracked(root: Path, paths: tuple[str, ...]) -> list[str]:
    return list(filter(None, ask_git(root, "ls-files", "-z", "--others", "--exclude-standard", *paths).split("\0")))


def _pathspecs(step: Step) -> tuple[str, ...]:
    return ("--", *step.inputs) if step.inputs else _HERE


STRICT_VARIABLE = "PERFLAB_STRICT"
"""Set where a test that needs what is not on this machine fails, instead of being skipped."""

REPORTS_DIR = CHECKOUT / ".lab" / "test-reports"

_PYTHON = ("src", "tests", "components/*/python", "*.py", "pyproject.toml", "requirements*.lock")
_JAVA = ("pom.xml",)
_TOOLS = ("src/perflab/host", "src/perflab/topics", "src/perflab/kernels", "requirements*.lock")
_NO_TEXTS = (":!docs", ":!*.md", ":!notebooks", ":!binder", ":!.github")
_BUILDS = "builds"
_NO_ROOT = 77
"""The status of tests/bare/root.py where this machine cannot make a root."""

# These wait most of their time.
_OPTIONS = {"python": ["--numprocesses=4"]}


@dataclass(frozen=True)
class Work:
    """What a step does.

    Attributes:
        commands: Run one after the other, until one fails.
        environment: Variables on top of this process's own.
        reports: Folders and patterns of the JUnit files that they leave; without, each command counts as one test.
        cwd: Where they run.
        missing: The exit status by which a command says that something is missing on this machine.
    """

    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    reports: list[tuple[Path, str]] = field(default_factory=list)
    cwd: Path = CHECKOUT
    missing: int | None = None


@dataclass(frozen=True)
class Step:
    """A step of `lab test`.

    Attributes:
        name: As `--only` takes it.
        about: What it tests.
        work: Says what to run. It is called when the step starts, after the preparation, and raises `MissingError`
            where this machine has not what the step needs.
        inputs: Git pathspecs of the files that its outcome depends on; all of them without any.
        group: Of the steps of a group only one runs at a time, because they build in the same folders.
        root: The checkout that it tests.
    """

    name: str
    about: str
    work: Callable[[], Work]
    inputs: tuple[str, ...] = ()
    group: str = ""
    root: Path = CHECKOUT


def preparation() -> Step:
    """What all others need: every topic built, every kernel installed."""
    work = Work([[sys.executable, "-m", "perflab", "setup"]], missing=MissingError.exit_status)
    return Step("setup", "kernels installed, topics built", lambda: work)


def steps(lab: Lab, *, everything: bool = False, strict: bool = False) -> list[Step]:
    """All steps but the preparation, those first that take longest; none looks for a toolchain before it starts.

    Args:
        lab: Whose topics.
        everything: Whether the stress tests and the tests marked `long` are run too.
        strict: Whether a test of the lab that needs what is not on this machine fails, instead of being skipped.
    """
    components = find_components(lab)
    chosen = _Chosen(everything, strict)
    return [
        _pytest("notebooks", "notebooks in their kernels and in JupyterLab", "notebook", chosen),
        _pytest("contract", "the lab on its real topics", "build", chosen),
        *(_component(one, one.manifest.test, everything) for one in components if one.manifest.test),
        _pytest("python", "the lab itself", "not build and not notebook and not browser", chosen),
        _pytest("browser", "report, console and charts in a headless browser", "browser", chosen),
        *(_labkit(name, language, tests) for name, (language, tests) in labkits().items()),
        _lint(),
        *(_lint_component(one, one.manifest.lint) for one in components if one.manifest.lint),
        *(_bare(command) for command in ("test", "reproduce") if everything),
    ]


@dataclass(frozen=True)
class _Chosen:
    everything: bool
    strict: bool


def _pytest(name: str, about: str, markers: str, chosen: _Chosen) -> Step:
    report = REPORTS_DIR / name / "pytest.xml"
    options = ["--quiet", "--durations=8", "--reruns=1", f"--junit-xml={report}", *_OPTIONS.get(name, [])]
    markers = markers if chosen.everything else f"{markers} and not long"
    work = Work(
        [[sys.executable, "-m", "pytest", *options, "-m", markers]],
        {STRICT_VARIABLE: "1"} if chosen.strict else {},
        [(report.parent, report.name)],
    )
    inputs, group = (_NO_TEXTS, _BUILDS) if name == "contract" else ((), "")
    return Step(name, about, lambda: work, inputs, group)


def _lint() -> Step:
    python = Path(sys.executable)
    commands = [
        [str(python), "-m", "ruff", "check", "--quiet", "."],
        [str(python), "-m", "ruff", "format", "--check", "--quiet", "."],
        [str(python), "-m", "mypy"],
        [str(python.with_name("lint-imports")), "--no-logo"],
    ]
    return Step("lint", "formatters, linters, types and layers of the lab", lambda: Work(commands), _PYTHON)


def _lint_component(component: Component, lint: Lint) -> Step:
    def work() -> Work:
        environment = _tools(component)
        return Work([expand(lint.command, environment)], environment, cwd=component.folder)

    about = f"formatters and linters ({component.manifest.language})"
    return Step(f"lint-{component.name}", about, work, _sources(component), _BUILDS)


def _labkit(name: str, language: str, tests: Callable[[], LabkitTests]) -> Step:
    def work() -> Work:
        found = tests()
        return Work([*found.lint, found.test], found.environment, [(found.folder, found.reports)], found.folder)

    about = f"the kernel's labkit ({language})"
    return Step(f"labkit-{name}", about, work, ("kernels", *_TOOLS, *_JAVA), _BUILDS)


def _bare(command: str) -> Step:
    work = Work([[sys.executable, "tests/bare/root.py", command]], missing=_NO_ROOT)
    return Step(f"bare-{command}", f"./lab {command} as the first command on a minimal Debian", lambda: work)


def _component(component: Component, test: Test, everything: bool) -> Step:
    def work() -> Work:
        environment = _tools(component)
        commands = [test.all, test.models, *([test.stress] if everything else [])]
        return Work(
            [expand(command, environment) for command in commands if command],
            environment,
            [(component.folder, test.reports)],
            component.folder,
        )

    about = f"the component's own tests ({component.manifest.language})"
    return Step(component.name, about, work, _sources(component), _BUILDS)


def _tools(component: Component) -> dict[str, str]:
    provide(component.manifest.requires)
    return require(component.manifest.requires)


def _sources(component: Component) -> tuple[str, ...]:
    """Its folder and what its manifest names besides."""
    if not component.folder.is_relative_to(component.lab.root):
        raise UsageError(
            f"{component.folder} is not in this checkout, whose topics are tested", "unset PERFLAB_COMPONENTS"
        )
    besides = ((component.folder / path).resolve() for path in component.manifest.sources)
    own = (str(path.relative_to(component.lab.root)) for path in (component.folder, *besides))
    return (*own, *_TOOLS, *_JAVA)
