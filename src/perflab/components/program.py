"""A component's bench program: how it is started, and what it says of itself."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from perflab.components.runtimes import check_runtimes, own_runtime
from perflab.errors import BenchError, MissingError, UsageError
from perflab.protocol import Description, Failure, read_description, read_message
from perflab.toolchains import expand, require, run_group

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.components.catalogue import Component
    from perflab.protocol import ParameterValue

_DESCRIBE_TIMEOUT_S = 60


def program_environment(component: Component, variant: str | None = None) -> dict[str, str]:
    """The environment in which a component's commands run, or the bench program of a variant.

    Raises:
        MissingError: If something that the manifest requires is not on this machine.
    """
    runtime = own_runtime(component, variant) if variant else None
    return {**os.environ, **require([*component.manifest.requires, *(runtime.requires if runtime else [])])}


def program_command(component: Component, *arguments: str, variant: str | None = None) -> list[str]:
    """The command that starts the bench program with these arguments, in the component's folder.

    Args:
        component: The component.
        arguments: What is put behind the command.
        variant: The variant that is to run, which may have a runtime of its own.
    """
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
    """The command that measures a variant, as docs/protocol.md describes it."""
    options = ["--scenario", scenario, "--variant", variant, *(["--plugin", str(plugin)] if plugin else [])]
    for name, value in params.items():
        options += ["--param", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    options += ["--warmup-ms", str(warmup_ms), "--sample-ms", str(sample_ms), "--samples", str(samples)]
    return program_command(component, "run", *options, "--seed", str(seed), variant=variant)


def describe(component: Component, plugin: Path | None = None) -> Description:
    """Ask the bench program what it can do.

    Raises:
        BenchError: If it fails or prints something else.
        UsageError: If it does not take the plug-in, or the manifest names a variant that it does not have.
        MissingError: If it cannot be started.
    """
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
    """What a failed program said: its error line, or the last line of its log."""
    for line in reversed(stdout.splitlines()):
        try:
            message = read_message(line)
        except BenchError:
            break
        if isinstance(message, Failure):
            return message.message
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
