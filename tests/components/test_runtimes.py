from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from perflab.model.errors import UsageError
from perflab.topics.catalogue import Component, find_component
from perflab.topics.manifest import OwnRuntime
from perflab.topics.program import describe, program_command, program_environment

if TYPE_CHECKING:
    from perflab.model.lab import Lab

FIXTURES = Path(__file__).parents[1] / "fixtures" / "runtimes"
OWN = OwnRuntime(variants=["exotic"], requires=["python"], command=["{python}", "-X", "dev", "bench.py"])


@pytest.fixture
def picky(own_lab: Lab) -> Component:
    component = find_component(replace(own_lab, components=FIXTURES), "picky")
    return replace(component, manifest=msgspec.structs.replace(component.manifest, runtime=[OWN]))


def test_its_variants_are_started_by_its_command_and_the_others_are_not(picky: Component) -> None:
    ordinary, own = program_command(picky, "run", variant="plain"), program_command(picky, "run", variant="exotic")
    assert ordinary[1:] == ["bench.py", "run"]
    assert own[1:] == ["-X", "dev", "bench.py", "run"]
    assert program_command(picky, "describe") == [*ordinary[:-1], "describe"]


def test_its_requirements_count_over_the_components(picky: Component, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def require(requirements: list[str]) -> dict[str, str]:
        asked.append(requirements)
        return {"JAVA_HOME": f"/{requirements[-1]}"}

    monkeypatch.setattr("perflab.topics.program.require", require)
    assert program_environment(picky, "exotic")["JAVA_HOME"] == "/python"
    assert asked == [["python", "python"]]


def test_a_misspelt_variant_would_run_on_the_wrong_one_and_is_named(picky: Component) -> None:
    wrong = msgspec.structs.replace(OWN, variants=["exotik"])
    component = replace(picky, manifest=msgspec.structs.replace(picky.manifest, runtime=[wrong]))
    with pytest.raises(UsageError, match="did you mean 'exotic'"):
        describe(component)
