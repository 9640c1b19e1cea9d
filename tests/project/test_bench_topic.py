"""A project's bench as a topic: described, measured, and judged by a ledger of the project's own."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab

from perflab.store.runs import find_run

if TYPE_CHECKING:
    from pathlib import Path

BENCHES = """
[bench.cache]
harness = "gbench"
of = ["./gbench"]
compare = ["List", "Clock"]
folder = "inner"

[bench.sorts]
compare = ["sort -u words", "awk '!s[$0]++' words"]
"""
LEDGER = """
report: readme
title: A README
component: cache
claims:
  - id: twice
    kind: ratio
    statement: Twice as fast.
    published: {value: 2, unit: x}
    baseline: List
    candidate: Clock
    scenario: time
  - {id: frugal, kind: bound, statement: It takes no time., candidate: Clock, scenario: time, metric: cpu, at_most: 1}
"""


@pytest.fixture
def own(tmp_path: Path) -> Lab:
    """A project with two benches and a ledger."""
    folder = tmp_path / "mine"
    (folder / "inner").mkdir(parents=True)
    (folder / "perflab.toml").write_text(BENCHES)
    shutil.copy(FIXTURES / "harness" / "gbench", folder / "inner")
    (folder / "words").write_text("b\na\nb\n")
    (folder / "perflab" / "claims").mkdir(parents=True)
    (folder / "perflab" / "claims" / "readme.yaml").write_text(LEDGER)
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="", PERFLAB_PRESET="")
    lab.place = folder
    return lab


def test_a_bench_is_a_topic_with_a_variant_for_each_thing_compared(own: Lab) -> None:
    assert [one["name"] for one in own.json("topics")] == ["cache", "sorts"]
    described = own.json("describe", "cache")
    assert [one["name"] for one in described["variants"]] == ["List", "Clock"]
    assert [one["name"] for one in described["scenarios"]] == ["time"]
    assert [one["name"] for one in own.json("describe", "sorts")["variants"]] == ["sort-u-words", "awk-s-0-words"]


def test_claims_rest_on_what_a_reproduction_measures_and_on_no_exploring_bench(own: Lab) -> None:
    own("bench", "cache", "--budget", "1")
    assert {one["verdict"] for one in own.json("claims", "readme")["claims"]} == {"not run"}
    own.place = own.place / "inner"  # a folder of the project is as good as any other
    found = own.json("reproduce", "cache", "--quick", "--all", "--minutes", "0.2", status=0)
    assert {one["id"]: one["verdict"] for one in found["claims"]} == {"twice": "reproduced", "frugal": "refuted"}
    run = find_run("latest", own.place.parent / ".perflab" / "results")
    assert (run.header.component, run.header.kind) == ("cache", "measure")
    assert [arm.label for arm in run.header.arms] == ["List", "Clock"]


def test_a_name_that_the_bench_does_not_have_is_one_line_before_anything_is_measured(own: Lab) -> None:
    file = own.place / "perflab" / "claims" / "readme.yaml"
    wrongs = {"candidate: Clock": "candidate: Clok", "scenario: time": "scenario: tme", "metric: cpu": "metric: cpo"}
    for right, wrong in wrongs.items():
        says = f"did you mean {right.partition(': ')[2]!r}"
        file.write_text(LEDGER.replace(right, wrong))
        assert says in own("claims", "readme", status=2).stderr
        assert says in own("reproduce", "cache", "--quick", status=2).stderr
    assert own.json("runs") == []


def test_what_takes_a_bench_program_says_that_a_bench_has_none(own: Lab) -> None:
    assert "no profiler applies" in own("bench", "true", "false", "--profile", "cpu", status=2).stderr
    assert "has no bench program" in own("check", "cache", "--variant", "List", status=2).stderr


def test_a_missing_program_is_found_before_anything_is_measured(own: Lab) -> None:
    (own.place / "inner" / "gbench").unlink()
    assert "cannot start ./gbench" in own("measure", "cache", "--quick", status=3).stderr
    assert own.json("claims", "readme")["claims"][0]["verdict"] == "not run"
    assert own.json("topics")


OVER = """
[bench.sizes]
harness = "gbench"
of = ["./gbench"]
compare = ["List/{size}", "Clock/{size}"]
over = ["size=8,64"]
folder = "inner"
"""
GROWS = """
report: readme
title: A README
component: sizes
claims:
  - id: thrice
    kind: ratio
    statement: Six times as fast at 64.
    published: {value: 6, unit: x}
    baseline: List
    candidate: Clock
    scenario: time
    params: {size: 64}
  - id: grows
    kind: scaling
    statement: Its advantage grows threefold.
    published: {value: 3, unit: x}
    baseline: List
    candidate: Clock
    scenario: time
    parameter: size
    start: 8
    stop: 64
"""


def test_benchmarks_with_an_argument_are_compared_at_each_of_its_values(own: Lab) -> None:
    (own.place / "perflab.toml").write_text(OVER)
    (own.place / "perflab" / "claims" / "readme.yaml").write_text(GROWS)
    described = own.json("describe", "sizes")
    assert [one["name"] for one in described["variants"]] == ["List", "Clock"]
    assert described["scenarios"][0]["parameters"][0]["default"] == 8
    labels = [f"{name} size={size}" for name in ("List", "Clock") for size in (8, 64)]
    found = own.json("bench", "sizes", "--budget", "1")
    assert list(found["variants"]) == labels
    own.place = own.place / "inner"
    typed = own.json("bench", "--gbench", "./gbench", "List/{n}", "Clock/{n}", "--over", "n=8,64", "--budget", "1")
    assert list(typed["variants"]) == [one.replace("size", "n") for one in labels]
    assert [one["baseline"] for one in typed["points"]] == ["List n=8", "List n=64"]
    assert [one["comparisons"][0]["candidate"] for one in typed["points"]] == ["Clock n=8", "Clock n=64"]
    assert "against List n=64" in own("bench", "sizes", "--budget", "1").stdout.replace("size", "n")
    judged = own.json("reproduce", "sizes", "--quick", "--all", "--minutes", "0.2")["claims"]
    assert {one["id"]: one["verdict"] for one in judged} == {"thrice": "reproduced", "grows": "reproduced"}
    run = find_run("latest", own.place.parent / ".perflab" / "results")
    assert run.header.arms[0].params["benchmark"] == "List/{size}"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--gbench", "./gbench", "List/{n}", "Clock/{n}", "--over", "n=8,9"), "no benchmark of ./gbench 'List/9'"),
        (("--gbench", "./gbench", "List/{n}", "Clock", "--over", "n=8,64"), "a benchmark has no {n} in its name"),
        (("--gbench", "./gbench", "List/{n}", "--over", "n"), "cannot read the parameter 'n'"),
        (("--gbench", "./gbench", "List/{gbench}", "--over", "gbench=8"), "cannot read the parameter"),
        (("true {n}", "--over", "n=8,64"), "parameters are those of benchmarks of one program"),
    ],
)
def test_a_parameter_that_cannot_be_is_one_line_before_anything_is_measured(
    own: Lab, words: tuple[str, ...], says: str
) -> None:
    own.place = own.place / "inner"
    assert says in own("bench", *words, status=2).stderr
    assert own.json("runs") == []


def test_a_project_without_a_ledger_says_how_to_begin_one(own: Lab) -> None:
    (own.place / "perflab" / "claims" / "readme.yaml").unlink()
    assert "claims new README.md" in own("claims", status=2).stderr
    assert "is on cache" in own("reproduce", "cache", status=2).stderr
