"""The noise band: calibrated, symmetric, and honest about false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulated import simulate

from perflab.stats import noise
from perflab.stats.noise import noise_band


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cpu-bound", "lock-contended"])
@pytest.mark.parametrize("pairs", [5, 20])
def test_the_band_holds_95_percent_of_future_estimates(kind: str, pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 10
    past = simulate(kind, pairs, factor=1.0, experiments=400, seed=7).scores
    future = simulate(kind, rounds, factor=1.0, experiments=400, seed=8).scores.mean(axis=1)
    # The false alarms are not looked at here, and resampling them 400 times would take minutes.
    monkeypatch.setattr(noise, "_EXPERIMENTS", 1)
    reach = np.array([_reach(np.exp(row), rounds) for row in past])
    assert 0.92 <= np.mean(np.abs(future) <= reach) <= 0.98


def _reach(ratios: np.ndarray, rounds: int) -> float:
    return math.log(noise_band(list(ratios), rounds=rounds).ratio.high)


def test_which_side_is_the_numerator_does_not_matter() -> None:
    ratios = np.exp(simulate("lock-contended", 15, factor=1.0, experiments=1).scores[0])
    here, there = noise_band(list(ratios)), noise_band(list(1 / ratios))
    assert (here.ratio.low, here.ratio.high) == pytest.approx((there.ratio.low, there.ratio.high))
    assert here.ratio.low == pytest.approx(1 / here.ratio.high)
    assert (here.pairs, here.rounds) == (15, 15)


def test_more_rounds_narrow_it() -> None:
    ratios = list(np.exp(simulate("cpu-bound", 20, factor=1.0, experiments=1).scores[0]))
    assert (
        noise_band(ratios, rounds=5).ratio.high
        > noise_band(ratios, rounds=20).ratio.high
        > noise_band(ratios, rounds=80).ratio.high
        > 1
    )


@pytest.mark.parametrize("kind", ["cpu-bound", "lock-contended"])
def test_the_false_alarms_are_about_what_the_level_says(kind: str) -> None:
    ratios = list(np.exp(simulate(kind, 20, factor=1.0, experiments=1, seed=9).scores[0]))
    assert 0.01 <= noise_band(ratios, rounds=10).false_alarms <= 0.08


def test_the_false_alarms_are_counted_once_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each analysis of a run has the band: of 300 pairs, each took seconds.
    counted: list[int] = []
    real = noise._false_alarm_rate  # noqa: SLF001 - how often it is called
    monkeypatch.setattr(noise, "_false_alarm_rate", lambda logs, rounds: counted.append(rounds) or real(logs, rounds))
    band = noise_band([1.0, 1.1, 0.9])
    assert not counted
    assert band.false_alarms == band.to_dict()["false_alarms"]
    assert counted == [3]


def test_of_many_pairs_the_newest_tell_the_false_alarms() -> None:
    rng = np.random.default_rng(7)
    old, new = np.exp(rng.normal(0.5, 0.01, 1_000)), np.exp(rng.normal(0.0, 0.01, 300))
    many = noise_band([*old, *new])
    assert many.pairs == 1_300
    assert many.false_alarms == noise_band(new.tolist()).false_alarms


def test_missing_forks_are_left_out_and_a_silent_machine_has_no_band() -> None:
    assert noise_band([1.0, math.nan, 1.0, 1.0]).pairs == 3
    silent = noise_band([1.0] * 6)
    assert (silent.ratio.low, silent.ratio.high, silent.false_alarms) == (1.0, 1.0, 0.0)
    assert silent.to_dict()["pairs"] == 6


@pytest.mark.parametrize(
    ("ratios", "options", "text"),
    [
        ([1.0, 1.1], {}, "at least 3 A/A pairs"),
        ([1.0, 1.1, 0.0], {}, "above zero"),
        ([1.0, 1.1, math.inf], {}, "finite"),
        ([1.0, 1.1, 0.9], {"rounds": 2}, "at least 3 rounds"),
    ],
)
def test_bad_input_is_refused(ratios: list[float], options: dict[str, int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        noise_band(ratios, **options)


def test_in_json_the_band_lies_flat() -> None:
    found = noise_band([1.0, 1.1, 0.9])
    assert list(found.to_dict()) == ["low", "high", "coverage", "pairs", "rounds", "false_alarms"]
    assert (found.to_dict()["low"], found.to_dict()["high"]) == found.ratio.interval
