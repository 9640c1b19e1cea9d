"""Figures at the edges of what a number can be, and headers that contradict themselves, in what others have made."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from evidence_by_hand import ARMS, SUM, lay_out
from labs import Lab
from runs import HEADER, MACHINE, write_run

from hostile import harmless
from perflab.bench.interface import sample as harness_sample
from perflab.charts.run_charts import run_charts
from perflab.claims.history import collect
from perflab.claims.ledger import read_ledger
from perflab.claims.regression import judge_regressions
from perflab.claims.standings import standings
from perflab.claims.verdict import judge_ledger
from perflab.cli.output import Output
from perflab.host.git import Revision
from perflab.measure.analysis import analyse, band_of, compare_runs
from perflab.measure.versions import VersionComparison
from perflab.model.errors import BenchError, UsageError
from perflab.model.format import significant
from perflab.model.lab import Lab as Folders
from perflab.model.protocol import Metric, Parameter, read_message
from perflab.site.downloads import VERDICTS_JSON, write_verdicts
from perflab.site.site import JudgedReport
from perflab.site.writer import SiteWriter
from perflab.store.bundles import open_bundle, write_bundle
from perflab.store.forks import FIGURES_FILE
from perflab.store.records import Arm, ProfileRecord, find_profiles, write_profile
from perflab.store.runs import Run, RunWriter, find_run, find_runs
from perflab.store.tables import write_table
from perflab.topics.manifest import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.stats.columns import Columns
    from perflab.topics.catalogue import Component

LAB = Folders.from_environment()
NOISE = "20260101-000000-noise-0000"
LATER = "20260102-000000-toy-sum-0000"
METRICS = [Metric("p50", "p50", "ns", "lower"), Metric("refused", "counter:refused/op", "1/op", "lower")]
SCENARIO = msgspec.structs.replace(HEADER.scenario, metrics=METRICS)


def edit(run: Run, file: str, **changes: object) -> None:
    """Change a document of a run as text: what is in it need not be possible."""
    path = run.folder / file
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def refill(run: Run, **columns: Any) -> Run:  # noqa: ANN401 - a value, or a function of the samples
    """Replace columns of a run's samples; the raw lines and the figures of its forks go."""
    rows = run.samples()
    for name, value in columns.items():
        rows[name] = np.full(rows.rows, value(rows) if callable(value) else value)
    write_table(run.folder / "samples.npz", rows)
    (run.folder / "samples.jsonl").unlink()
    (run.folder / FIGURES_FILE).unlink()
    return find_run(run.id, run.results)


def alternating(even: float, odd: float) -> Callable[[Columns], Any]:
    """One value in even rounds, another in odd ones."""
    return lambda rows: np.where(rows["round"] % 2 == 0, even, odd)


def of_labels(first: float, other: float) -> Callable[[Columns], Any]:
    """One value for the label `a`, another for all others."""
    return lambda rows: np.where(rows["variant"] == "a", first, other)


EDGES: dict[str, dict[str, Any]] = {
    "infinite": {"ns": math.inf},
    "no number": {"ns": math.nan},
    "time over": {"ns": 1e308, "ops": 1e-308},
    "squares over": {"ns": alternating(1e200, 2e200)},
    "ratios over": {"ns": of_labels(1e300, 1e-300)},
    "spread over": {"ns": alternating(1e-29, 1e29)},
    "percentile": {"p:p50": of_labels(math.inf, 1e300)},
    "percentile of zero": {"p:p50": 0.0},
    "counter": {"c:refused": alternating(1e90, -1e90)},
    "counter that is small": {
        "c:refused": lambda rows: np.array([1.0, -1.0, 1e-320, 5e-324, -5e-324])[rows["round"] % 5]
    },
}


@pytest.fixture
def topic(toy: Component) -> Component:
    """One with a table whose worst case is `p50`."""
    return replace(toy, manifest=msgspec.structs.replace(toy.manifest, table=ScoreTable(["sum"], "p50")))


@pytest.mark.parametrize("columns", EDGES.values(), ids=EDGES)
def test_figures_at_the_edge_end_in_one_line_or_in_null(
    tmp_path: Path, columns: dict[str, Any], capsys: pytest.CaptureFixture[str], topic: Component
) -> None:
    header = msgspec.structs.replace(HEADER, scenario=SCENARIO)
    before = write_run(tmp_path, header=header)
    run = refill(write_run(tmp_path, header=header, name=LATER), **columns)

    def printed(data: object) -> None:
        for mode in ("json", "stream"):
            Output(mode).result(data)  # type: ignore[arg-type]

    def judged() -> None:
        # Both arms are of one variant, as those of two builds are.
        arms = [msgspec.structs.replace(arm, variant="a") for arm in reversed(run.header.arms)]
        both = replace(run, header=msgspec.structs.replace(run.header, arms=arms))
        compared = VersionComparison("then", both, SCENARIO, ["a"], saved=before)
        printed(judge_regressions(compared, topic.manifest).to_dict())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in (None, "p50", "refused"):
            harmless(lambda metric=metric: printed(analyse(run, metric).to_dict()))
            harmless(lambda metric=metric: run_charts(LAB, analyse(run, metric)))
            harmless(lambda metric=metric: printed(compare_runs(before, run, "a", metric).to_dict()))
            for absolute in (False, True):
                harmless(
                    lambda metric=metric, absolute=absolute: printed(
                        [one.to_dict() for one in collect(tmp_path, "toy", metric=metric, absolute=absolute)]
                    )
                )
        harmless(judged)
        harmless(lambda: printed(standings(topic, [run]).to_dict()))
    assert "Infinity" not in capsys.readouterr().out


def noise_run(results: Path, **changes: Any) -> Run:  # noqa: ANN401 - of a header
    arms = [Arm(label, "a", "before") for label in ("a", "b")]
    header = msgspec.structs.replace(HEADER, kind="noise", arms=arms)
    run = write_run(results, header=header, name=NOISE, values={"a": [100.0, 101, 99], "b": [99.0, 101, 100]})
    edit(run, "run.json", **changes)
    return run


def test_a_noise_run_that_is_whole_gives_a_band(tmp_path: Path) -> None:
    noise_run(tmp_path)
    assert analyse(write_run(tmp_path)).noise is not None


def _no_tables(run: Run) -> None:
    for path in run.folder.glob("*s.*"):
        path.unlink()


DAMAGE = {
    "one arm": lambda run: edit(run, "run.json", arms=json.loads((run.folder / "run.json").read_text())["arms"][:1]),
    "no arms": lambda run: edit(run, "run.json", arms=[]),
    "three arms": lambda run: edit(
        run, "run.json", arms=[msgspec.to_builtins(Arm(one, "a", "lab")) for one in ("a", "b", "c")]
    ),
    "no tables": _no_tables,
    "huge ratios": lambda run: refill(run, ns=of_labels(1e300, 1.0)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_noise_run_that_cannot_be_used_takes_no_other_with_it(tmp_path: Path, damage: Any) -> None:  # noqa: ANN401
    damage(noise_run(tmp_path))
    found = analyse(write_run(tmp_path))
    assert found.noise is None
    assert found.comparisons[0].estimate is not None
    assert [band_of(run, "time") for run in find_runs(tmp_path) if run.id == NOISE] in ([None], [])


@pytest.mark.parametrize("mode", ["json", "stream"])
def test_what_is_no_finite_number_is_null(mode: Any, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ANN401
    Output(mode).result({"cv": math.inf, "rows": [(-math.inf, math.nan, 1.5)]})
    said = json.loads(capsys.readouterr().out)
    assert said.get("data", said) == {"cv": None, "rows": [[None, None, 1.5]]}


@pytest.mark.parametrize("value", [1.797e308, -1.797e308])
def test_the_largest_numbers_can_be_written(value: float) -> None:
    assert significant(value) == f"{'-' * (value < 0)}1.80e308"


HUGE = 10**400


@pytest.mark.parametrize(
    "machine",
    [
        *({"memory": HUGE}, {"memory": -1}, {"cores": HUGE}, {"cores": 0}, {"allowed": HUGE}, {"memory_limit": HUGE}),
        *({"quota": 1e300}, {"quota": 0}),
    ],
    ids=lambda one: str(one)[:20],
)
def test_a_machine_of_impossible_figures_is_none(tmp_path: Path, machine: dict[str, object]) -> None:
    made = msgspec.to_builtins(MACHINE) | machine
    edit(write_run(tmp_path), "run.json", machine=made)
    assert find_runs(tmp_path) == []
    write_bundle(tmp_path / "b.zip", made, [], {})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no evidence bundle"), open_bundle(tmp_path / "b.zip"):
        pass


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, params={"size": 2**64 - 1})
    with pytest.raises(UsageError, match="this cannot be recorded"):
        RunWriter(header, tmp_path)


BAD_HEADERS: list[dict[str, object]] = [
    {"baseline": "c"},
    {"arms": []},
    {"arms": [msgspec.to_builtins(Arm("a", "a", "before"))] * 2},
    *({name: HUGE} for name in ("version", "seed", "sequential")),
    {"params": {"size": HUGE}},
]


@pytest.mark.parametrize("changes", BAD_HEADERS, ids=[" ".join(one) for one in BAD_HEADERS])
def test_a_header_that_contradicts_itself_is_none(tmp_path: Path, changes: dict[str, object]) -> None:
    edit(write_run(tmp_path), "run.json", **changes)
    assert find_runs(tmp_path) == []
    with pytest.raises(UsageError, match="cannot read the run"):
        find_run("latest", tmp_path)


@pytest.mark.parametrize("changes", [{"void": ["a"]}, {"rounds": HUGE}], ids=["void", "rounds"])
def test_an_ending_that_contradicts_itself_is_none(
    tmp_path: Path, changes: dict[str, object], topic: Component
) -> None:
    run = write_run(tmp_path, header=msgspec.structs.replace(HEADER, scenario=SCENARIO))
    edit(run, "end.json", **changes)
    run = find_run("latest", tmp_path)
    assert any("end.json cannot be read" in note for note in run.notes)
    standings(topic, [run])


def test_runs_are_told_apart_by_a_number_and_the_text_of_it(tmp_path: Path) -> None:
    scenario = msgspec.structs.replace(SCENARIO, parameters=[Parameter("size", "int", 1)])
    runs = [
        write_run(tmp_path, name=name, header=msgspec.structs.replace(HEADER, scenario=scenario, params={"size": size}))
        for name, size in ((HEADER.id, 1), (LATER, "1"))
    ]
    (found,) = compare_runs(*runs, "a").comparisons
    assert (found.baseline, found.candidate) == (HEADER.id, LATER)


@pytest.mark.parametrize("shares", [[1.7e308, 1.7e308], [-0.1], [1.1]], ids=str)
def test_a_share_is_one_of_a_whole(tmp_path: Path, shares: list[float]) -> None:
    about = ("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0)
    write_profile(ProfileRecord(*about, {"cause": [0.5]}, {}, [], MACHINE, Revision()), tmp_path)
    assert find_profiles(tmp_path)
    (file,) = tmp_path.rglob("profile-record.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"shares": {"cause": shares}}))
    assert find_profiles(tmp_path) == []


SPAN = {"thread": "t", "state": "s", "start_ns": 0, "end_ns": 1}


@pytest.mark.parametrize(
    "document",
    [
        json.dumps({"spans": [SPAN | {"start_ns": "0"}]}),
        json.dumps({"spans": [SPAN | {"end_ns": 1e308, "start_ns": -1e308}]}),
        json.dumps({"spans": [SPAN | {"end_ns": HUGE}]}),
        json.dumps({"spans": [SPAN | {"thread": ["t"]}]}),
        json.dumps({"spans": [SPAN], "title": 5}),
        json.dumps({"spans": [SPAN], "moments": [{"at_ns": None, "label": 1}]}),
        "[" * 100_000,
        '{"spans": [NaN]}',
    ],
    ids=["text", "infinite", "huge", "list", "title", "moment", "deep", "nan"],
)
def test_a_timeline_that_is_none_is_said_in_one_line(tmp_path: Path, document: str) -> None:
    (tmp_path / "t.json").write_text(document)
    assert "is no timeline" in Lab(tmp_path)("timeline", str(tmp_path / "t.json"), status=2).stderr


def test_an_interval_without_end_is_null_in_a_reports_verdicts(tmp_path: Path) -> None:
    places = lay_out(tmp_path)
    header = msgspec.structs.replace(HEADER, scenario=SUM, arms=ARMS, baseline="wasteful")
    values = {"wasteful": [1.0, 2, 3], "plain": [3.0, 2, 1]}
    run = write_run(places["reference"], name=LATER, header=header, values=values)

    def large(rows: Columns) -> Any:  # noqa: ANN401 - an array
        return (rows["round"] + (rows["variant"] == "plain")) % 2 == 0

    refill(
        run,
        ns=lambda rows: np.where(large(rows), 1e30, 1e-30),
        ops=lambda rows: np.where(large(rows), 1e-30, 1e30),
    )
    ledger = read_ledger("toys", places["claims"])
    verdicts = judge_ledger(replace(LAB, **places, results=tmp_path / "results"), ledger)
    write_verdicts(SiteWriter(tmp_path / "site"), [JudgedReport(Folders.from_environment(), ledger, verdicts)])
    claims = json.loads((tmp_path / "site" / VERDICTS_JSON).read_text())["claims"]
    (ratio,) = (one for one in claims if one["id"] == "third")
    assert ratio["runs"] == [LATER]
    assert ratio["interval"][1] is None


IMPOSSIBLE = [(1e31, 1.0, 0.0), (1.0, 1e-31, 0.0), (1.0, math.inf, 0.0), (1.0, 1.0, -1e31), (1.0, 1.0, math.nan)]


@pytest.mark.parametrize("figures", IMPOSSIBLE, ids=str)
def test_a_program_and_a_harness_tell_what_a_table_can_hold(figures: tuple[float, float, float]) -> None:
    ops, ns, counter = figures
    if (ops, ns) == (1.0, 1.0):  # nobody may have asked for a harness's counter
        assert harness_sample(0, ops, ns, {"c": counter}).counters == {}
    else:
        with pytest.raises(BenchError):
            harness_sample(0, ops, ns, {"c": counter})
    line = {"type": "sample", "i": 0, "ops": ops, "ns": ns, "counters": {"c": counter}}
    with pytest.raises(BenchError):
        read_message(json.dumps(line).encode())
