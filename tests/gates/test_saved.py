"""A saved baseline: what took turns is judged, and how busy the machine was when it was saved changes no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from runs import HEADER, write_run

from perflab.claims.regression import judge_regressions
from perflab.measure.versions import VersionComparison
from perflab.store.records import Arm

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.topics.catalogue import Component

NOW = [100.0, 101, 99, 100, 100, 101]


@pytest.mark.parametrize(("then", "word"), [(1.4, "faster"), (0.6, "slower"), (1.0, "")])
def test_a_machine_that_was_busy_then_makes_nothing_better_or_worse(
    toy: Component, results: Path, then: float, word: str
) -> None:
    saved = write_run(results, values={"a": [then * one for one in NOW]}, name="20260101-000000-toy-sum-0001")
    kept = Arm("a @ saved", "a", "lab")
    header = msgspec.structs.replace(HEADER, kind="regression", arms=[kept, Arm("a", "a", "lab")], baseline=kept.label)
    run = write_run(results, header=header, values={kept.label: NOW, "a": [*NOW[1:], NOW[0]]})
    found = judge_regressions(VersionComparison("saved", run, HEADER.scenario, ["a"], saved=saved), toy.manifest)
    assert [one.word for one in found.verdicts] == ["within threshold"]
    drift = [one for one in found.notes if "than when it was saved" in one]
    assert len(drift) == bool(word)
    assert all(f"the saved build of a is {word} now" in one for one in drift)
