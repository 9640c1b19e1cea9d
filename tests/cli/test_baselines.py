"""Saved baselines from outside: what is kept, what is found, and the exit status."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from pathlib import Path

STEADY = FIXTURES / "baselines" / "steady"
LEVEL = json.loads((STEADY / "level.json").read_text())


class SteadyLab(Lab):
    """Measures a copy of a component whose figures are made up."""

    words = ("measure", "steady")

    def __init__(self, folder: Path) -> None:
        self.component = folder / "components" / "steady"
        shutil.copytree(STEADY, self.component)
        super().__init__(folder, PERFLAB_COMPONENTS=str(self.component.parent))
        del self.environment["PERFLAB_PRESET"]

    def save(self, *arguments: str, name: str = "main") -> None:
        self("--quick", "--rounds", "4", "--save-baseline", name, *arguments)

    def change(self, **level: object) -> None:
        """A commit that changes the code: the next command builds it."""
        (self.component / "level.json").write_text(json.dumps({**LEVEL, **level}))

    def verdicts(self, *arguments: str, status: int = 0, **environment: str) -> dict[tuple[str, str, str], str]:
        found = self.judge(*arguments, status=status, **environment)
        rows = [row for scenario in found["scenarios"] for row in scenario["metrics"]]
        return {(row["scenario"], row["variant"], row["metric"]): row["verdict"] for row in rows}

    def judge(self, *arguments: str, status: int = 0, **environment: str) -> dict[str, Any]:
        found: dict[str, Any] = self.json("--baseline", "main", *arguments, status=status, **environment)
        return found


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SteadyLab:
    """`lab` saved as the baseline `main`, with both scenarios; tests that change nothing use it itself."""
    lab = SteadyLab(tmp_path_factory.mktemp("saved"))
    lab.save("-v", "lab")
    return lab


@pytest.fixture
def lab(saved: SteadyLab, tmp_path: Path) -> SteadyLab:
    """The same, of the test's own."""
    copy = SteadyLab(tmp_path)
    shutil.copytree(saved.results, copy.results)
    return copy


def test_the_same_code_is_no_regression(lab: SteadyLab) -> None:
    found = lab.judge("-s", "spawn", STEADY_NOISE="another day")
    assert not found["regressed"]
    (spawn,) = found["scenarios"]
    words = {row["metric"]: row["verdict"] for row in spawn["metrics"]}
    assert words["spawn"] == "within threshold"
    assert set(words) == {"spawn", "p99"}


def test_a_regression_ends_with_status_1_and_says_by_how_much(lab: SteadyLab) -> None:
    lab.change(spawn=1200)
    found = lab.judge("-s", "spawn", status=1)
    assert found["regressed"]
    row = next(row for row in found["scenarios"][0]["metrics"] if row["metric"] == "spawn")
    assert row["verdict"] == "regression"
    assert row["worse_by"]["low"] <= row["worse_by"]["estimate"] <= row["worse_by"]["high"]
    assert row["worse_by"]["estimate"] == pytest.approx(0.2, abs=0.03)
    assert (row["threshold"], row["threshold_source"]) == (0.10, "the report's table of acceptable regressions")


def test_worse_but_not_by_more_than_it_may_is_no_regression(lab: SteadyLab) -> None:
    lab.change(spawn=1060)
    assert lab.verdicts("-s", "spawn")["spawn", "lab", "spawn"] == "within threshold"


def test_noise_that_hides_the_threshold_is_inconclusive_and_status_0(lab: SteadyLab) -> None:
    lab.change(spread=0.5)
    lab.save("-s", "spawn", "-v", "lab")
    assert lab.verdicts("-s", "spawn", STEADY_NOISE="another day")["spawn", "lab", "spawn"] == "inconclusive"


def test_an_improvement_is_better(lab: SteadyLab) -> None:
    lab.change(memory=700)
    assert lab.verdicts("-s", "memory") == {("memory", "lab", "memory"): "better"}


def test_bytes_that_never_vary_are_told_exactly(lab: SteadyLab) -> None:
    lab.change(memory=1004)
    assert lab.verdicts("-s", "memory", status=1) == {("memory", "lab", "memory"): "regression"}


def test_a_machine_that_slowed_down_is_told_from_code_that_did(lab: SteadyLab) -> None:
    found = lab.judge("-s", "spawn", STEADY_DRIFT="1.5")
    assert not found["regressed"]
    assert found["scenarios"][0]["drift"]["lab"]["verdict"] == "slower"
    assert "has changed since" in found["scenarios"][0]["notes"][0]
    # Without the saved build nobody can tell, and the output says so.
    lab("-s", "spawn", "-v", "lab", "--quick", "--rounds", "4", STEADY_DRIFT="1.5")
    lab.words = ("compare",)
    assert "drift of the machine" in lab.json("main", "latest", "-s", "spawn", status=1)["notes"][0]


def test_beside_a_build_that_no_longer_runs_nothing_is_measured(lab: SteadyLab) -> None:
    for kept in lab.results.glob("baselines/main/steady/*/build/target/level.json"):
        kept.unlink()
    said = lab("--baseline", "main", "-s", "memory", status=2).stderr
    assert "the build of the baseline 'main' no longer runs" in said
    assert "./lab compare main latest" in said


def test_without_a_scenario_all_that_have_a_threshold_are_saved_and_measured_again(lab: SteadyLab) -> None:
    assert {key[0] for key in lab.verdicts()} == {"spawn", "memory"}


def test_a_name_is_saved_anew_for_each_scenario_and_its_parameters(lab: SteadyLab) -> None:
    lab.save("-s", "memory", "-p", "actors=7")
    lab.change(memory=2000)
    lab.save("-s", "memory")
    assert len(lab.judge("-s", "memory", "-p", "actors=100")["scenarios"]) == 1
    assert len(lab.judge("-s", "memory", status=1)["scenarios"]) == 2


def test_compared_and_saved_under_another_name_in_one_go(lab: SteadyLab) -> None:
    both = ("-s", "memory", "--baseline", "main", "--save-baseline", "pr-123")
    lab(*both)
    said = json.loads(lab("--baseline", "pr-123", "--json").stdout)
    assert {row["variant"] for row in said["scenarios"][0]["metrics"]} == {"lab"}


def test_a_person_reads_a_table(lab: SteadyLab) -> None:
    lab.change(spawn=1500)
    said = lab("--baseline", "main", "-s", "spawn", status=1).stdout
    assert "steady spawn: against the baseline main" in said
    assert "regression" in said
    assert "10.0 %" in said
    assert "compared both builds (the baseline's is that of" in said


def test_the_same_preset_makes_forks_of_the_shape_that_was_found_then(lab: SteadyLab) -> None:
    for header in lab.results.glob("runs/*/run.json"):
        run = json.loads(header.read_text())
        # Without what was planned, no later run takes it over for itself.
        header.write_text(json.dumps({**run, "options": {**run["options"], "samples": 3.0}, "planned": {}}))
    lab.judge("-s", "memory", "--quick", "--rounds", "4")
    latest = max(lab.results.glob("runs/*-memory-*/run.json"), key=lambda path: path.stat().st_mtime)
    assert json.loads(latest.read_text())["options"]["samples"] == 3


def test_a_variant_that_fails_now_is_a_failure(lab: SteadyLab) -> None:
    lab.change(broken=["lab"])
    found = lab.judge("-s", "memory", status=4)
    assert "a child was lost" in found["scenarios"][0]["failures"]["lab"]


def test_a_baseline_of_another_machine_is_refused(lab: SteadyLab) -> None:
    for header in lab.results.glob("runs/*/run.json"):
        run = json.loads(header.read_text())
        run["machine"]["cpu"] = "Another Processor"
        header.write_text(json.dumps(run))
    said = lab("--baseline", "main", status=2).stderr
    assert "was saved on another machine: Another Processor" in said
    assert "never compared" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--baseline", "mian"], "did you mean 'main'"),
        (["--baseline", "main", "-s", "idle"], "it holds: memory, spawn"),
        (["--baseline", "main", "-s", "memry"], "did you mean 'memory'"),
        (["--baseline", "main", "-v", "published"], "no variant in the baseline 'main' 'published'"),
        (["--baseline", "main", "-p", "actors=9"], "was not measured with actors=9"),
        (["--baseline", "main", "--metric", "memory"], "leave --metric out"),
        (["--save-baseline", "lab"], "'lab' is a variant of steady"),
        (["--save-baseline", "../x"], "cannot name a baseline"),
        (["--baseline", "main", "--over", "actors=1,2"], "--param in place of --over"),
    ],
)
def test_wrong_use_is_one_line_with_the_fix_and_status_2(saved: SteadyLab, arguments: list[str], says: str) -> None:
    said = saved(*arguments, status=2).stderr
    assert says in said
    assert "Traceback" not in said


def test_a_variant_goes_before_a_baseline_of_its_name(lab: SteadyLab) -> None:
    lab.save("-s", "memory", name="later")
    bench = lab.component / "bench.py"
    bench.write_text(bench.read_text().replace('"published": "before"', '"published": "before", "later": "lab"'))
    found = json.loads(lab("-s", "memory", "--quick", "--rounds", "3", "--baseline", "later", "--json").stdout)
    assert found["baseline"] == "later"
    assert "comparisons" in found
