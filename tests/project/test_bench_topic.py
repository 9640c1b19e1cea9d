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
    explored = own.json("measure", "cache", "--quick", "--rounds", "6")["run"]
    file = own.place / "perflab" / "claims" / "readme.yaml"
    assert {one["verdict"] for one in own.json("claims", "readme")["claims"]} == {"not run"}
    own.place = own.place / "inner"  # a folder of the project is as good as any other
    found = own.json("reproduce", "cache", "--quick", "--all", "--minutes", "0.2", status=0)
    assert {one["id"]: one["verdict"] for one in found["claims"]} == {"twice": "reproduced", "frugal": "refuted"}
    run = find_run("latest", own.place.parent / ".perflab" / "results")
    assert (run.header.component, run.header.kind) == ("cache", "measure")
    assert [arm.label for arm in run.header.arms] == ["List", "Clock"]
    file.write_text(LEDGER.replace("candidate: Clock\n", f"candidate: Clock\n    evidence: {explored}\n", 1))
    pinned = own.json("reproduce", "cache", "--quick", "--all", "--minutes", "0.1")["claims"]
    (twice,) = [one for one in pinned if one["id"] == "twice"]
    assert (twice["verdict"], twice["runs"]) == ("reproduced", [explored])


def test_a_name_that_the_bench_does_not_have_is_one_line_before_anything_is_measured(own: Lab) -> None:
    file = own.place / "perflab" / "claims" / "readme.yaml"
    wrongs = {"candidate: Clock": "candidate: Clok", "scenario: time": "scenario: tme", "metric: cpu": "metric: cpo"}
    for right, wrong in wrongs.items():
        says = f"did you mean {right.partition(': ')[2]!r}"
        file.write_text(LEDGER.replace(right, wrong))
        assert says in own("claims", "readme", status=2).stderr
        assert says in own("reproduce", "cache", "--quick", status=2).stderr
    file.write_text(LEDGER.replace("candidate: Clock\n", "candidate: Clock/8\n"))
    assert "describe lists them" in own("claims", "readme", status=2).stderr
    assert own.json("runs") == []


def test_what_takes_a_bench_program_says_that_a_bench_has_none(own: Lab) -> None:
    assert "no profiler applies" in own("bench", "true", "false", "--profile", "cpu", status=2).stderr
    assert "has no bench program" in own("check", "cache", "--variant", "List", status=2).stderr


def test_a_saved_bench_has_one_history_however_it_is_repeated(own: Lab) -> None:
    by_bench, by_measure = (own.json(verb, "sorts", "--budget", "1") for verb in ("bench", "measure"))
    assert list(by_bench["variants"]) == list(by_measure["variants"]) == ["sort-u-words", "awk-s-0-words"]
    first, second = (find_run(one["run"], own.place / ".perflab" / "results").header for one in (by_bench, by_measure))
    assert (first.component, first.kind) == (second.component, second.kind) == ("sorts", "measure")


def test_the_run_that_a_bench_is_saved_with_begins_its_history(own: Lab) -> None:
    found = own.json("bench", "sort -u words", "sort words", "--budget", "1", "--save", "again")
    header = find_run(found["run"], own.place / ".perflab" / "results").header
    assert (header.component, header.kind, list(found["variants"])) == (
        "again",
        "measure",
        ["sort-u-words", "sort-words"],
    )


def test_a_misspelt_bench_is_named(own: Lab) -> None:
    said = own("bench", "cahce", status=2).stderr
    assert "no command, and no bench 'cahce'" in said
    assert "did you mean 'cache'?" in said


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
        (
            ("./gbench", "./gbench", "--gbench", "List/{n}", "--over", "n=8,64"),
            "or benchmarks of one program",
        ),
        (("true", "--over", "n=8,64"), "no command has {n}"),
    ],
)
def test_a_parameter_that_cannot_be_is_one_line_before_anything_is_measured(
    own: Lab, words: tuple[str, ...], says: str
) -> None:
    own.place = own.place / "inner"
    assert says in own("bench", *words, status=2).stderr
    assert own.json("runs") == []


def test_a_metric_that_nothing_gives_is_refused_before_anything_is_measured(own: Lab) -> None:
    says = "there are no figures of allocations from List, Clock"
    assert says in own("bench", "cache", "--metric", "allocations", status=2).stderr
    assert own.json("runs") == []
    file = own.place / "perflab" / "claims" / "readme.yaml"
    file.write_text(LEDGER.replace("metric: cpu", "metric: allocations"))
    found = own.json("reproduce", "cache", "--quick", "--all", "--minutes", "0.2")["claims"]
    assert {one["id"]: one["verdict"] for one in found} == {"frugal": "not run", "twice": "reproduced"}


def test_a_value_without_a_benchmark_is_said(own: Lab) -> None:
    (own.place / "perflab.toml").write_text(OVER)
    grows, thrice = reversed(GROWS.partition("claims:\n")[2].split("  - id:")[1:])
    ledger = GROWS.partition("  - id:")[0] + f"  - id:{grows}  - id:{thrice.replace('size: 64', 'size: 9')}"
    (own.place / "perflab" / "claims" / "readme.yaml").write_text(ledger)
    says = "no choice for size '9'"
    assert says in own("claims", "readme", status=2).stderr
    assert says in own("reproduce", "sizes", "--quick", "--all", "--minutes", "0.2", status=2).stderr
    assert says in own("sweep", "sizes", "--over", "size=8,9", "--quick", status=2).stderr
    assert own.json("runs") == []
    (own.place / "perflab.toml").write_text(OVER.replace("8,64", "8..64"))
    said = own("reproduce", "sizes", "--quick", "--all", "--minutes", "0.2", "--stream", status=2).stdout.splitlines()
    assert any("no benchmark of ./gbench 'List/9'" in line for line in said)
    assert len(own.json("runs")) == 1
    assert "no benchmark of ./gbench" in own("sweep", "sizes", "--over", "size=8,9", "--quick", status=2).stderr
    assert len(own.json("runs")) == 1


FIGURES = """
[bench.figures]
compare = ["cat figure"]
pattern = "([0-9.]+) ns"
"""


def test_a_saved_bench_takes_turns_with_the_new_build(own: Lab) -> None:
    said = own("measure", "cache", "--quick", "--rounds", "4", "--save-baseline", "main").stdout
    assert "with its build, which runs beside later ones" in said
    unchanged = own.json("measure", "cache", "--baseline", "main", "--rounds", "4")["scenarios"][0]
    assert {row["verdict"] for row in unchanged["metrics"]} == {"within threshold"}
    program = own.place / "inner" / "gbench"
    program.write_text(program.read_text().replace("else 5.0", "else 8.0"))
    found = own.json("measure", "cache", "--baseline", "main", "--rounds", "4", status=1)["scenarios"][0]
    words = {(row["variant"], row["metric"]): row["verdict"] for row in found["metrics"]}
    assert (words["Clock", "time"], words["List", "time"]) == ("regression", "within threshold")
    for kept in (own.place / ".perflab" / "results").glob("baselines/main/cache/*/build/0"):
        kept.write_text(program.read_text().replace('"Clock", ', ""))
    said = own("measure", "cache", "--baseline", "main", "--rounds", "4", status=2).stderr
    assert "no longer runs" in said


def test_runs_of_commands_are_compared_since_no_build_of_theirs_is_kept(own: Lab) -> None:
    (own.place / "perflab.toml").write_text(FIGURES)
    figure = own.place / "figure"
    figure.write_text("100 ns\n")
    short = ("--rounds", "4", "--budget", "1")
    said = own("measure", "figures", "--save-baseline", "main", *short).stdout
    assert "./lab compare main latest" in said or "compare main latest" in said
    figure.write_text("200 ns\n")
    said = own("measure", "figures", "--baseline", "main", *short, status=2).stderr
    assert "could not be kept, so nothing can take turns with it" in said
    own("measure", "figures", *short)
    found = own.json("compare", "main", "latest", status=1)
    assert found["comparisons"][0]["verdict"] == "slower"


def test_a_project_without_a_ledger_says_how_to_begin_one(own: Lab) -> None:
    (own.place / "perflab" / "claims" / "readme.yaml").unlink()
    assert "claims new README.md" in own("claims", status=2).stderr
    assert "is on cache" in own("reproduce", "cache", status=2).stderr
    assert "Missing argument 'FILE'" in own("claims", "new", status=2).stderr
    (own.place / "perflab" / "claims" / "readme.yaml").write_text("# nothing yet\n")
    assert "readme.yaml is empty" in own("claims", "readme", status=2).stderr
