"""The steps of `lab test`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from perflab.components import find_components
from perflab.errors import MissingError
from perflab.kernels import labkit_tests
from perflab.paths import LAB_DIR, ROOT
from perflab.toolchains import expand, require

REPORTS_DIR = LAB_DIR / "test-reports"


@dataclass(frozen=True)
class Step:
    """A step: its commands run one after the other in the checkout; `reports` are the JUnit files that they leave.

    Without reports, each command counts as one test. What `measures` also waits: for its turn to do so (tests of
    the lab itself have a turn of their own each), for kernels, for a browser.
    """

    name: str
    about: str
    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    reports: list[tuple[Path, str]] = field(default_factory=list)
    cwd: Path = ROOT
    measures: bool = False


def preparation() -> Step:
    """What the others would else do in each other's way: every topic is built, every kernel installed."""
    return Step("setup", "kernels installed, topics built", [[sys.executable, "-m", "perflab", "setup"]])


def steps(*, stress: bool = False) -> list[Step]:
    """All steps but the preparation; those of the components come from their manifests."""
    return [
        *_lint(),
        _pytest("python", "the lab itself", "not build and not notebook and not browser"),
        *_labkits(),
        *_components(stress=stress),
        _pytest("contract", "the lab on its real topics", "build and not notebook and not browser"),
        _pytest("notebooks", "notebooks in their kernels", "notebook and not browser", measures=True),
        _pytest("browser", "JupyterLab and charts in a headless browser", "browser", measures=True),
    ]


def _lint() -> list[Step]:
    python = Path(sys.executable)
    commands = [
        [str(python), "-m", "ruff", "check", "--quiet", "."],
        [str(python), "-m", "ruff", "format", "--check", "--quiet", "."],
        [str(python), "-m", "mypy"],
        [str(python.with_name("lint-imports")), "--no-logo"],
    ]
    found = [Step("lint", "formatters, linters, types and layers of the lab", commands)]
    for component in find_components():
        if component.manifest.lint is not None:
            environment = require(component.manifest.requires)
            command = expand(component.manifest.lint.command, environment)
            about = f"formatters and linters ({component.manifest.language})"
            found.append(Step(f"lint-{component.name}", about, [command], environment, cwd=component.folder))
    return found


def _pytest(name: str, about: str, markers: str, *, measures: bool = False) -> Step:
    report = REPORTS_DIR / name / "pytest.xml"
    options = ["--quiet", "--durations=8", "--reruns=1", f"--junit-xml={report}"]
    command = [sys.executable, "-m", "pytest", *options, "-m", markers]
    return Step(name, about, [command], reports=[(report.parent, report.name)], measures=measures)


def _labkits() -> list[Step]:
    found = []
    for name, tests in labkit_tests().items():
        about = f"the kernel's labkit ({tests.language})"
        commands = [*tests.lint, tests.test]
        reports = [(tests.folder, tests.reports)]
        found.append(Step(f"labkit-{name}", about, commands, tests.environment, reports, tests.folder))
    return found


def _components(*, stress: bool) -> list[Step]:
    found = []
    for component in find_components():
        manifest = component.manifest
        if manifest.test is None:
            continue
        try:
            environment = require(manifest.requires)
        except MissingError as error:
            raise MissingError(f"the tests of {component.name} cannot run: {error.message}", error.hint) from None
        commands = [manifest.test.all, manifest.test.models, *([manifest.test.stress] if stress else [])]
        found.append(
            Step(
                component.name,
                f"the component's own tests ({manifest.language})",
                [expand(command, environment) for command in commands if command],
                environment,
                [(component.folder, manifest.test.reports)],
                component.folder,
            )
        )
    return found
