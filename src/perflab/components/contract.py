"""Validating variants, a reader's own among them, against a component's contract suite."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import msgspec

from perflab.components.program import describe, program_command, program_environment
from perflab.errors import BenchError, UsageError, unknown
from perflab.toolchains import expand, run_group

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.components.catalogue import Component

_TIMEOUT_S = 180


class ContractCheck(msgspec.Struct, frozen=True):
    """One check of the contract suite on one variant; `known` where it is a finding that it fails."""

    name: str
    passed: bool
    variant: str = ""
    known: bool = False
    message: str = ""


def check_plugin(component: Component, plugin: Path) -> list[ContractCheck]:
    """Run the component's contract suite on what a plug-in provides.

    Raises:
        UsageError: If the component takes no plug-ins.
        BenchError: If the suite itself fails or does not end.
    """
    if component.manifest.plugin is None or not component.manifest.plugin.contract:
        raise UsageError(f"{component.name} takes no plug-ins", "its manifest has no [plugin] contract")
    command = expand(component.manifest.plugin.contract, program_environment(component), plugin=str(plugin.resolve()))
    return _run(component, command, program_environment(component), plugin.stem)


def check_variant(component: Component, variant: str) -> list[ContractCheck]:
    """Run the component's contract suite on one of its own variants.

    Raises:
        BenchError: If the suite itself fails or does not end, or there is none.
        UsageError: If the component has no such variant.
    """
    findings = {one.name: one.findings for one in describe(component).variants}
    if variant not in findings:
        raise unknown(f"variant of {component.name}", variant, findings)
    command = program_command(component, "contract", "--variant", variant, variant=variant)
    return _run(component, command, program_environment(component, variant), variant, known=bool(findings[variant]))


def _run(
    component: Component, command: list[str], environment: dict[str, str], variant: str, *, known: bool = False
) -> list[ContractCheck]:
    try:
        done = run_group(command, folder=component.folder, environment=environment, timeout_s=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the contract suite did not end within {_TIMEOUT_S} s", "does a call of the variant never return?"
        ) from None
    messages = [message for line in done.stdout.splitlines() if (message := _read(line))]
    checks = [msgspec.convert(message, ContractCheck) for message in messages if message.get("type") == "check"]
    if not checks:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BenchError(f"the contract suite of {component.name} checked nothing: {said[-1] if said else 'no output'}")
    if messages[-1].get("type") != "end":
        # What takes its process with it has kept nothing, whatever it passed before.
        why = f"the process ended with status {done.returncode} after {checks[-1].name!r}"
        checks.append(
            ContractCheck("the suite gets to its end", passed=False, variant=variant, known=known, message=why)
        )
    return checks


def _read(line: bytes) -> dict[str, object]:
    """A message of the suite; empty if the line is none."""
    try:
        message = msgspec.json.decode(line, type=dict[str, object])
    except msgspec.MsgspecError:
        return {}
    if message.get("type") == "error":
        raise BenchError(f"the contract suite failed: {message.get('message')}")
    return message
