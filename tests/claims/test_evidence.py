"""Evidence from runs on disk."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from claiming import make_claim, make_ledger
from runs import HEADER, MACHINE, write_run

from perflab.charts.run_charts import run_charts
from perflab.claims.evidence import Evidence, Results, gather
from perflab.claims.ledger import Needs, Published, Untestable
from perflab.claims.requirements import required_by
from perflab.claims.verdict import judge, judge_ledger
from perflab.host.machine import OTHERS_LIMIT, STEAL_LIMIT, Load
from perflab.measure.analysis import analyse
from perflab.measure.counted import EXACT, counted_scenario
from perflab.model.project import SavedBench
from perflab.model.protocol import Metric, Parameter, Sample
from perflab.profile.callgrind import COUNTS
from perflab.store.records import Arm, Ending, Unsettled
from perflab.store.runs import RunWriter, find_run
from perflab.topics.manifest import ScoreTable

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.topics.catalogue import Component

WHY = "the outcome did not validate"
CLAIM = make_claim("order", "faster", baseline="a", candidate="b", scenario="sum")


@pytest.fixture(autouse=True)
def _this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is the one whose runs `write_run` makes."""
    monkeypatch.setattr("perflab.claims.evidence.this_machine", lambda: MACHINE)


def test_a_verdict_says_that_the_machine_was_busy(own_lab: Lab, results: Path) -> None:
    ledger = make_ledger(CLAIM)
    write_run(results, name="20260101-000000-toy-sum-0000")
    assert judge(CLAIM, gather(own_lab, ledger)["faster"]).evidence.busy == {}
    write_run(results, name="20260102-000000-toy-sum-0000", warnings=["the machine was busy"])
    verdict = judge(CLAIM, gather(own_lab, ledger)["faster"])
    displaced = "it takes the place of 20260101-000000-toy-sum-0000, which was not disturbed"
    assert verdict.evidence.busy == {"20260102-000000-toy-sum-0000": ["the machine was busy", displaced]}
    assert verdict.to_dict()["busy"] == verdict.evidence.busy


QUIET = Load(0.0, STEAL_LIMIT, OTHERS_LIMIT)
BUSY, STOLEN = (msgspec.structs.replace(QUIET, **much) for much in ({"others": 0.5}, {"steal": 0.3}))


@pytest.mark.parametrize("load", [QUIET, BUSY, STOLEN])
@pytest.mark.parametrize("unit", ["ns", "sums/s", "bytes/sum", "retries/sum"])
def test_a_busy_machine_decides_no_time_or_rate(own_lab: Lab, results: Path, unit: str, load: Load) -> None:
    scenario = msgspec.structs.replace(HEADER.scenario, unit=unit)
    write_run(results, header=msgspec.structs.replace(HEADER, scenario=scenario), load=load)
    (found,) = judge_ledger(own_lab, make_ledger(CLAIM))
    disturbed = load is not QUIET and unit in {"ns", "sums/s"}
    assert found.word == ("undecided" if disturbed else "reproduced")
    assert found.reason == f"{'the machine was busy: ' * disturbed}b against a: {found.evidence.estimate}"
    assert found.to_dict()["interval"]
    assert found.is_disturbed == disturbed


def test_a_busy_machine_changes_no_other_verdict(own_lab: Lab, results: Path) -> None:
    write_run(results, name="1-void", failures={"b": WHY}, void=["b"], load=BUSY)
    (void,) = judge_ledger(own_lab, make_ledger(CLAIM))
    far = make_claim("absolute", published=Published("ns", 90), candidate="a", scenario="sum")
    write_run(results, name="2-whole", load=BUSY)
    (absolute,) = judge_ledger(own_lab, make_ledger(far))
    assert [void.word, absolute.word] == ["void", "untestable here"]
    assert not judge(make_claim("mechanism"), Evidence(passed=False)).is_disturbed
    bench = replace(own_lab, benches={"toy": SavedBench(compare=["a", "b"])})
    assert judge_ledger(bench, make_ledger(CLAIM))[0].word == "reproduced", "the programs of a bench have one thread"


def test_a_verdict_says_that_its_figure_still_changed_within_processes(own_lab: Lab, results: Path) -> None:
    named = {"b": "sum", "c": "sum", "a": "other"}
    run = write_run(results, unsettled=[Unsettled(label, metric, 90, 40) for label, metric in named.items()])
    (verdict,) = judge_ledger(own_lab, make_ledger(CLAIM))
    (note,) = verdict.evidence.unsettled
    assert note.startswith("b: sum goes from 90.0 ns to 40.0 ns within a process")
    assert verdict.to_dict()["unsettled"] == [note]
    assert note in analyse(run).notes


def test_a_count_stands_beside_a_claim_about_time_and_judges_only_those_about_counts(
    own_lab: Lab, results: Path
) -> None:
    write_run(results)
    counted = counted_scenario(HEADER.scenario)
    header = msgspec.structs.replace(HEADER, id="2-counted", kind="counts", reproduction=False, scenario=counted)
    writer = RunWriter(header, results)
    for round_ in range(2):
        for position, (label, executed) in enumerate({"a": 400.0, "b": 500.0}.items()):
            counts = dict.fromkeys(COUNTS, 0.0) | {"instructions": executed}
            writer.sample(round_, label, Sample(0, 10, 1.0, counters=counts))
            writer.fork(round_, position, label, {"status": "ok", "wall_s": 0.1})
    writer.end(Ending(EXACT, 2, 1.0, Load(0.0, 0.0)))
    ledger = make_ledger(CLAIM, msgspec.structs.replace(CLAIM, id="fewer", metric="instructions"))
    timed, fewer = judge_ledger(own_lab, ledger)
    assert (timed.word, timed.evidence.runs) == ("reproduced", [HEADER.id])
    assert timed.reason.endswith("; by instructions 0.80x [0.80, 0.80]")
    assert (fewer.word, fewer.evidence.runs) == ("refuted", ["2-counted"])
    assert [one.counted for one in required_by(ledger, None).measurements] == [False, True]


def test_no_claim_rests_on_what_was_explored_unless_it_names_it(own_lab: Lab, results: Path) -> None:
    ledger = make_ledger(CLAIM)
    explored = msgspec.structs.replace(HEADER, reproduction=False)
    write_run(
        results,
        name="2-explored",
        header=explored,
        values={"a": [50.0, 51, 52, 50, 51], "b": [100.0, 101, 102, 100, 101]},
    )
    (alone,) = judge_ledger(own_lab, ledger)
    assert (alone.word, alone.evidence.runs) == ("not run", [])
    assert "2-explored, which no reproduction made" in alone.reason
    write_run(results, name="1-reproduced")
    assert gather(own_lab, ledger)["faster"].runs == ["1-reproduced"]
    pinned = msgspec.structs.replace(CLAIM, evidence="2-explored")
    (verdict,) = judge_ledger(own_lab, make_ledger(pinned))
    assert (verdict.word, verdict.evidence.runs) == ("refuted", ["2-explored"])


def test_what_else_took_part_in_a_run_does_not_widen_an_interval(own_lab: Lab, results: Path) -> None:
    times = {"a": [100.0, 110.0, 95.0, 120.0, 100.0, 105.0], "b": [50.0, 70.0, 45.0, 66.0, 60.0, 52.0]}
    others = {label: [80.0] * 6 for label in "cdefg"}
    ledger = make_ledger(CLAIM)
    write_run(results, name="1-alone", values=times, rounds=6)
    alone = gather(own_lab, ledger)["faster"]
    header = msgspec.structs.replace(HEADER, arms=[*HEADER.arms, *(Arm(label, label, "peer") for label in others)])
    write_run(results, name="2-crowd", header=header, values=times | others, rounds=6)
    crowd = gather(own_lab, ledger)["faster"]
    assert (alone.runs, crowd.runs) == (["1-alone"], ["2-crowd"])
    assert crowd.estimate == alone.estimate
    assert alone.estimate is not None
    assert alone.estimate.level == pytest.approx(0.95)


def test_a_claim_is_judged_by_a_machine_that_has_what_it_needs(
    own_lab: Lab, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = replace(own_lab, reference=tmp_path / "reference")
    narrow = msgspec.structs.replace(MACHINE, allowed=2)
    wide = msgspec.structs.replace(MACHINE, cores=16)
    contended = msgspec.structs.replace(CLAIM, needs=Needs(cores=8))
    untested = make_claim("mechanism", "shown", test="T#m", needs=Needs(cores=8))
    ledger = make_ledger(contended)
    monkeypatch.setattr("perflab.claims.evidence.this_machine", lambda: narrow)
    (verdict,) = judge_ledger(lab, ledger)
    assert (verdict.word, verdict.reason) == ("untestable here", "it needs 8 cores")
    write_run(results, machine=narrow)
    (verdict,) = judge_ledger(lab, ledger)
    assert (verdict.word, verdict.evidence.origin) == ("untestable here", "local")
    write_run(lab.reference, machine=wide)
    (elsewhere,) = judge_ledger(lab, make_ledger(untested), [Results.reference(lab, "toy")])
    assert elsewhere.word == "not run", "that machine has what it needs"
    (verdict,) = judge_ledger(lab, ledger)
    assert (verdict.word, verdict.evidence.origin) == ("reproduced", "reference")


def test_a_rebuild_that_is_not_faithful_refutes_no_claim_of_the_report(own_lab: Lab, results: Path) -> None:
    write_run(results)
    slower = msgspec.structs.replace(CLAIM, baseline="b", candidate="a")

    def words(published: float) -> list[tuple[str, str]]:
        faithful = make_claim(
            "fidelity",
            "faithful",
            ours=True,
            published=Published("ns", published),
            candidate="a",
            scenario="sum",
        )
        verdicts = judge_ledger(own_lab, make_ledger(slower, faithful))
        (alone,) = judge_ledger(own_lab, make_ledger(slower, faithful), claims=[slower])
        assert alone == verdicts[0]
        return [(one.word, one.reason.partition(":")[0]) for one in verdicts]

    assert [word for word, _ in words(90)] == ["refuted", "reproduced"]
    assert words(900)[0] == ("untestable here", "the rebuild a is not faithful")


def test_a_verdict_says_that_the_machine_was_small(
    own_lab: Lab, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = msgspec.structs.replace(MACHINE, quota=1.0, memory_limit=2**31)
    ledger = make_ledger(CLAIM)
    write_run(results, name="20260101-000000-toy-sum-0000")
    large = judge(CLAIM, gather(own_lab, ledger)["faster"])
    write_run(results, name="20260102-000000-toy-sum-0000", machine=small)
    monkeypatch.setattr("perflab.claims.evidence.this_machine", lambda: small)
    verdict = judge(CLAIM, gather(own_lab, ledger)["faster"])
    assert (verdict.word, verdict.reason) == (large.word, f"measured on one core with 2 GiB: {large.reason}")
    assert verdict.to_dict()["reason"] == verdict.reason


@pytest.mark.parametrize("broken", ["a", "b"])
def test_a_claim_about_what_is_void_is_void(own_lab: Lab, results: Path, broken: str) -> None:
    write_run(results, failures={broken: WHY}, void=[broken])
    verdict = judge(CLAIM, gather(own_lab, make_ledger(CLAIM))["faster"])
    assert (verdict.word, verdict.reason) == ("void", f"{broken} failed: {WHY}")


def test_a_claim_about_what_failed_otherwise_is_not_run(own_lab: Lab, results: Path) -> None:
    write_run(results, failures={"b": WHY})
    assert judge(CLAIM, gather(own_lab, make_ledger(CLAIM))["faster"]).word == "not run"


def test_a_run_of_which_nothing_is_left_still_says_that_it_is_void(own_lab: Lab, results: Path) -> None:
    alone = make_claim("bound", "faster", at_least=1.0)
    header = msgspec.structs.replace(HEADER, arms=HEADER.arms[1:], baseline="b")
    write_run(results, header=header, values={"b": [float("nan")]}, failures={"b": WHY}, void=["b"], reason="failed")
    assert judge(alone, gather(own_lab, make_ledger(alone))["faster"]).word == "void"


@pytest.mark.parametrize(("broken", "word"), [("b", "void"), ("c", "reproduced")])
def test_a_ranking_of_what_is_void_is_void_and_over_what_is_void_is_none(
    own_lab: Lab, results: Path, broken: str, word: str
) -> None:
    header = msgspec.structs.replace(HEADER, arms=[*HEADER.arms, Arm("c", "c", "peer")])
    times = {label: [ns + round_ for round_ in range(6)] for label, ns in (("a", 100.0), ("b", 50.0), ("c", 10.0))}
    write_run(results, header=header, values=times, rounds=6, failures={broken: WHY}, void=[broken])
    ranked = make_claim("order", "best", candidate="b", over=["a", "c"], scenario="sum")
    assert judge(ranked, gather(own_lab, make_ledger(ranked))["best"]).word == word


def test_what_was_not_run_names_the_nearest_run_and_what_differs(own_lab: Lab, results: Path) -> None:
    knob = Parameter(name="size", type="int", default=1)
    header = msgspec.structs.replace(HEADER, scenario=msgspec.structs.replace(HEADER.scenario, parameters=[knob]))
    write_run(results, name="1-far", header=msgspec.structs.replace(header, params={"size": 7}))
    write_run(results, name="2-near", header=header)
    other = msgspec.structs.replace(CLAIM, candidate="c")
    larger = msgspec.structs.replace(CLAIM, id="larger", params={"size": 1000})
    found = gather(own_lab, make_ledger(other, larger))
    assert judge(other, found["faster"]).reason == "no run fits; the nearest is 2-near, which has no c"
    assert judge(larger, found["larger"]).reason.endswith("2-near, which has size=1, not size=1000")


def test_a_claim_rests_on_the_run_that_it_names_and_on_no_newer_one(own_lab: Lab, results: Path) -> None:
    for name in ("1-pinned", "2-newer"):
        write_run(results, name=name)
    found = [
        gather(own_lab, make_ledger(msgspec.structs.replace(CLAIM, evidence=name)))["faster"]
        for name in ("", "1-pinned", "3-gone")
    ]
    assert [one.runs for one in found] == [["2-newer"], ["1-pinned"], []]
    assert found[2].why == "3-gone, which it rests on, is not here, or does not fit"


def test_a_sweep_with_a_void_end_is_void(own_lab: Lab, results: Path) -> None:
    knob = Parameter(name="size", type="int", default=1)
    scenario = msgspec.structs.replace(HEADER.scenario, parameters=[knob])
    arms = [Arm(f"b size={value}", "b", "after", params={"size": value}) for value in (1, 2)]
    header = msgspec.structs.replace(HEADER, kind="scaling", arms=arms, baseline=arms[0].label, scenario=scenario)
    void = arms[1].label
    write_run(results, header=header, values={arms[0].label: [1.0], void: [1.0]}, failures={void: WHY}, void=[void])
    sweep = make_claim(
        "scaling",
        "grows",
        candidate="b",
        scenario="sum",
        parameter="size",
        start=1,
        stop=2,
        at_most=1.0,
    )
    # Of a claim for which something is missing no more need be said.
    lacking = Untestable(kind="scaling", id="lacks", statement="s", missing="a larger machine")
    found = gather(own_lab, make_ledger(sweep, lacking))
    assert judge(sweep, found["grows"]).word == "void"
    assert judge(lacking, found["lacks"]).word == "untestable here"


def test_a_scaling_with_a_baseline_is_of_the_advantage(own_lab: Lab, results: Path) -> None:
    knob = Parameter(name="size", type="int", default=1)
    scenario = msgspec.structs.replace(HEADER.scenario, parameters=[knob])
    ns = {"a size=1": 100.0, "b size=1": 50.0, "a size=2": 400.0, "b size=2": 25.0}
    arms = [Arm(label, label[0], "after", params={"size": int(label[-1])}) for label in ns]
    header = msgspec.structs.replace(HEADER, kind="scaling", arms=arms, baseline=arms[0].label, scenario=scenario)
    # The drift is both's, and cancels.
    values = {label: [one * (1 + round_ / 10) for round_ in range(6)] for label, one in ns.items()}
    write_run(results, header=header, values=values, rounds=6)
    ends: dict[str, Any] = {"parameter": "size", "start": 1, "stop": 2, "published": Published(value=8.0, unit="x")}
    grows = make_claim("scaling", "grows", baseline="a", candidate="b", scenario="sum", **ends)
    (found,) = gather(own_lab, make_ledger(grows)).values()
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(8)
    assert judge(grows, found).word == "reproduced"


def test_a_claim_whose_evidence_cannot_be_used_leaves_the_others_their_verdicts(own_lab: Lab, results: Path) -> None:
    scenario = msgspec.structs.replace(HEADER.scenario, metrics=[Metric("waits", "counter:waits/op", "waits", "lower")])
    write_run(results, header=msgspec.structs.replace(HEADER, scenario=scenario))
    ranked = make_claim("order", "fewest", candidate="b", over=["a"], scenario="sum", metric="waits")
    found = gather(own_lab, make_ledger(ranked, CLAIM))
    assert judge(CLAIM, found["faster"]).word == "reproduced"
    verdict = judge(ranked, found["fewest"])
    assert verdict.word == "not run"
    assert "unknown counter 'waits'" in verdict.reason


def test_a_score_of_which_all_are_void_in_a_scenario_is_void(
    toy: Component, own_lab: Lab, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_table = replace(toy, manifest=msgspec.structs.replace(toy.manifest, table=ScoreTable(["sum"])))
    monkeypatch.setattr("perflab.claims.evidence.find_component", lambda *_: with_table)
    write_run(results, failures={"a": WHY, "b": WHY}, void=["a", "b"])
    scored = make_claim("score", "score", candidate="b", over=["a"], score="mean")
    verdict = judge(scored, gather(own_lab, make_ledger(scored))["score"])
    assert verdict.word == "void"
    assert "void in sum" in verdict.reason


def test_a_defect_of_the_lab_is_not_taken_for_unusable_evidence(
    own_lab: Lab, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise TypeError("a defect")

    monkeypatch.setattr("perflab.claims.evidence.fork_table", broken)
    write_run(results)
    with pytest.raises(TypeError, match="a defect"):
        gather(own_lab, make_ledger(CLAIM))


@pytest.mark.parametrize(
    ("percentile", "operations", "bystander", "judged"),
    [
        ("p99", 80, 5000, False),
        ("p99", 100, 1, True),
        ("p99.9", 1000, 1000, True),
        ("p99.9", 999, 1000, False),
        ("p100", 1, 1, True),
    ],
)
def test_a_percentile_is_judged_if_the_samples_of_the_claims_own_variants_are_large_enough(
    own_lab: Lab,
    results: Path,
    percentile: str,
    *,
    operations: int,
    bystander: int,
    judged: bool,
) -> None:
    metrics = [Metric("tail", percentile, "ns", "lower")]
    header = msgspec.structs.replace(
        HEADER,
        scenario=msgspec.structs.replace(HEADER.scenario, metrics=metrics),
        arms=[*HEADER.arms, Arm("c", "c", "peer"), Arm("d", "d", "peer"), Arm("e", "e", "peer")],
    )
    writer = RunWriter(header, results)
    for round_ in range(6):
        for position, arm in enumerate(header.arms):
            ops, ns = (operations, 50.0 if arm.label == "b" else 100.0) if arm.label in "ab" else (bystander, 10.0)
            writer.sample(round_, arm.label, Sample(0, ops, ops * ns, {percentile: ns + round_}))
            writer.fork(round_, position, arm.label, {"status": "ok", "wall_s": 0.1})
    writer.end(Ending("rounds", 6, 1.0, Load(0.0, 0.0)))
    tail = msgspec.structs.replace(CLAIM, metric="tail")
    verdict = judge(tail, gather(own_lab, make_ledger(tail))["faster"])
    assert verdict.word == ("reproduced" if judged else "not run"), verdict.reason
    assert judged or f"samples of {operations} operations have no {percentile}" in verdict.reason
    drawn = run_charts(own_lab, analyse(find_run(header.id, results)))
    assert ("latency" in drawn) is (judged or bystander > operations)


def test_the_ends_of_a_scale_are_found_in_the_run_in_which_they_took_turns(own_lab: Lab, results: Path) -> None:
    size = Parameter("size", "int", 1, 1, 9)
    arms = [Arm(f"b size={value}", "b", "after", params={"size": value}) for value in (1, 2)]
    scenario = msgspec.structs.replace(HEADER.scenario, parameters=[size])
    header = msgspec.structs.replace(HEADER, kind="scaling", scenario=scenario, arms=arms, baseline=arms[0].label)
    drift = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]
    run = write_run(results, header=header, values={arms[0].label: drift, arms[1].label: [2 * one for one in drift]})
    claim = make_claim(
        "scaling", "grows", candidate="b", scenario="sum", parameter="size", start=1, stop=2, at_least=0.4
    )
    found = gather(own_lab, make_ledger(claim))["grows"]
    assert found.runs == [run.id]
    assert found.estimate is not None
    assert found.estimate.interval == pytest.approx((0.5, 0.5))


def test_a_run_that_grows_is_read_again(own_lab: Lab, results: Path) -> None:
    ledger = make_ledger(make_claim("bound", "bound", candidate="b", scenario="sum", at_most=1e9))
    place = Results("local", [write_run(results)])
    before = gather(own_lab, ledger, [place])["bound"].estimate
    shutil.rmtree(place.runs[0].folder)
    write_run(results, rounds=9)
    after = gather(own_lab, ledger, [place])["bound"].estimate
    assert before is not None
    assert after is not None
    assert after.value > before.value
