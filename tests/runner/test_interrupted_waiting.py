"""Ctrl-C while a run waits for a quiet machine: it is sealed like any other, and says that it was interrupted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from silent import Silent

from perflab.host import load
from perflab.measure import measure as measuring
from perflab.measure.measure import measure
from perflab.measure.plan import Request
from perflab.model.lab import CHECKOUT, Lab
from perflab.store.runs import find_runs
from perflab.topics.catalogue import find_component

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
