"""A project of one's own: found from within, made by `init`, with benches by their names, and refused if it is none."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest
from labs import Lab, commit

from perflab.cli.project import add_bench
from perflab.model.errors import UsageError
from perflab.model.lab import CHECKOUT
from perflab.model.lab import Lab as Folders
from perflab.model.project import FILE, SavedBench, read_project
from perflab.store.runs import find_run

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("true", "true #")


@pytest.fixture
def own(tmp_path: Path) -> Lab:
    """A lab in a git repository of somebody's own, with nothing of the checkout's."""
    folder = tmp_path / "mine"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)  # noqa: S607
    commit(folder, "Begin")
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = folder
    return lab


def test_results_of_a_project_stay_in_it_with_its_commit_and_change_nothing(own: Lab) -> None:
    own("init")
    found = own.json("bench", *COMMANDS)
    run = find_run(found["run"], own.place / ".perflab" / "results")
    git = ["git", "-C", str(own.place)]
    assert run.header.revision.commit == subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    assert subprocess.check_output([*git, "status", "--porcelain"], text=True) == f"?? {FILE}\n"
    assert [row["run"] for row in own.json("runs")] == [run.id]
    assert own.json("topics") == []


def test_a_bench_is_saved_by_what_was_typed_and_repeated_from_within(own: Lab) -> None:
    own("init")
    inner = own.place / "inner"
    inner.mkdir()
    (inner / "figure").write_text("echo 12 ns/op; pwd >&2\n")
    own.place = inner
    typed = ("--pattern", "([0-9.]+) ns/op", "--better", "higher", "sh figure", 'sh "figure"')
    own("bench", *typed, "--save", "figure")
    saved = tomllib.loads((inner.parent / FILE).read_text())["bench"]["figure"]
    assert saved == {
        "compare": ["sh figure", 'sh "figure"'],
        "pattern": "([0-9.]+) ns/op",
        "better": "higher",
        "folder": "inner",
    }
    own.place = inner.parent
    found = own.json("bench", "figure")
    run = find_run(found["run"], own.place / ".perflab" / "results")
    assert [arm.label for arm in run.header.arms] == ["sh-figure", "sh-figure-2"]
    assert "has a bench 'figure' already" in own("bench", *COMMANDS, "--save", "figure", status=2).stderr
    assert "cannot name a bench" in own("bench", *COMMANDS, "--save", "a b", status=2).stderr


def test_without_a_project_nothing_is_saved_and_init_is_named(own: Lab) -> None:
    assert "init makes this folder one" in own("bench", *COMMANDS, "--save", "mine", status=2).stderr
    assert not (own.place / FILE).exists()


@pytest.mark.parametrize(
    ("file", "text", "harness"),
    [
        ("CMakeLists.txt", "target_link_libraries(bench benchmark::benchmark)", "gbench"),
        ("CMakeLists.txt", "find_package(Catch2 3)", "catch2"),
        ("Cargo.toml", '[dev-dependencies]\ncriterion = "0.8"', "criterion"),
        ("pom.xml", "<artifactId>jmh-core</artifactId>", "jmh"),
        ("m_test.go", "func BenchmarkGet(b *testing.B) {}", "go"),
        ("test_caches.py", "def test_get(benchmark): benchmark(get)", "pytest"),
        ("bench.py", "import pyperf", "pyperf"),
        ("Cargo.toml", '[dev-dependencies]\ndivan = "0.1"', "divan"),
        ("package.json", '{"scripts": {"bench": "vitest bench"}}', "vitest"),
        ("bench.mjs", 'import { Bench } from "tinybench"', "tinybench"),
        ("sort.bench.js", "const { bench } = require('mitata')", "mitata"),
        ("Makefile", "bench: bench.o\n\tc++ -o bench bench.o -lbenchmark", "gbench"),
    ],
)
def test_init_looks_into_build_files(own: Lab, file: str, text: str, harness: str) -> None:
    (own.place / file).write_text(text)
    assert own.json("init")["harnesses"] == [harness]
    written = (own.place / FILE).read_text()
    uncommented = "\n".join(line.removeprefix("# ") for line in written.splitlines() if not line.endswith(":"))
    assert harness in written
    assert read_project(own.place / FILE).bench == {}
    assert f"[bench.{harness}]" in uncommented
    assert "here already" in own("init", status=2).stderr


def test_init_looks_into_folders_too(own: Lab) -> None:
    for path, text in {
        "go.mod": "module m",
        "cache/get_test.go": "func BenchmarkGet(b *testing.B) {}",
        "cache/put_test.go": "func BenchmarkPut(b *testing.B) {}",
        "crate/Cargo.toml": 'criterion = "0.8"',
        "CMakeLists.txt": "project(m)",
        "jmh/pom.xml": "<artifactId>jmh-core</artifactId><finalName>micro</finalName>",
        "src/pom.xml": "<finalName>m</finalName>",
        "src/benchmarks/get.py": "from pyperf import Runner",
        "node_modules/vitest/package.json": '{"scripts": {"bench": "vitest bench"}}',
        "perf/CMakeLists.txt": "# googlebenchmark\ntarget_link_libraries(c.bench PRIVATE m benchmark::benchmark)",
        'odd"]\n[bench.x]/m_test.go': "func BenchmarkX(b *testing.B) {}",
    }.items():
        (own.place / path).parent.mkdir(parents=True, exist_ok=True)
        (own.place / path).write_text(text)
    said = own("init").stdout
    assert "crate/Cargo.toml: " in said
    assert "bench --criterion crate OLD NEW" in said
    assert "bench --gbench ./build/perf/c.bench OLD NEW" in said
    assert "bench --jmh jmh/target/micro.jar OLD NEW" in said
    assert said.count("bench --go cache OLD NEW") == said.count("--go ") == 1
    written = (own.place / FILE).read_text()
    assert "bench.x" not in written
    assert re.findall(r"\[bench\.(.*)\]", written) == ["gbench", "criterion", "jmh", "go", "pyperf"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 2", "is of version 2, this perflab reads 1"),
        ('version = "1"', "perflab.toml:1"),
        ("version = 1\nresuts = 'a'", "did you mean 'results'"),
        ("version = 1\n\nresults = '/etc'", "perflab.toml:3"),
        ("results = '../outside'", "perflab.toml:1"),
        ("results = 'a/../../outside'", "perflab.toml:1"),
        ("work = '..'", "perflab.toml:1"),
        ("[bench.a]\nof = []", "perflab.toml:1"),
        ("[bench.'a b']\ncompare = []", "perflab.toml"),
        ("version = ", "perflab.toml"),
    ],
)
def test_a_file_that_is_no_projects_is_one_line(own: Lab, text: str, says: str) -> None:
    (own.place / FILE).write_text(text + "\n")
    said = own("runs", status=2).stderr
    assert says in said
    assert len(said.splitlines()) <= 2


def test_the_checkout_is_a_project() -> None:
    project = read_project(CHECKOUT / FILE)
    assert (CHECKOUT / project.components / "mailbox" / "component.toml").is_file()
    assert Folders.from_environment().root == CHECKOUT


def test_a_value_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("version = 1")
    add_bench(file, "a.b", SavedBench(["x \\ \" ' \u00e4 \n\t", "y"]))
    assert read_project(file).bench["a.b"].compare[0] == "x \\ \" ' \u00e4 \n\t"
    with pytest.raises(UsageError, match="cannot be written"):
        add_bench(file, "c", SavedBench(["\x7f"]))
    with pytest.raises(UsageError, match="cannot be written in TOML"):
        add_bench(file, "c", SavedBench(["x"], folder="\udcff"))
    assert set(read_project(file).bench) == {"a.b"}


@pytest.mark.build
def test_a_benchmark_takes_turns_with_the_one_of_an_earlier_commit(own: Lab) -> None:
    if shutil.which("go") is None:
        pytest.skip("no Go: Debian has it as golang-go")
    package = own.place / "cache"
    package.mkdir()
    (own.place / "go.mod").write_text("module m\n\ngo 1.19\n")
    (package / "m_test.go").write_text(
        'package cache\n\nimport "testing"\n\nvar sink []byte\n\n'
        "func BenchmarkMake(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 8) } }\n"
        'func BenchmarkEvents(b *testing.B) { b.ReportMetric(0, "ns/op"); b.ReportMetric(7, "ns/event") }\n'
    )
    own("init")
    untimed = "--go", "./cache", "Events", "Events"
    assert "no figures of time from Events, Events-2" in own("bench", *untimed, status=2).stderr
    figures = own.json("bench", *untimed, "--metric", "ns/event")["variants"].values()
    assert [one["mean"] for one in figures] == pytest.approx([7, 7])
    commit(own.place, "With a benchmark")
    text = (package / "m_test.go").read_text()
    (package / "m_test.go").write_text(text.replace("8)", "4096)"))
    found = own.json("bench", "--go", "./cache", "Make", "--at", "HEAD", "--metric", "allocated")
    before, now = found["variants"]
    assert re.fullmatch(r"Make @ [0-9a-f]{7}:cache", before)
    assert now == "Make @ ./cache"
    assert found["variants"][before]["mean"] == pytest.approx(8)
    assert found["variants"][now]["mean"] == pytest.approx(4096)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ((*COMMANDS, "--at", "HEAD"), "takes a harness that builds"),
        (("--go", ".", "Get", "--at", "nowhere"), "no revision 'nowhere'"),
        (("--go", "./new", "Get", "--at", "HEAD"), "has no new"),
        (("--go", ".", "Get", "--at", "HEAD", "--save", "mine"), "leave one of them out"),
    ],
)
def test_a_revision_that_cannot_be_compared_is_one_line(own: Lab, typed: tuple[str, ...], says: str) -> None:
    own("init")
    (own.place / "new").mkdir()
    assert says in own("bench", *typed, status=2).stderr


LEDGER = """
report: good
title: The inner one
component: mine
claims: [{id: first, kind: order, statement: It is as quick., baseline: 'true', candidate: true-2, scenario: time}]
"""


def test_the_report_has_the_reports_of_projects_within(own: Lab) -> None:
    (own.place / FILE).write_text('projects = ["examples/one"]\n')
    assert "examples/one is no project" in own("report", "--out", "site", status=2).stderr
    inner = own.place / "examples" / "one"
    (inner / "perflab" / "claims").mkdir(parents=True)
    (inner / FILE).write_text('[bench.mine]\ncompare = ["true", "true #"]\n')
    (inner / "perflab" / "claims" / "good.yaml").write_text(LEDGER)
    own.place = inner
    own("reproduce", "mine", "--quick", "--all", "--minutes", "0.03", PERFLAB_PRESET="quick")
    own.place = inner.parent.parent
    own("report", "--out", "site")
    (page,) = (own.place / "site" / "claims" / "good").glob("*.html")
    text = page.read_text(encoding="utf-8")
    assert "cd examples/one\nperflab measure mine" in text
    assert "not run" not in text
    index = (own.place / "site" / "index.html").read_text(encoding="utf-8")
    assert "The inner one" in index
    assert "1 claims, 1 runs" in index
