"""The steps of `./lab test`, a nox session each: what it runs, and the files on which its outcome depends."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nox

from perflab.cli.test import Step, Work
from perflab.host.toolchains import expand, provide, require
from perflab.kernels.registry import labkits
from perflab.model.errors import MissingError
from perflab.model.lab import Lab
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.kernels.kernel import LabkitTests
    from perflab.topics.catalogue import Component

ROOT = Path(__file__).resolve().parent
LAB = Lab.from_environment()

NO_TEXTS = (":!/*.md", ":!docs", ":!binder", ":!CITATION.cff")
CODE = ("src", "tests", "tools", "components", "kernels", "*.py", "pyproject.toml", "requirements-dev.lock")
NOTEBOOK_CODE = ("src", ":!src/perflab/site", ":!src/perflab/bench", "tests/support", "tests/conftest.py", "noxfile.py")
JAVA = ("pom.xml", ".mvn", "kernels/kotlin")
KERNELS = {
    ".net-csharp": "kernels/dotnet",
    "kotlin": "kernels/kotlin",
    "python3": "kernels/python",
    "rust": "kernels/rust",
}
LANGUAGES = ("cpp", "csharp", "java", "rust")


def _pytest(
    name: str, about: str, inputs: tuple[str, ...], markers: str, *arguments: str, builds: tuple[str, ...] = ()
) -> Step:
    report = f".lab/test/{name}.xml"

    def work(options: set[str]) -> Work:
        chosen = markers if "--all" in options else f"{markers} and not long"
        command = [sys.executable, "-m", "pytest", "--quiet", f"--junit-xml={report}", "-m", chosen, *arguments]
        return Work([command], reports=report)

    return Step(name, about, inputs, work, builds)


def _topic(topic: Component) -> list[Step]:
    """Return the steps of a topic: its own tests, its linters, and its notebooks in their kernel."""
    name, language, test, lint = topic.name, topic.manifest.language, topic.manifest.test, topic.manifest.lint
    besides = ((topic.folder / path).resolve() for path in topic.manifest.sources)
    sources = (*(str(path.relative_to(ROOT)) for path in (topic.folder, *besides)), "noxfile.py")

    def work(commands: list[Any], reports: str = "") -> Work:
        provide(topic.manifest.requires)
        tools = require(topic.manifest.requires)
        return Work([expand(one, tools) for one in commands if one], tools, topic.folder, reports)

    def tests(options: set[str]) -> Work:
        long = [test.models, test.stress] if "--all" in options else []
        return work([test.all, *long], test.reports)

    steps = []
    if topic.notebooks:
        about = f"the notebooks of {name} in their kernel"
        inputs = (*sources, *topic.notebooks, KERNELS[topic.manifest.kernel], "tests/notebooks", *NOTEBOOK_CODE)
        steps.append(_pytest(f"notebook-{name}", about, inputs, "notebook", "tests/notebooks", f"-k={name}"))
    if test:
        steps.append(Step(name, f"the topic's own tests ({language})", sources, tests, (language,)))
    if lint:
        about = f"formatters and linters ({language})"
        steps.append(Step(f"lint-{name}", about, sources, lambda _: work([lint.command]), (language,)))
    return steps


def _labkit(name: str, language: str, tests: Callable[[], LabkitTests]) -> Step:
    def work(_: set[str]) -> Work:
        checks = tests()
        return Work([*checks.lint, checks.test], checks.environment, checks.folder, checks.reports)

    java = JAVA if name == "kotlin" else ()
    builds = "java" if name == "kotlin" else language
    inputs = (f"kernels/{name}", *java, "noxfile.py")
    return Step(f"labkit-{name}", f"the labkit's own tests ({language})", inputs, work, (builds,))


def _kernel(name: str) -> Step:
    language, folder = name.removeprefix(".net-"), KERNELS[name]
    inputs = (folder, "tests/kernels", *NOTEBOOK_CODE)
    about = f"the {language} kernel as a notebook uses it"
    return _pytest(f"kernel-{language}", about, inputs, "notebook", "tests/kernels", f"-k={language}")


def _lint() -> Step:
    python = [sys.executable, "-m"]
    commands = [
        [*python, "ruff", "check", "--quiet", "."],
        [*python, "ruff", "format", "--check", "--quiet", "."],
        [*python, "mypy"],
        [str(Path(sys.executable).with_name("lint-imports")), "--no-logo"],
        [sys.executable, "tools/budget.py"],
    ]
    return Step("lint", "formatters, linters, types, layers and size of the lab", CODE, lambda _: Work(commands))


def _steps() -> list[Step]:
    topics = find_components(LAB)
    quick = "not build and not notebook and not browser"
    of_no_topic = f"-k=not ({' or '.join(topic.name for topic in topics)})"
    setup = Work([[sys.executable, "-m", "perflab", "setup"]], missing=MissingError.exit_status)
    needs_setup = [
        _pytest("contract", "the lab on its real topics", NO_TEXTS, "build", builds=LANGUAGES),
        *(step for topic in topics for step in _topic(topic)),
        *(_kernel(name) for name in KERNELS if name != "python3"),
        *(_labkit(name, language, tests) for name, (language, tests) in labkits().items()),
        _pytest("notebooks", "the notebooks of no topic", NO_TEXTS, "notebook", "tests/notebooks", of_no_topic),
        _pytest("browser", "report, console and charts in a headless browser", NO_TEXTS, "browser"),
    ]
    return [
        Step("setup", "kernels installed, topics built", (*NO_TEXTS, ":!tests"), lambda _: setup),
        _pytest("docs", "links and tables of the documents", (), quick, "tests/docs"),
        _lint(),
        _pytest("python", "the lab itself", NO_TEXTS, quick, "--numprocesses=2"),
        *(replace(step, after=("setup",)) for step in needs_setup),
    ]


STEPS = {step.name: step for step in _steps()}


def _register(step: Step) -> None:
    def run(session: nox.Session) -> None:
        step.run(session)

    run.__doc__ = step.about
    nox.session(run, name=step.name, requires=step.after)


nox.options.default_venv_backend = "none"
for _step in STEPS.values():
    _register(_step)
