"""Validating a reader's own variant against a component's contract suite."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import msgspec

from perflab.components.program import program_environment
from perflab.errors import BenchError, UsageError
from perflab.toolchains import expand

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.components.catalogue import Component

_TIMEOUT_S = 180


class ContractCheck(msgspec.Struct, frozen=True):
    """One check of the contract suite on one variant."""

    name: str
    passed: bool
    variant: str = ""
    message: str = ""


def check_plugin(component: Component, plugin: Path) -> list[ContractCheck]:
    """Run the component's contract suite on what a plug-in provides.

    Raises:
        UsageError: If the component takes no plug-ins.
        BenchError: If the suite itself fails or does not end.
    """
    if component.manifest.plugin is None or not component.manifest.plugin.contract:
        raise UsageError(f"{component.name} takes no plug-ins", "its manifest has no [plugin] contract")
    environment = program_environment(component)
    try:
        done = subprocess.run(
            expand(component.manifest.plugin.contract, environment, plugin=str(plugin.resolve())),
            cwd=component.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the contract suite did not end within {_TIMEOUT_S} s", "does a call of the variant never return?"
        ) from None
    checks = [check for line in done.stdout.splitlines() if (check := _read(line)) is not None]
    if not checks:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BenchError(f"the contract suite of {component.name} checked nothing: {said[-1] if said else 'no output'}")
    return checks


def _read(line: bytes) -> ContractCheck | None:
    try:
        message = msgspec.json.decode(line, type=dict[str, object])
    except msgspec.MsgspecError:
        return None
    if message.get("type") == "error":
        raise BenchError(f"the contract suite failed: {message.get('message')}")
    return msgspec.convert(message, ContractCheck) if message.get("type") == "check" else None
