"""The figures of a sealed run's forks stand beside it, and are those of its samples."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from runs import HEADER, write_run

from perflab.measure.analysis import analyse
from perflab.model.errors import UsageError
from perflab.model.protocol import Metric
from perflab.store.forks import FIGURES_FILE, fork_figures, write_figures
from perflab.store.runs import Run, read_run

ROOT = Path(__file__).parents[2]
METRICS = [Metric("p50", "p50", "ns", "lower"), Metric("none", "p99", "ns", "lower")]
HEADER_WITH_METRICS = msgspec.structs.replace(
    HEADER, scenario=msgspec.structs.replace(HEADER.scenario, metrics=METRICS)
)


def test_figures_beside_a_run_are_those_of_its_samples(results: Path) -> None:
    values = {"a": [100.0, float("nan"), 102.0], "b": [50.0, 51.0, 52.0]}
    run = write_run(results, header=HEADER_WITH_METRICS, values=values)
    sealed = fork_figures(run, ["time", "p50", "p99"])
    assert sealed.figures["time"] == {"a": [100.0, None, 102.0], "b": [50.0, 51.0, 52.0]}
    assert sealed.operations == {"a": 1.0, "b": 1.0}
    assert "p99" in sealed.lacking
    (run.folder / FIGURES_FILE).unlink()
    assert fork_figures(run, ["time", "p50", "p99"]) == msgspec.structs.replace(sealed, size=0)


def test_a_sealed_run_is_analysed_without_its_samples(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(results)

    def read(*_: object) -> None:
        raise AssertionError("its samples are read")

    monkeypatch.setattr(Run, "samples", read)
    assert analyse(run).comparisons[0].estimate is not None


def test_figures_of_other_samples_or_cut_short_are_not_used(results: Path) -> None:
    run = write_run(results)
    (run.folder / "samples.npz").unlink()
    lines = (run.folder / "samples.jsonl").read_text().splitlines()
    (run.folder / "samples.jsonl").write_text("\n".join(lines[:4]) + "\n")
    assert fork_figures(run, ["time"]).rounds == 1
    (run.folder / FIGURES_FILE).write_text('{"rounds":')
    assert fork_figures(run, ["time"]).rounds == 1


def test_samples_of_a_round_that_no_fork_leads_to_fill_no_memory(results: Path) -> None:
    run = write_run(results)
    (run.folder / "samples.npz").unlink()
    lines = (run.folder / "samples.jsonl").read_text()
    (run.folder / "samples.jsonl").write_text(lines.replace('"round":2', '"round":1000000'))
    with pytest.raises(UsageError, match="samples of rounds without forks"):
        fork_figures(run, ["time"])


COMMITTED = sorted(ROOT.glob("datasets/reference/runs/*/run.json"))


@pytest.mark.parametrize("header", COMMITTED[::20], ids=lambda path: path.parent.name)
def test_committed_figures_are_those_of_the_committed_samples(header: Path, tmp_path: Path) -> None:
    copy = tmp_path / header.parent.name
    copy.mkdir()
    for path in header.parent.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    write_figures(read_run(copy))
    made = msgspec.json.decode((copy / FIGURES_FILE).read_bytes())
    assert made == msgspec.json.decode((header.parent / FIGURES_FILE).read_bytes())
