"""Variants with a runtime of their own, run as the lab does, for a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.measure.fork import Fork, run_fork
from perflab.model.lab import Lab
from perflab.topics.build import build
from perflab.topics.catalogue import Component, find_component
from perflab.topics.program import own_runtime, program_environment, provide_runtime, run_command

if TYPE_CHECKING:
    from collections.abc import Sequence

LAB = Lab.from_environment()


def built_with(topic: str, variants: Sequence[str]) -> Component:
    """The topic, built, with these variants' runtimes."""
    component = find_component(LAB, topic)
    build(component)
    for variant in variants:
        runtime = own_runtime(component, variant)
        assert runtime is not None
        provide_runtime(runtime)
    return component


def fork(component: Component, scenario: str, variant: str, *, warmup_ms: int, sample_ms: int, **params: int) -> Fork:
    return run_fork(
        run_command(component, scenario, variant, params, warmup_ms=warmup_ms, sample_ms=sample_ms, samples=2, seed=1),
        cwd=component.folder,
        environment=program_environment(component, variant),
        timeout_s=600,
    )
