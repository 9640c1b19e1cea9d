"""Records of others whose fields do not fit to each other, or to what they are asked for."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from claiming import make_claim
from evidence_by_hand import RUN, lay_out
from runs import HEADER, MACHINE, write_run
from silent import Silent

from perflab.claims.bundled import export
from perflab.claims.evidence import Evidence
from perflab.claims.ledger import read_ledger
from perflab.claims.reproduce import Reproduction, Settings
from perflab.claims.verdict import Verdict
from perflab.host.git import Revision
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse
from perflab.measure.measure import REUSE_VARIABLE, measure
from perflab.measure.plan import BuiltVersion, Plan, Request, chosen_preset
from perflab.measure.presets import PRESETS, preset_of
from perflab.measure.shape import known_shape
from perflab.measure.sweep import collect
from perflab.model.errors import UsageError
from perflab.model.files import write_json
from perflab.model.protocol import Description, Metric, Parameter, Runtime
from perflab.profile.profile import Profile
from perflab.site import downloads
from perflab.site.downloads import EvidenceFiles
from perflab.store.kept import (
    PointRecord,
    SweepHeader,
    UnpackError,
    find_sweep,
    keep_point,
    pack_run,
    start_sweep,
    unpack_run,
)
from perflab.store.records import Arm, ProfileRecord, moment, profile_folder, write_profile
from perflab.store.runs import find_run

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.store.kept import Sweep
    from perflab.topics.catalogue import Component


QUICK = msgspec.to_builtins(PRESETS["quick"])
SCENARIO = msgspec.structs.replace(HEADER.scenario, parameters=[Parameter("size", "int", 1)])
SWEEP = SweepHeader(
    id="s",
    created=HEADER.created,
    component="toy",
    scenario="sum",
    variants=["a", "b"],
    baseline="a",
    over={"size": [1, 2]},
    params={},
    preset="quick",
    options=QUICK,
    seed=1,
    perflab="0",
)
OPTIONS = [{}, QUICK | {"zzz": 1.0}, QUICK | {"samples": 0.0}, QUICK | {"half_width": float("nan")}]
"""None of them is a preset's."""


@pytest.mark.parametrize("options", OPTIONS)
def test_options_that_make_no_preset_are_a_users_problem(toy: Component, options: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="no preset"):
        preset_of(options)
    earlier = msgspec.structs.replace(HEADER, options=options)
    with pytest.raises(UsageError, match="no preset"):
        chosen_preset(Request(toy), earlier)
    if options:  # as of a sweep that goes on
        with pytest.raises(UsageError, match="no preset"):
            chosen_preset(Request(toy, preset="quick", overrides=options))


def test_options_of_a_header_are_its_preset() -> None:
    assert preset_of({name: float(value) for name, value in QUICK.items()}) == PRESETS["quick"]


@pytest.mark.parametrize(
    ("options", "here", "shape"),
    [
        ({}, True, {}),
        (QUICK, False, {}),
        (QUICK | {"budget_s": 1.0}, True, {}),
        (QUICK | {"samples": 5.0}, True, {"warmup_ms": 250, "sample_ms": 100, "samples": 5}),
    ],
)
def test_a_shape_is_that_of_a_run_here_that_could_have_it(
    toy: Component, tmp_path: Path, options: dict[str, float], here: bool, shape: dict[str, int]
) -> None:
    header = msgspec.structs.replace(HEADER, options=options, planned=QUICK)
    write_run(tmp_path, header=header, cpu=this_machine().cpu if here else "another", machine=this_machine())
    assert known_shape(planned(toy, tmp_path)) == shape


def planned(toy: Component, results: Path) -> Plan:
    component = replace(toy, lab=replace(toy.lab, results=results))
    build = BuiltVersion(component, Description(1, "toy", Runtime("x", "1"), [SCENARIO], []))
    return Plan(build, SCENARIO, [Arm("a", "a", "before")], "a", PRESETS["quick"], "quick")


@pytest.mark.parametrize("over", [{}, {"size": []}, {"a": [1], "b": [1], "c": [1]}])
def test_a_sweep_is_over_one_or_two_parameters_with_values(tmp_path: Path, over: dict[str, list[int]]) -> None:
    with pytest.raises(UsageError, match=r"this cannot be recorded: .*\$\.over"):
        start_sweep(msgspec.structs.replace(SWEEP, over=over), tmp_path)
    started = start_sweep(SWEEP, tmp_path)
    file = started.folder / "sweep.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"over": over}))
    with pytest.raises(UsageError, match=r"\$\.over"):
        find_sweep("latest", tmp_path)


def swept(results: Path, **changes: Any) -> Sweep:  # noqa: ANN401 - as `replace` takes them
    """A sweep of two points, the second with a run that differs from the first in this."""
    started = start_sweep(SWEEP, results)
    for size in (1, 2):
        header = msgspec.structs.replace(HEADER, scenario=SCENARIO, params={"size": size})
        header = msgspec.structs.replace(header, **(changes if size > 1 else {}))
        write_run(results, name=f"r{size}", header=header, machine=header.machine, cpu=header.machine.cpu)
        keep_point(started, PointRecord({"size": size}, MACHINE.id, run=f"r{size}"))
    return find_sweep("latest", results)


@pytest.mark.parametrize(
    "changes",
    [
        {"component": "other"},
        {"scenario": msgspec.structs.replace(SCENARIO, name="other")},
        {"params": {}},
        {"params": {"size": 3}},
    ],
)
def test_a_run_that_is_none_of_its_point_is_a_gap(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = collect(swept(tmp_path, **changes))
    assert [one.params for one in found.points] == [{"size": 1}]
    assert [(one.params, one.why) for one in found.missing] == [({"size": 2}, "run r2 is none of this point")]


def test_a_point_without_samples_is_a_gap_and_a_metric_that_there_is_not_is_said(tmp_path: Path) -> None:
    points = swept(tmp_path)
    for path in (tmp_path / "runs" / "r2").glob("samples.*"):
        path.unlink()
    found = collect(points)
    assert [one.params for one in found.points] == [{"size": 1}]
    assert "has no samples" in found.missing[0].why
    with pytest.raises(UsageError, match="no metric"):
        collect(points, "nothing")


def test_what_a_record_holds_beside_its_fields_is_not_handed_on(
    own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("perflab.claims.evidence", "perflab.claims.bundled"):
        monkeypatch.setattr(f"{place}.this_machine", lambda: MACHINE)
    found = lay_out(tmp_path)
    for path in [
        *(found["reference"] / "runs" / RUN).glob("*.json"),
        *found["reference"].glob("profiles/*/profile-record.json"),
    ]:
        path.write_bytes(path.read_bytes().replace(b"{", b'{"more": "\xff",', 1))
    export(replace(own_lab, claims=found["claims"], results=found["reference"]), ["toys"], tmp_path / "mine.zip")
    assert b"more" not in (tmp_path / "mine.zip").read_bytes()


FOREIGN = [("zzz", "2020"), ("latest", "2020"), ("zzz", "9999"), ("zzz", "")]
"""Names and times of what others have made: after this machine's own by the one, and by the other if it were true."""


@pytest.mark.parametrize(("name", "year"), FOREIGN)
def test_the_latest_is_this_machines_own_whatever_those_of_others_are_called(
    tmp_path: Path, name: str, year: str
) -> None:
    here, created = this_machine(), datetime.now(UTC).isoformat()
    own = msgspec.structs.replace(HEADER, created=created)
    foreign = msgspec.structs.replace(HEADER, created=f"{year}-01-01T00:00:00+00:00")
    write_run(tmp_path, name="20260101-own", header=own, machine=here, cpu=here.cpu)
    write_run(tmp_path, name=name, header=foreign)
    assert find_run("latest", tmp_path).id == "20260101-own"
    start_sweep(msgspec.structs.replace(SWEEP, id="20260101-own", created=created, machine=here.id), tmp_path)
    start_sweep(msgspec.structs.replace(SWEEP, id=name, created=foreign.created), tmp_path)
    assert find_sweep("latest", tmp_path).id == "20260101-own"
    (tmp_path / "runs" / name / "run.json").write_text("{")
    (tmp_path / "sweeps" / name / "sweep.json").write_text("{")
    assert find_run("latest", tmp_path).id == find_sweep("latest", tmp_path).id == "20260101-own"


def test_the_latest_of_others_is_the_last_that_was_made(tmp_path: Path) -> None:
    for name, year in (("b", "2024"), ("a", "2025"), ("c", "9999")):
        write_run(tmp_path, name=name, header=msgspec.structs.replace(HEADER, created=f"{year}-01-01"))
    assert find_run("latest", tmp_path).id == "a"


@pytest.mark.parametrize(("name", "year"), FOREIGN)
def test_a_reproduction_is_resumed_whatever_those_of_others_are_called(own_lab: Lab, name: str, year: str) -> None:
    started = Reproduction.start(own_lab, Settings([], "quick"))
    started.save()
    record = json.loads((started.folder / "reproduction.json").read_text())
    other = started.folder.with_name(name) / "reproduction.json"
    write_json(other, record | {"machine": "another", "created": f"{year}-01-01T00:00:00+00:00"})
    assert Reproduction.resume(own_lab).folder == started.folder
    other.write_text("{")
    assert Reproduction.resume(own_lab).folder == started.folder


def test_a_run_from_the_future_is_none_of_this_session(toy: Component, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(toy, preset="smoke", overrides={"max_rounds": 2, "sample_ms": 1, "warmup_ms": 0})
    run = measure(request, Silent())
    monkeypatch.setenv(REUSE_VARIABLE, run.header.created)
    assert measure(request, Silent()).id == run.id
    header = msgspec.structs.replace(run.header, created=(datetime.now(UTC) + timedelta(days=1)).isoformat())
    (run.folder / "run.json").write_bytes(msgspec.json.encode(header))
    assert measure(request, Silent()).id != run.id


@pytest.mark.parametrize("created", ["", "yesterday", "10000-01-01", "0001-01-01T00:00:00+23:59", "2026-13-01"])
def test_a_time_that_is_none_is_neither_before_nor_after(created: str) -> None:
    found = moment(created)
    assert not found >= time.time()
    assert moment("2026-01-01T00:00:00+00:00") == 1767225600


def test_a_worker_that_sends_the_name_of_another_run_is_at_fault(tmp_path: Path) -> None:
    write_run(tmp_path / "here", cpu="mine")
    files = pack_run(write_run(tmp_path / "there", cpu="theirs"))
    with pytest.raises(UnpackError, match="another run is called"):
        unpack_run(files, tmp_path / "here")
    (tmp_path / "here" / "runs" / HEADER.id / "run.json").unlink()
    with pytest.raises(UnpackError, match="another run is called"):
        unpack_run(files, tmp_path / "here")


@pytest.mark.parametrize(
    "test", ["X#y%3B id > /tmp/x", "tiny#--logfile=x", "-x#y", "T#t -p:a=b", '"T#t\\0x"', "T#t;touch x", "T"]
)
def test_a_ledgers_test_is_a_name_and_no_part_of_a_command(tmp_path: Path, test: str) -> None:
    claim = f"- {{id: c, kind: mechanism, statement: S, test: {test}}}"
    (tmp_path / "r.yaml").write_text(f"report: r\ntitle: t\ncomponent: toy\nclaims:\n{claim}\n")
    with pytest.raises(UsageError, match=r"r\.yaml:5"):
        read_ledger("r", tmp_path)


def test_what_many_claims_show_is_drawn_once(toy: Component, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = ProfileRecord(
        *("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"c": [0.5]}, {}, [], MACHINE, Revision())
    )
    write_profile(record, tmp_path)
    Profile("cpu", "ns", {("a",): 1.0}).save(profile_folder("p", tmp_path))
    run = write_run(tmp_path)
    files = EvidenceFiles(replace(toy.lab, results=tmp_path / "results", reference=tmp_path))
    drawn = list[str]()
    for name in ("profile_charts", "standings"):
        real = getattr(downloads, name)
        monkeypatch.setattr(downloads, name, lambda *of, real=real, name=name: drawn.append(name) or real(*of))
    shares = [make_claim("share", f"c{at}", candidate="a", scenario="sum", mode="cpu", cause="c") for at in range(3)]
    scores = [make_claim("score", f"d{at}", candidate="a", over=["b"], score="mean") for at in range(3)]
    for claims, name in ((shares, "p"), (scores, run.id)):
        found = [files.claim_evidence(Verdict(one, "undecided", "", Evidence(runs=[name])), "toy") for one in claims]
        assert all(one.charts and not one.charts[0].why for one in found)
    assert drawn == ["profile_charts", "standings"]


def test_the_charts_of_a_claim_analyse_no_worst_case_but_of_what_they_show(
    toy: Component, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each claim on two of twenty variants had all of them analysed: 6 s of 20,000 values, which take 17 KB.
    folder = tmp_path / "components" / "toy"
    folder.mkdir(parents=True)
    text = (toy.folder / "component.toml").read_text()
    (folder / "component.toml").write_text(f'{text}\n[table]\nscenarios = ["sum"]\nworst = "worst"\n')
    scenario = msgspec.structs.replace(HEADER.scenario, metrics=[Metric("worst", "p50", "ns", "lower")])
    arms = [Arm(one, one, "peer") for one in "abcd"]
    header = msgspec.structs.replace(HEADER, scenario=scenario, arms=arms)
    run = write_run(tmp_path, header=header, values={one: [1.0, 2.0, 3.0] for one in "abcd"})
    files = EvidenceFiles(replace(toy.lab, components=folder.parent, results=tmp_path / "none", reference=tmp_path))
    analyses: list[Analysis] = []
    monkeypatch.setattr("perflab.charts.run_charts.analyse", lambda *of: analyses.append(analyse(*of)) or analyses[-1])
    for one in "bcd":
        claim = make_claim("ratio", one, baseline="a", candidate=one, scenario="sum")
        charts = files.claim_evidence(Verdict(claim, "undecided", "", Evidence(runs=[run.id])), "toy").charts
        assert "worst case" in charts[0].text
    assert [set(one.summaries) for one in analyses] == [{"a", one} for one in "bcd"]
