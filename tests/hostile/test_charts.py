"""Figures that no axis holds: a chart that cannot be drawn says why in its place, and costs no other its own."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from evidence_by_hand import RUN, lay_out
from runs import HEADER, MACHINE, write_run, write_samples
from sites import build_site

from hostile import drawable, harmless
from perflab.charts.chart import MOST_VARIANTS, draw_safely, write_charts
from perflab.charts.curve import sweep_charts
from perflab.charts.distribution import MOST_POINTS, Latency, latency_chart
from perflab.charts.flame import profile_charts
from perflab.charts.heat import table_charts
from perflab.charts.run_charts import CHARTS, run_charts
from perflab.claims.standings import standings
from perflab.cli.output import Output
from perflab.cli.showing import show_figures
from perflab.host.git import Revision
from perflab.measure.analysis import analyse
from perflab.measure.sweep import collect
from perflab.model.lab import Lab
from perflab.model.protocol import Metric, Parameter
from perflab.profile.profile import Profile
from perflab.store.kept import PointRecord, SweepHeader, find_sweep, keep_point, start_sweep
from perflab.store.records import Arm, ProfileRecord
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.store.runs import Run

LAB = replace(Lab.from_environment(), components=Lab.from_environment().root / "tests" / "fixtures" / "components")

METRICS = [
    Metric(name, of, "ns", "lower") for name, of in (("p50", "p50"), ("worst", "p99"), ("part-x", "counter:x/op"))
]
SIZES = [Parameter("size", "float", 1, 0), Parameter("mode", "int", 1, 0, 9)]
SCENARIO = msgspec.structs.replace(HEADER.scenario, metrics=METRICS, parameters=SIZES)

FIGURES: dict[str, dict[str, Any]] = {
    "usual": {"p:p50": 10.0, "p:p99": 20.0, "c:x": 1.0},
    "zero": {"p:p50": 0.0, "p:p99": 0.0, "c:x": 0.0},
    "huge": {"p:p50": 1.7e308, "p:p99": 1.7e308, "c:x": 1.7e308},
    "least": {"p:p50": 5e-324, "p:p99": 1.0, "c:x": 5e-324},
    "negative": {"p:p50": -1.0, "p:p99": -1e308, "c:x": -1.0},
    "infinite": {"p:p50": math.inf, "p:p99": math.inf, "c:x": -math.inf},
    "none": {"p:p50": math.nan, "p:p99": math.nan, "c:x": math.nan},
    "missing": {"p:p50": 10.0, "p:else": 1.0},
    "mixed": {
        "p:p50": [0.0, 1e308],
        "p:p99": [1e-300, 2e-300],
        "c:x": [0.0, 4.0],
    },
}


SWEEP = SweepHeader(
    id="s",
    created="2026-01-01T00:00:00+00:00",
    component="toy",
    scenario="sum",
    variants=["a", "b"],
    baseline="a",
    over={"size": [1, 2]},
    params={},
    preset="smoke",
    options={},
    seed=1,
    perflab="0",
)


def made(
    results: Path,
    figures: dict[str, Any],
    *,
    name: str = HEADER.id,
    kind: str = "measure",
    scenario: str = "sum",
    lines: bool = False,
) -> Run:
    """A run of two variants with these figures in each sample, sealed or as lines."""
    of = msgspec.structs.replace(SCENARIO, name=scenario)
    header = msgspec.structs.replace(HEADER, component="cups", scenario=of, kind=kind)
    run = write_run(results, name=name, header=header)
    rows = [
        {"round": round_, "variant": label, "i": i, "ops": 1000.0, "ns": 1e5 + round_ + i}
        | {column: figure[label == "b"] if isinstance(figure, list) else figure for column, figure in figures.items()}
        for round_, i, label in product(range(5), range(2), "ab")
    ]
    write_samples(run, rows)
    if lines:
        (run.folder / "samples.npz").unlink()
        text = "\n".join(json.dumps(one) for one in rows)
        (run.folder / "samples.jsonl").write_text(re.sub("-?Infinity|NaN", "null", text) + "\n")
    return run


@pytest.mark.parametrize("lines", [False, True], ids=["sealed", "lines"])
@pytest.mark.parametrize("figures", FIGURES.values(), ids=FIGURES.keys())
def test_a_runs_figures_are_drawn_or_it_is_said_why_not(
    tmp_path: Path, figures: dict[str, Any], lines: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    analysis = analyse(made(tmp_path, figures, lines=lines))
    charts = run_charts(LAB, analysis)
    drawable(charts.values())
    for mode in ("human", "stream"):
        show_figures(Output(mode), LAB, analysis)
    said = capfd.readouterr()
    assert not charts["ratios"].why
    assert charts["latency"].why in said.err + said.out if "latency" in charts else True


def test_one_chart_that_cannot_be_drawn_costs_no_other(tmp_path: Path) -> None:
    usual = run_charts(LAB, analyse(made(tmp_path / "usual", FIGURES["usual"])))
    assert set(usual) == CHARTS.keys() - {"swaps"}
    assert not [one.why for one in usual.values() if one.why]
    charts = run_charts(LAB, analyse(made(tmp_path / "other", FIGURES["zero"])))
    assert {name for name, chart in charts.items() if chart.why} == {"latency"}
    assert charts["latency"].text == "cups sum: latency: no chart: no percentile is above zero"
    pages = write_charts(charts, tmp_path / "pages")
    assert charts["latency"].why in json.dumps(charts["latency"].figure_json)
    assert set(pages) == set(charts)


@pytest.mark.parametrize("figure", [float("inf"), 10**400])
def test_a_figure_that_no_axis_holds_is_said_in_its_charts_place(figure: float) -> None:
    chart = draw_safely("a title", lambda: latency_chart([Latency("a", 0, {"p50": figure, "p99": 1.0})], title="t"))
    assert chart.text.startswith("a title: no chart: ")
    drawable([chart])


def test_a_defect_of_a_chart_is_no_figure_without_an_axis() -> None:
    with pytest.raises(TypeError, match="a defect"):
        draw_safely("a title", refuse)


def refuse() -> None:
    raise TypeError("a defect")


@pytest.mark.parametrize("figures", FIGURES.values(), ids=FIGURES.keys())
def test_a_table_of_such_runs_is_drawn_or_refused(tmp_path: Path, figures: dict[str, Any]) -> None:
    runs = [made(tmp_path, figures, name=f"1-{name}", scenario=name) for name in ("pour", "rim")]
    harmless(lambda: drawable(table_charts(standings(find_component(LAB, "cups"), runs)).values()))


def test_of_many_variants_some_are_drawn_and_the_titles_say_so(tmp_path: Path) -> None:
    arms = [Arm(f"x{n}", "x", "peer") for n in range(MOST_VARIANTS + 10)]
    header = msgspec.structs.replace(HEADER, arms=arms, baseline="x0")
    run = write_run(tmp_path, header=header, values={arm.label: [100.0 + n, 99.0] for n, arm in enumerate(arms)})
    charts = run_charts(LAB, analyse(run), {"values", "swaps"})
    assert len(charts["values"].figure_json["layout"]["yaxis"]["ticktext"]) == MOST_VARIANTS
    assert len(charts["swaps"].figure_json["data"][0]["z"]) == MOST_VARIANTS - 1
    assert all(f"the first {MOST_VARIANTS} of {len(arms)} variants" in chart.title for chart in charts.values())


def test_of_many_samples_some_are_drawn_with_the_extremes_and_the_title_says_so(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    rows = [
        {"round": round_, "variant": label, "i": i, "ops": 1.0, "ns": 9e5 if i == 4321 else 1e5 + i}
        for round_, i, label in product(range(5), range(MOST_POINTS // 2), "ab")
    ]
    write_samples(run, rows)
    chart = run_charts(LAB, analyse(run), {"distribution"})["distribution"]
    points = [x for trace in chart.figure_json["data"] if trace["mode"] == "markers" for x in trace["x"]]
    assert MOST_POINTS <= len(points) <= MOST_POINTS + 2 * 10
    assert max(points) == max(points[: len(points) // 2]) == 900
    assert "one of 5 samples" in chart.title


PROFILES: dict[str, dict[tuple[str, ...], float]] = {
    "usual": {("a", "b"): 1.0},
    "empty": {},
    "zero": {("a",): 0.0},
    "least": {("a", "b"): 5e-324, ("a", "c"): 1e30},
    "negative": {("a",): 1e30, ("b",): -1e30, ("c",): 1e-300},
    "deep": {(f"f{n}",) * 2_000: 1.0 for n in range(20)},
    "nameless": {("", ";", "<b>"): 1.0},
}


@pytest.mark.parametrize("stacks", PROFILES.values(), ids=PROFILES.keys())
def test_a_profile_is_drawn_or_it_is_said_why_not(stacks: dict[tuple[str, ...], float]) -> None:
    record = ProfileRecord(
        *("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"cause": [0.5]}, {}, [], MACHINE, Revision())
    )
    usual = (msgspec.structs.replace(record, variant="b"), Profile("cpu", "ns", PROFILES["usual"]))
    charts = profile_charts(LAB, [(record, Profile("cpu", "ns", stacks)), usual])
    drawable(charts.values())
    assert not charts["flame-b"].why


SWEPT: dict[str, tuple[dict[str, list[Any]], list[float]]] = {
    "usual": ({"size": [1, 2]}, [100.0, 50.0]),
    "none": ({}, [100.0, 50.0]),
    "unknown": ({"other": [1, 2]}, [100.0, 50.0]),
    "three": ({"size": [1, 2], "mode": [1], "other": [1]}, [100.0, 50.0]),
    "large": ({"size": [1, 10**400]}, [100.0, 50.0]),
    "wide": ({"size": [1e-300, 1e308]}, [100.0, 50.0]),
    "texts": ({"size": [1, "a", True]}, [100.0, 50.0]),
    "map": ({"size": [1, 2], "mode": [1, 2]}, [100.0, 50.0]),
    "far": ({"size": [1, 2], "mode": [1, 2]}, [5e-324, 1e308]),
    "near": ({"size": [1, 2]}, [5e-324, 5e-324]),
}


@pytest.mark.parametrize(("over", "times"), SWEPT.values(), ids=SWEPT.keys())
def test_a_sweep_is_drawn_or_it_is_said_why_not(tmp_path: Path, over: dict[str, list[Any]], times: list[float]) -> None:
    parameters = [Parameter(name, "int", 1) for name in ("size", "mode")]
    scenario = msgspec.structs.replace(SCENARIO, parameters=parameters)
    folder = tmp_path / "sweeps" / SWEEP.id
    folder.mkdir(parents=True)
    document = msgspec.to_builtins(SWEEP) | {"over": over}
    (folder / "sweep.json").write_text(json.dumps(document))
    points = [{name: values[at % len(values)] for name, values in over.items()} for at in range(2)]
    for at, point in enumerate(points):
        run = write_run(
            tmp_path,
            name=f"r{at}",
            header=msgspec.structs.replace(HEADER, scenario=scenario),
            values={"a": times[:1] * 5, "b": times[1:] * 5},
        )
        file = run.folder / "run.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"params": point}))
    lines = [
        {"params": point, "machine": MACHINE.id, "run": f"r{at}", "title": "a machine"}
        for at, point in enumerate(points)
    ]
    (folder / "points.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def look() -> None:
        found = collect(find_sweep("latest", tmp_path))
        charts = sweep_charts(found)
        drawable(charts.values())
        assert bool(charts) == bool(found.points)

    harmless(look)


def test_of_a_sweep_of_many_variants_some_are_drawn_and_the_titles_say_so(tmp_path: Path) -> None:
    names = [f"x{n}" for n in range(MOST_VARIANTS + 10)]
    header = msgspec.structs.replace(HEADER, scenario=SCENARIO, baseline="x0", arms=[Arm(x, x, "peer") for x in names])
    write_run(tmp_path, header=header, values={one: [100.0 + n] for n, one in enumerate(names)}, rounds=1)
    over = {"size": [1, 2], "mode": [1]}
    swept = msgspec.structs.replace(SWEEP, over=over, variants=names, baseline="x0")
    sweep = start_sweep(swept, tmp_path)
    keep_point(sweep, PointRecord({"size": 1, "mode": 1}, MACHINE.id, run=HEADER.id, title="a machine"))
    charts = sweep_charts(collect(sweep))
    assert len(charts) == MOST_VARIANTS - 1
    assert all("the first 50 of 60 variants" in chart.title for chart in charts.values())


def test_a_report_shows_good_runs_beside_bad_ones(tmp_path: Path) -> None:
    places = lay_out(tmp_path)
    for number, figures in enumerate(FIGURES.values()):
        made(places["reference"], figures, name=f"20260101-000000-cups-{number:04}", kind="noise")
    site = build_site(tmp_path / "site", **places)
    assert "perflab" in site.index.read_text()
    pages = {path.stem: path.read_text() for path in site.index.parent.rglob("*.html")}
    assert 'class="chart"' in pages[RUN]
    assert "no chart: " not in pages[RUN]
    bad = [text for name, text in pages.items() if "-cups-" in name]
    assert len(bad) == len(FIGURES)
    assert sum("no chart: " in text for text in bad) >= 3
    assert not [text for text in bad if "Infinity" in text]
