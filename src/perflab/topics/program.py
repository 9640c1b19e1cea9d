"""A component's bench program: its command and its description."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import msgspec

from perflab.host.processes import run_group
from perflab.host.toolchains import expand, provide, require
from perflab.model.errors import BenchError, MissingError, UsageError, unknown
from perflab.model.format import assignments, option_words
from perflab.model.protocol import Description, Failure, read_description, read_message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.model.protocol import ParameterValue
    from perflab.topics.catalogue import Component
    from perflab.topics.manifest import OwnRuntime


class RuntimeState(msgspec.Struct, frozen=True):
    """A variant's additional requirement, whether it is installed, and if not, what to do."""

    requires: list[str]
    ready: bool
    fix: str = ""


def own_runtime(component: Component, variant: str) -> OwnRuntime | None:
    """Return the variant's runtime, if it differs from the component's."""
    return next((one for one in component.manifest.runtime if variant in one.variants), None)


def runtime_state(runtime: OwnRuntime) -> RuntimeState:
    """Return the state of a runtime on this machine."""
    try:
        require(runtime.requires)
    except MissingError as error:
        return RuntimeState(runtime.requires, ready=False, fix=error.hint)
    return RuntimeState(runtime.requires, ready=True)


def provide_runtime(runtime: OwnRuntime) -> None:
    """Fetch the runtime's requirements, as far as possible."""
    provide(runtime.requires)
    require(runtime.requires)


def check_runtimes(component: Component, description: Description) -> None:
    """Raise `UsageError` if the manifest names a variant that does not exist: it would run on the wrong runtime."""
    names = [variant.name for variant in description.variants]
    for runtime in component.manifest.runtime:
        for name in runtime.variants:
            if name not in names:
                raise unknown(f"variant of {component.name}, named in [[runtime]] of its manifest,", name, names)


_DESCRIBE_TIMEOUT_S = 60
# A killed .NET program leaves its diagnostics socket in the temporary folder.
_QUIET = {"DOTNET_EnableDiagnostics": "0"}


def program_environment(component: Component, variant: str | None = None) -> dict[str, str]:
    """Return the environment for a component's commands, or for the bench program of a variant."""
    runtime = own_runtime(component, variant) if variant else None
    return {**_QUIET, **os.environ, **require([*component.manifest.requires, *(runtime.requires if runtime else [])])}


def program_command(component: Component, *arguments: str, variant: str | None = None) -> list[str]:
    """Return the command of the bench program, or of the variant's own one, for the component's folder."""
    if component.bench is not None:
        raise UsageError(f"{component.name} is a bench, and has no bench program", "this is for topics: docs/bench.md")
    program = (own_runtime(component, variant) if variant else None) or component.manifest.bench
    return [*expand(program.command, program_environment(component, variant)), *arguments]


def run_command(
    component: Component,
    scenario: str,
    variant: str,
    params: Mapping[str, ParameterValue],
    *,
    warmup_ms: int,
    sample_ms: int,
    samples: int,
    seed: int,
    plugin: Path | None = None,
) -> list[str]:
    """Return the command that measures a variant, see docs/protocol.md."""
    what = {"scenario": scenario, "variant": variant, "plugin": plugin, "param": assignments(params)}
    shape = {"warmup-ms": warmup_ms, "sample-ms": sample_ms, "samples": samples, "seed": seed}
    words = option_words({**what, **shape}.items())
    return program_command(component, "run", *words, variant=variant)


def describe(component: Component, plugin: Path | None = None) -> Description:
    """Return the bench program's description of itself."""
    command = program_command(component, "describe", *(["--plugin", str(plugin)] if plugin else []))
    try:
        done = run_group(
            command,
            folder=component.folder,
            environment=program_environment(component),
            timeout_s=_DESCRIBE_TIMEOUT_S,
        )
    except OSError as error:
        raise MissingError(
            f"cannot start the bench program of {component.name}: {error}", f"./lab build {component.name}"
        ) from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"`describe` of {component.name} did not end within {_DESCRIBE_TIMEOUT_S} s") from None
    if done.returncode != 0:
        said = _reason(done.stdout, done.stderr)
        kind = {2: UsageError, 3: MissingError}.get(done.returncode, BenchError)
        raise kind(f"`describe` of {component.name} failed with status {done.returncode}: {said}")
    description = read_description(done.stdout)
    check_runtimes(component, description)
    return description


def _reason(stdout: bytes, stderr: bytes) -> str:
    """Return a failed program's error message, or the last line of its log."""
    for line in reversed(stdout.splitlines()):
        try:
            message = read_message(line)
        except BenchError:
            break
        if isinstance(message, Failure):
            return message.message
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
