"""Which preset a request means, and how its run ends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from silent import Silent

from perflab.host import machine as load
from perflab.measure import measure as measuring
from perflab.measure.analysis import analyse
from perflab.measure.measure import measure
from perflab.measure.plan import Request, chosen_preset
from perflab.measure.presets import PRESETS
from perflab.model.lab import CHECKOUT, Lab
from perflab.store.runs import find_runs, read_run
from perflab.store.tables import write_table
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


@pytest.mark.parametrize(
    ("preset", "needed", "warmup_ms"), [("quick", 900, 900), ("quick", 10, 250), ("smoke", 900, 50)]
)
def test_a_runtime_is_given_the_warm_up_that_it_needs(toy: Component, preset: str, needed: int, warmup_ms: int) -> None:
    bench = msgspec.structs.replace(toy.manifest.bench, warmup_ms=needed)
    slow = replace(toy, manifest=msgspec.structs.replace(toy.manifest, bench=bench))
    assert chosen_preset(Request(slow, preset=preset)) == (
        preset,
        msgspec.structs.replace(PRESETS[preset], warmup_ms=warmup_ms),
    )


def test_who_names_a_warm_up_gets_it(toy: Component) -> None:
    assert chosen_preset(Request(toy, preset="quick", overrides={"warmup_ms": 1}))[1].warmup_ms == 1


SHORT = {"warmup_ms": 1, "sample_ms": 1, "samples": 1, "half_width": 1e-9, "budget_s": 600, "min_rounds": 3}


def measured(toy: Component, *, until_decided: bool, max_rounds: int = 9) -> tuple[Run, list[int]]:
    """A run whose claims are decided from its first round on, and the rounds after which it was asked."""
    asked = []

    def on_round(run: Run) -> bool:
        assert run.ending is not None
        asked.append(run.ending.rounds)
        return True

    request = Request(
        toy,
        variants=["plain", "wasteful"],
        preset="quick",
        overrides={**SHORT, "max_rounds": max_rounds},
        until_decided=until_decided,
    )
    return measure(request, Silent(), on_round), asked


def test_it_ends_at_the_first_look_that_its_intervals_are_made_for(toy: Component) -> None:
    run, asked = measured(toy, until_decided=True)
    assert run.ending is not None
    assert (run.ending.reason, run.ending.rounds) == ("decided", 6)
    assert asked == [3, 4, 5, 6]
    kept = read_run(run.folder)
    assert kept.complete
    assert kept.header.sequential == 6


def test_one_that_may_not_goes_on_to_its_own_end(toy: Component) -> None:
    run, asked = measured(toy, until_decided=False)
    assert run.ending is not None
    assert (run.ending.reason, run.ending.rounds) == ("rounds", 9)
    assert asked[-1] == 9
    assert run.header.sequential == 0


def test_one_that_could_have_has_intervals_for_all_looks_however_it_ended(toy: Component) -> None:
    run, _ = measured(toy, until_decided=True)
    header = run.folder / "run.json"
    # Figures of a busy machine may vary so much that both intervals begin at 0.
    samples = run.samples()
    samples["ns"] = samples["ops"] * (100 + samples["round"] % 3 * np.char.str_len(samples["variant"]))
    write_table(run.folder / "samples.npz", samples)
    looked = analyse(read_run(run.folder))
    older = json.loads(header.read_text())
    assert older.pop("sequential") == 6
    header.write_text(json.dumps(older))  # as before there were looks
    once = analyse(read_run(run.folder))
    for wide, narrow in (
        (looked.comparisons[0].estimate, once.comparisons[0].estimate),
        (looked.summaries["plain"].mean, once.summaries["plain"].mean),
    ):
        assert wide is not None
        assert narrow is not None
        assert wide.value == pytest.approx(narrow.value)
        assert wide.low < narrow.low < narrow.high < wide.high


MANY_THREADS = 1e6


class Impatient(Silent):
    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        super().update(done, text, seconds_left)
        if text.startswith("waiting for the machine"):
            raise KeyboardInterrupt


def test_the_run_is_sealed(own_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    kettle = find_component(replace(own_lab, components=CHECKOUT / "tests" / "fixtures" / "sweeps"), "kettle")
    monkeypatch.setattr(load, "run_queue", lambda: MANY_THREADS)
    monkeypatch.setattr(measuring, "_PATIENCE", 0.1)
    with pytest.raises(KeyboardInterrupt):
        measure(Request(kettle, preset="quick"), Impatient())
    (run,) = find_runs(own_lab.results)
    assert run.ending is not None
    assert run.ending.reason == "interrupted"
