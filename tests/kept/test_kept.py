"""What perflab says of the committed evidence stays the same while its inside changes.

`kept.json` holds what 6787de6e said. After a change that is meant, `python tests/kept/test_kept.py` writes it again.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("kept.json")
LEDGERS = {path.stem: path.parents[2] for path in sorted(ROOT.glob("datasets/claims/*.yaml"))} | {
    path.stem: path.parents[2] for path in sorted(ROOT.glob("examples/*/perflab/claims/*.yaml"))
}
BENCHES = ("Get/8", "List/8"), ("List/8", "List/64"), ("Get/64", "Clock/8")
FIGURES = ("candidate", "estimate", "low", "high", "verdict")


def run(*words: str, results: str, cwd: Path = ROOT) -> dict[str, Any]:
    """Run a command of the lab on no results but the committed ones and those in `results`."""
    places = {"PERFLAB_RESULTS": results, "PERFLAB_LOCK": f"{results}/lock"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **places}
    command = [sys.executable, "-P", "-m", "perflab", *words, "--json"]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def verdicts(report: str, results: str) -> dict[str, list[object]]:
    """Return the word, estimate and interval of each claim of a report."""
    claims = run("claims", report, results=results, cwd=LEDGERS[report])["claims"]
    return {one["id"]: [one["verdict"], one["measured"], one["interval"], one["origin"]] for one in claims}


def bench(benchmarks: tuple[str, str], results: str) -> dict[str, list[object]]:
    """Return the figures of a harness's saved output: they are the same whenever they are measured."""
    words = [str(ROOT / "tests/fixtures/harness/gbench"), *benchmarks, "--preset", "smoke"]
    answer = run("bench", "--gbench", *words, results=results)
    return {
        one["metric"]["name"]: [
            one["metric"]["unit"],
            *(pair[figure] for pair in one["comparisons"] for figure in FIGURES),
        ]
        for one in (answer, *answer["others"].values())
    }


def outputs() -> dict[str, list[list[str]]]:
    """Return the kinds of outputs of each cell of the committed notebooks."""
    kinds: dict[str, list[list[str]]] = {}
    for path in sorted(ROOT.glob("notebooks/*.ipynb")):
        cells = nbformat.read(path, 4).cells
        kinds[path.stem] = [
            sorted({kind for one in cell.get("outputs", []) for kind in one.get("data", {one.output_type: ""})})
            for cell in cells
        ]
    return kinds


def pages(results: str) -> list[str]:
    """Return the names of the report's pages."""
    with tempfile.TemporaryDirectory() as folder:
        run("report", "--no-notebook", "--out", f"{folder}/site", results=results)
        return sorted(str(path.relative_to(f"{folder}/site")) for path in Path(folder, "site").rglob("*.html"))


def same(value: object, kept: object) -> bool:
    """Say whether two JSON values are the same but for rounding: other processors add up in other orders."""
    if isinstance(value, dict) and isinstance(kept, dict):
        return value.keys() == kept.keys() and all(same(value[name], kept[name]) for name in kept)
    if isinstance(value, list) and isinstance(kept, list):
        return len(value) == len(kept) and all(map(same, value, kept))
    if isinstance(value, float) and isinstance(kept, float):
        return math.isclose(value, kept, rel_tol=1e-9)
    return value == kept


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return read


@pytest.mark.parametrize("report", LEDGERS)
def test_every_verdict_of_a_ledger_is_kept(report: str, kept: dict[str, Any], tmp_path: Path) -> None:
    found = verdicts(report, str(tmp_path))
    assert {name: one for name, one in found.items() if not same(one, kept["claims"][report].get(name))} == {}
    assert found.keys() == kept["claims"][report].keys()


@pytest.mark.parametrize("benchmarks", BENCHES, ids=" ".join)
def test_figures_of_a_saved_harness_output_are_kept(
    benchmarks: tuple[str, str], kept: dict[str, Any], tmp_path: Path
) -> None:
    assert same(bench(benchmarks, str(tmp_path)), kept["bench"][" ".join(benchmarks)])


def test_the_kinds_of_outputs_in_notebooks_are_kept(kept: dict[str, Any]) -> None:
    assert outputs() == kept["outputs"]


def test_the_pages_of_the_report_are_kept(kept: dict[str, Any], tmp_path: Path) -> None:
    assert pages(str(tmp_path)) == kept["pages"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        now = {
            "claims": {report: verdicts(report, empty) for report in LEDGERS},
            "bench": {" ".join(pair): bench(pair, empty) for pair in BENCHES},
            "outputs": outputs(),
            "pages": pages(empty),
        }
    lines = (f'"{key}": {json.dumps(value)}' for key, value in now.items())
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
