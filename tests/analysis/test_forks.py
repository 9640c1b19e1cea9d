"""Which forks count, what may be compared with what, and that figures of a small machine say so."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from runs import HEADER, MACHINE, sample, write_run

from perflab.charts.run_charts import run_charts
from perflab.host.machine import Load
from perflab.measure import analysis
from perflab.measure.analysis import analyse, compare_runs, fork_table, noise_for
from perflab.measure.presets import Precision, usual_preset
from perflab.model.errors import UsageError
from perflab.model.protocol import Metric, Sample
from perflab.store.records import Ending
from perflab.store.runs import RunWriter, find_run
from perflab.store.runs import find_runs as runs_below

if TYPE_CHECKING:
    from perflab.host.machine import Machine
    from perflab.model.lab import Lab
    from perflab.store.runs import Run


OPTIONS = {"warmup_ms": 250, "sample_ms": 100, "samples": 2}


def test_samples_of_a_fork_that_was_interrupted_are_no_fork(results: Path) -> None:
    writer = RunWriter(HEADER, results)
    for round_ in range(4):
        for position, label in enumerate("ab"):
            writer.sample(round_, label, sample(0, 100.0 + round_))
            if (round_, label) != (3, "b"):
                writer.fork(round_, position, label, {"status": "ok", "wall_s": 0.1})
    writer.end(Ending("interrupted", 3, 1.0, Load(0.0, 0.0)))
    run = find_run(HEADER.id, results)
    table = fork_table(run, HEADER.scenario.headline)
    assert [math.isnan(value) for value in table["a"]] == [False] * 4
    assert [math.isnan(value) for value in table["b"]] == [False, False, False, True]
    assert analyse(run).comparisons[0].rounds == 3


def test_what_is_void_has_no_figure_wherever_one_looks(results: Path) -> None:
    first = write_run(results, name="first")
    second = write_run(results, name="second", failures={"b": "too much"}, void=["b"])
    assert list(fork_table(second, HEADER.scenario.headline)) == ["a"]
    assert analyse(second).comparisons == []
    with pytest.raises(UsageError, match="b is void in second"):
        compare_runs(first, second, "b")
    assert compare_runs(first, second, "a").comparisons


def test_a_run_of_which_all_is_void_has_no_chart(own_lab: Lab, results: Path) -> None:
    run = write_run(results, failures={"a": "too much", "b": "too much"}, void=["a", "b"])
    assert run_charts(own_lab, analyse(run)) == {}


def test_what_a_failed_fork_left_behind_is_in_no_chart(own_lab: Lab, results: Path) -> None:
    parts = Metric("part-queue", "counter:bytes/op", "bytes/op", "lower")
    scenario = msgspec.structs.replace(HEADER.scenario, metrics=[parts])
    writer = RunWriter(msgspec.structs.replace(HEADER, scenario=scenario), results)
    for round_ in range(5):
        for position, label in enumerate("ab"):
            failed = (round_, label) == (4, "b")
            figure = 7e9 if failed else 100.0 + round_
            times = {"p50": figure, "max": figure}
            writer.sample(round_, label, Sample(0, 1000, 1000 * figure, times, {"bytes": 1000 * figure}))
            writer.fork(round_, position, label, {"status": "it crashed" if failed else "ok", "wall_s": 0.1})
    writer.end(Ending("rounds", 5, 1.0, Load(0.0, 0.0), {"b": "it crashed"}))
    analysis = analyse(find_run(HEADER.id, results))
    assert analysis.summaries["b"].forks == 4
    drawn = run_charts(own_lab, analysis)
    assert {"values", "distribution", "latency", "parts"} <= drawn.keys()
    for name, chart in drawn.items():
        assert "7.00 s" not in chart.text, name
        assert "GiB" not in chart.text, name
    strips = [trace for trace in drawn["distribution"].figure_json["data"] if trace["mode"] == "markers"]
    assert [len(strip["x"]) for strip in strips] == [5, 4]


def test_runs_whose_forks_are_of_another_length_are_not_compared(results: Path) -> None:
    short = write_run(results, name="short", header=msgspec.structs.replace(HEADER, options=OPTIONS))
    longer = msgspec.structs.replace(HEADER, options={**OPTIONS, "warmup_ms": 1000})
    with pytest.raises(UsageError, match="forks of another length"):
        compare_runs(short, write_run(results, name="long", header=longer), "a")


def test_a_metric_that_cannot_be_told_is_an_error_with_a_way_out(results: Path) -> None:
    scenario = msgspec.structs.replace(HEADER.scenario, metrics=[Metric("waits", "counter:waits/op", "waits", "lower")])
    run = write_run(results, header=msgspec.structs.replace(HEADER, scenario=scenario))
    with pytest.raises(UsageError, match="no figures of waits") as failed:
        analyse(run, "waits")
    assert failed.value.hint


@pytest.mark.parametrize(("spread", "enough"), [(0.001, True), (0.5, False)])
def test_a_variant_alone_is_measured_until_its_own_interval_is_narrow(spread: float, enough: bool) -> None:
    precision = Precision(HEADER.scenario.headline, {}, 0.01)
    for round_ in range(12):
        precision.add(round_, "a", [sample(0, 100.0 * (1 + spread * (-1) ** round_))])
    assert precision.reached([]) is enough


def test_the_noise_band_is_of_forks_as_long_as_the_runs(results: Path) -> None:
    twice = msgspec.structs.replace(HEADER, kind="noise", options=OPTIONS)
    write_run(results, name="noise", header=twice)
    same = msgspec.structs.replace(HEADER, options=OPTIONS)
    other = msgspec.structs.replace(HEADER, options={**OPTIONS, "samples": 5})
    assert noise_for(same, HEADER.scenario.headline.of, 5, results) is not None
    assert noise_for(other, HEADER.scenario.headline.of, 5, results) is None


def test_runs_that_stopped_at_a_precision_claim_no_more_of_it(results: Path) -> None:
    header = msgspec.structs.replace(HEADER, options={**OPTIONS, "half_width": 0.2})
    first = write_run(results, name="first", header=header, reason="rounds")
    second = write_run(results, name="second", header=header, reason="precision")
    (one,) = compare_runs(first, second, "a").comparisons
    assert one.estimate.low is not None
    assert one.estimate.high is not None
    assert (one.estimate.low, one.estimate.high) == pytest.approx((1 / 1.2, 1.2))


def test_an_interval_across_runs_is_made_for_one_look_and_says_so(results: Path) -> None:
    first = write_run(results, name="first")
    second = write_run(results, name="second", reason="decided")
    notes = compare_runs(first, second, "a").notes
    assert [note.split(" ended ")[0] for note in notes if "decided" in note] == ["second"]


def test_the_store_is_read_once_however_many_runs_are_analysed(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [write_run(results, name=f"run-{number}") for number in range(8)]
    read: Counter[str] = Counter()
    listed: list[Path] = []

    def find_runs(folder: Path, **only: str) -> list[Run]:
        listed.append(folder)
        return runs_below(folder, **only)

    monkeypatch.setattr(analysis, "find_runs", find_runs)
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        if path.suffix == ".json":
            read[f"{path.parent.name}/{path.name}"] += 1
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    for run in runs:
        analyse(run)
    assert not [name for name, times in read.items() if times > 1]
    assert listed == [results]


def test_a_noise_run_that_ends_after_the_store_was_read_gives_the_band(results: Path) -> None:
    run = write_run(results)
    assert analyse(run).noise is None
    noise = msgspec.structs.replace(HEADER, kind="noise", id="noise")
    writer = RunWriter(noise, results)
    for round_ in range(5):
        for position, label in enumerate("ab"):
            writer.sample(round_, label, sample(0, 100.0 + round_ + position))
            writer.fork(round_, position, label, {"status": "ok", "wall_s": 0.1})
    assert analyse(run).noise is None, "it has not ended"
    writer.end(Ending("rounds", 5, 1.0, Load(0.0, 0.0)))
    assert analyse(run).noise is not None
    (results / "runs" / "noise").rename(results / "gone")
    assert noise_for(HEADER, HEADER.scenario.headline.of, 5, results) is None


SMALL = msgspec.structs.replace(MACHINE, quota=1.0, memory_limit=2**31)


@pytest.mark.parametrize(("machine", "said"), [(MACHINE, 0), (SMALL, 1)])
def test_a_runs_figures_begin_with_it(tmp_path: Path, machine: Machine, said: int) -> None:
    notes = analyse(write_run(tmp_path, machine=machine)).notes
    assert [note.partition(":")[0] for note in notes].count("measured on one core with 2 GiB") == said
    assert said == 0 or notes[0].startswith("measured on")


@pytest.mark.parametrize(("machine", "preset"), [(MACHINE, "normal"), (SMALL, "quick")])
def test_the_usual_preset_fits_the_machine(monkeypatch: pytest.MonkeyPatch, machine: Machine, preset: str) -> None:
    monkeypatch.setattr("perflab.measure.presets.this_machine", lambda: machine)
    assert usual_preset() == preset
