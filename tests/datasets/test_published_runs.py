"""What a report's authors measured: tidy, and what the report makes of it can be computed again."""

from __future__ import annotations

import re
from functools import cache
from statistics import mean
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from perflab.claims.ledger import read_ledger
from perflab.model.lab import CHECKOUT
from perflab.stats.composite import Composite

if TYPE_CHECKING:
    from perflab.stats.composite import Score

DATASETS = CHECKOUT / "datasets"
README = (DATASETS / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("## `published/runs/REPORT.csv`") :]
MODES = ("all", "burn", "cost", "delay", "fast")
CHARTED = ("Stream8", "RxJava", "Direct", "Conversant", "QuasarFair", "JctoolsFair", "ForkJoin", "Kilim")
"""What upstream plots, by its modes.m."""


@pytest.fixture(scope="module")
def saved() -> pd.DataFrame:
    return pd.read_csv(DATASETS / "published" / "runs" / "reactive-bench.csv")


@cache
def scores() -> dict[str, list[Score]]:
    """Per implementation its scores on each machine, by the report's method: what is missing counts as zero."""
    table = pd.read_csv(DATASETS / "published" / "runs" / "reactive-bench.csv")
    everyone = set(table["implementation"])
    found: dict[str, list[Score]] = {name: [] for name in everyone}
    for _, own in table.groupby("machine"):
        rounds = {
            str(mode): {
                name: [value] for name, value in zip(rows["implementation"], rows["median_ops_per_s"], strict=True)
            }
            for mode, rows in own.groupby("mode")
        }
        void = {mode: everyone - set(values) for mode, values in rounds.items()}
        for score in Composite(rounds, dict.fromkeys(rounds, "higher"), void).scores():
            found[score.label].append(score)
    return found


def by_mode(name: str) -> dict[str, float]:
    """In per cent of the best, the mean of the machines."""
    return {mode: 100 * mean(one.shares[mode].value for one in scores()[name]) for mode in MODES}


def overall(name: str) -> float:
    return mean(by_mode(name).values())


def spread(name: str) -> float:
    return overall(name) - min(by_mode(name).values())


def test_the_readme_explains_each_column_and_each_machine(saved: pd.DataFrame) -> None:
    explained = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", SECTION, re.MULTILINE)))
    assert [name for name in explained if name in saved.columns] == list(saved.columns)
    assert set(saved["machine"]) == set(re.findall(r"^\| `([\w]+\.[\w]+)` \|", SECTION, re.MULTILINE))
    assert f"{saved['runs'].sum()} JMH results" in SECTION


def test_a_median_lies_between_its_ends_and_nothing_stands_twice(saved: pd.DataFrame) -> None:
    assert not saved.duplicated(["machine", "implementation", "mode"]).any()
    middle = saved["median_ops_per_s"]
    assert ((saved["min_ops_per_s"] <= middle) & (middle <= saved["max_ops_per_s"])).all()
    assert (saved["min_ops_per_s"] > 0).all()
    assert (saved["runs"] > 0).all()
    assert set(saved["mode"]) == set(MODES)


def test_no_result_is_missing_but_where_back_pressure_broke_the_hard_limit(saved: pd.DataFrame) -> None:
    present = set(saved[["machine", "implementation", "mode"]].itertuples(index=False, name=None))
    missing = {
        (machine, name, mode)
        for machine in set(saved["machine"])
        for name in set(saved["implementation"])
        for mode in MODES
        if (machine, name, mode) not in present
    }
    assert missing == {(machine, "Stream8", "delay") for machine in set(saved["machine"])} | {
        ("c5.2xl", "ForkJoin", "delay")
    }


def test_the_reports_figures_come_out_of_its_runs() -> None:
    # The report promises its saved runs within 3 % of the charts.
    assert min(by_mode("Kilim").values()) == pytest.approx(64, rel=0.03)
    next_best = [min(by_mode(name).values()) for name in ("ForkJoin", "JctoolsFair", "Jctools", "Conversant")]
    assert next_best == pytest.approx([51] * 4, rel=0.03)
    assert [round(value) for value in next_best] == [52, 51, 51, 51]
    assert spread("Conversant") == pytest.approx(15, rel=0.03)
    assert [spread(name) for name in ("JctoolsFair", "ForkJoin", "Stream8")] == pytest.approx([22, 22, 62], rel=0.03)


# What the ledger's notes say of upstream's own runs.


def test_both_forms_of_kilim_are_ahead_of_all_in_the_mean_and_in_the_worst_mode() -> None:
    assert sorted(scores(), key=overall)[-2:] == ["Kilim", "Movie"]
    worst = {name: min(by_mode(name).values()) for name in scores()}
    assert sorted(worst, key=worst.__getitem__)[-3:] == ["ForkJoin", "Kilim", "Movie"]


def test_conversant_is_the_most_consistent_of_those_in_the_charts() -> None:
    assert sorted(CHARTED, key=spread)[:3] == ["Conversant", "JctoolsFair", "ForkJoin"]


def test_streams_have_the_highest_throughput_in_the_mean_and_on_one_machine_of_three(saved: pd.DataFrame) -> None:
    assert max(scores(), key=lambda name: by_mode(name)["fast"]) == "Stream8"
    fast = saved[saved["mode"] == "fast"].pivot_table("median_ops_per_s", "implementation", "machine")
    assert fast.idxmax().to_dict() == {"c5.2xl": "Stream8", "c5.xl": "Kilim", "i5.2500": "Kilim"}


def test_kilim_has_the_highest_throughput_of_all_queues_on_every_machine(saved: pd.DataFrame) -> None:
    queues = set(CHARTED) - {"Direct", "Stream8"}
    fast = saved[(saved["mode"] == "fast") & saved["implementation"].isin(queues)]
    assert set(fast.loc[fast.groupby("machine")["median_ops_per_s"].idxmax(), "implementation"]) == {"Kilim"}


def test_rxjava_is_ahead_of_kilim_with_mixed_load_on_two_machines_of_three(saved: pd.DataFrame) -> None:
    cost = saved[saved["mode"] == "cost"].pivot_table("median_ops_per_s", "machine", "implementation")
    assert set(cost.index[cost["RxJava"] > cost["Kilim"]]) == {"c5.xl", "i5.2500"}
    assert max(scores(), key=lambda name: by_mode(name)["cost"]) == "Kilim"


def test_one_thread_takes_the_range_of_the_fidelity_claim(saved: pd.DataFrame) -> None:
    claims = {claim.id: claim for claim in read_ledger("reactive-bench", DATASETS / "claims").claims}
    alone = saved[(saved["implementation"] == "Direct") & (saved["mode"] == "fast")]["median_ops_per_s"]
    assert claims["one-thread-throughput"].published.range == (alone.min(), alone.max())


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("streams-faithful", "Stream8"),
        ("kilim-faithful", "Kilim"),
        ("kilim-faithful-mixed-load", "Kilim"),
        ("conversant-faithful", "Conversant"),
        ("jctools-faithful", "JctoolsFair"),
        ("forkjoin-faithful", "ForkJoin"),
        ("quasar-faithful", "QuasarFair"),
        ("rxjava-faithful", "RxJava"),
    ],
)
def test_the_factors_over_one_thread_are_those_of_the_fidelity_claims(
    saved: pd.DataFrame, claim: str, name: str
) -> None:
    found = {one.id: one for one in read_ledger("reactive-bench", DATASETS / "claims").claims}[claim]
    rates = saved[saved["mode"] == found.scenario].pivot_table("median_ops_per_s", "machine", "implementation")
    factors = rates[name] / rates["Direct"]
    assert found.published.range == pytest.approx((factors.min(), factors.max()), rel=5e-4)


def test_it_is_quasars_fair_channel_that_wins_heavy_lifting_and_on_one_machine_it_does_not() -> None:
    heavy = sorted(scores(), key=lambda name: by_mode(name)["all"])
    assert heavy[-3:] == ["Quasar", "ForkJoin", "QuasarFair"]
    second = [one.shares["all"].value for one in scores()["QuasarFair"]]
    assert sorted(share < 1 for share in second) == [False, False, True]


def test_under_back_pressure_only_one_queue_keeps_half_of_the_best_on_every_machine(saved: pd.DataFrame) -> None:
    delay = saved[saved["mode"] == "delay"].pivot_table("median_ops_per_s", "implementation", "machine")
    shares = (delay / delay.max()).fillna(0).drop(["Direct"])
    assert list(shares.index[shares.min(axis=1) > 0.5]) == ["JctoolsFair"]


def test_under_back_pressure_one_thread_is_ahead_of_every_queue() -> None:
    delay = sorted(scores(), key=lambda name: by_mode(name)["delay"])
    assert delay[-3:] == ["Movie", "JctoolsFair", "Direct"]
