"""tinybench, mitata and vitest themselves, in folders of their own, by the node of the PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from harnesses import SMOKE, ended, real
from names import NAMES

from perflab.bench.interface import choose
from perflab.bench.node import Mitata, Tinybench, Vitest
from perflab.model.errors import BenchError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

NODE_22 = "node@22.22.0"
"""For vitest 5, which runs on nothing older."""
NEWEST = ("tinybench@6.2.3", "mitata@1.0.34", "vitest@4.1.12", "vite@8.3.8")


def install(folder: Path, *packages: str) -> None:
    if shutil.which("npm") is None:
        pytest.skip("no npm (Debian: apt install npm)")
    (folder / "package.json").write_text('{"type": "module"}')
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *packages], cwd=folder, check=True)  # noqa: S607


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("node")
    install(place, *NEWEST)
    return place


@pytest.fixture
def folder(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter an empty folder with these packages."""
    return enter(installed, tmp_path, monkeypatch)


def enter(installed: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (place / "node_modules").symlink_to(installed / "node_modules")
    (place / "package.json").write_text('{"type": "module"}')
    monkeypatch.setenv("PATH", f"{installed / 'node_modules' / '.bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(place)
    return place


OLDER = [
    pytest.param(("tinybench@2.4.0", "mitata@1.0.25"), id="2", marks=pytest.mark.long),
    pytest.param(("tinybench@2.9.0",), id="2.9", marks=pytest.mark.long),
    pytest.param(("tinybench@3.1.1",), id="3", marks=pytest.mark.long),
    pytest.param(("tinybench@4.1.0",), id="4", marks=pytest.mark.long),
    pytest.param(("tinybench@5.1.0",), id="5", marks=pytest.mark.long),
]

TINYBENCH = """
import { Bench } from "tinybench";
console.log("noise");
const first = new Bench({ time: 10_000, name: "FIRST" });
first.add("earlier", () => {});
await first.run();
const bench = new Bench({ time: 10_000 });
for (const name of NAMES) bench.add(name, () => [3, 1, 2].sort());
bench.add("Plain", async () => { await 1; });
bench.add("throws", () => { throw new TypeError("no settings"); });
bench.add("rejects", async () => { throw "no database"; });
if (typeof bench.warmup === "function") await bench.warmup();
await bench.run();
console.table(bench.table());
"""


@pytest.mark.build
def test_any_name_of_tinybench_is_measured(folder: Path) -> None:
    (folder / "bench.js").write_text(TINYBENCH.replace("NAMES", json.dumps(NAMES)))
    harness = Tinybench()
    known = harness.benchmarks("bench.js")
    assert known == ["FIRST/earlier", *NAMES, "Plain", "throws", "rejects"]
    assert harness.left_out == {}
    assert [choose(name, known, "bench.js") for name in known] == known
    for name in ("FIRST/earlier", *NAMES[::3], "Plain"):
        samples = real(harness, name, "bench.js")
        assert len(samples) == SMOKE.samples, name
        assert all(one.ops > 10 for one in samples), name
    with pytest.raises(BenchError, match="throws fails: TypeError: no settings"):
        real(harness, "throws", "bench.js")
    with pytest.raises(BenchError, match=r"rejects fails: .*no database"):
        real(harness, "rejects", "bench.js")


@pytest.mark.build
@pytest.mark.parametrize("packages", OLDER)
def test_older_versions_are_read(packages: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, work = tmp_path / "installed", tmp_path / "work"
    place.mkdir()
    work.mkdir()
    install(place, *packages)
    enter(place, work, monkeypatch)
    named = '"FIRST/' if packages[0] > "tinybench@3" else '"'
    (work / "bench.js").write_text(TINYBENCH.replace("NAMES", '["one", "two"]'))
    harness = Tinybench()
    known = harness.benchmarks("bench.js")
    assert json.dumps(known[0]) == f'{named}earlier"'
    assert known[1:] == ["one", "two", "Plain", "throws", "rejects"]
    for name in ("two", "Plain"):
        assert len(real(harness, name, "bench.js")) == SMOKE.samples
    with pytest.raises(BenchError, match="throws fails: TypeError: no settings"):
        real(harness, "throws", "bench.js")
    if len(packages) > 1:
        (work / "mitata.js").write_text(MITATA.replace("NAMES", '["one", "two"]'))
        other = Mitata()
        assert other.benchmarks("mitata.js")[:2] == ["one", "two"]
        assert len(real(other, "two", "mitata.js")) == 1


@pytest.mark.build
def test_a_script_may_require_tinybench_and_run_it_synchronously(folder: Path) -> None:
    (folder / "bench.cjs").write_text(
        'const { Bench } = require("tinybench");\nconst bench = new Bench();\n'
        'bench.add("one", () => {}).add("two", () => {});\nbench.runSync();\nif (!bench.tasks[0].result) throw 1;\n'
    )
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S607
    if version.startswith(("v20.0", "v20.1.", "v18")):
        pytest.skip(f"{version} cannot require a module")
    harness = Tinybench()
    assert harness.benchmarks("bench.cjs") == ["one", "two"]
    assert len(real(harness, "two", "bench.cjs")) == SMOKE.samples


MITATA = """
import { bench, boxplot, group, run, summary } from "mitata";
console.log("noise");
for (const name of NAMES) bench(name, () => [3, 1, 2].sort());
group("arrays", () => {
  bench("sort $size", function* (state) {
    const size = state.get("size");
    yield () => Array.from({ length: size }).fill(1);
  }).args("size", [1, 10]);
  summary(() => { bench("plain", () => {}); });
});
group("same", () => { bench("plain", () => {}); });
bench("alike", () => {}).args({ a: [1, 2], b: [3, 4] });
bench("throws", () => { throw new TypeError("no settings"); });
await run({ format: "json" });
"""
MITATA_NAMES = [
    *("arrays/sort 1", "arrays/sort 10", "arrays/plain", "same/plain"),
    *("alike/a=1,b=3", "alike/a=2,b=3", "alike/a=1,b=4", "alike/a=2,b=4", "throws"),
]


@pytest.mark.build
def test_any_name_of_mitata_is_measured(folder: Path) -> None:
    (folder / "bench.js").write_text(MITATA.replace("NAMES", json.dumps(NAMES)))
    harness = Mitata()
    known = harness.benchmarks("bench.js")
    assert known == [*NAMES, *MITATA_NAMES]
    for name in (*NAMES[::4], "arrays/sort 10", "same/plain", "alike/a=2,b=4"):
        (one,) = real(harness, name, "bench.js")
        assert one.ops > 10, name
    with pytest.raises(BenchError, match="throws fails: TypeError: no settings"):
        real(harness, "throws", "bench.js")


@pytest.mark.build
@pytest.mark.parametrize("harness", [Tinybench, Mitata])
def test_a_script_without_benchmarks_or_that_fails_says_so(folder: Path, harness: type[Tinybench]) -> None:
    (folder / "none.js").write_text("console.log(1)\n")
    with pytest.raises(UsageError, match="has no benchmark"):
        harness().benchmarks("none.js")
    (folder / "broken.js").write_text('import "nothing-of-this-name";\n')
    with pytest.raises(BenchError, match="nothing-of-this-name"):
        harness().benchmarks("broken.js")
    with pytest.raises(UsageError, match="there is no file"):
        harness().benchmarks("gone.js")


@pytest.mark.build
def test_what_follows_an_error_in_a_script_is_left_out(folder: Path) -> None:
    (folder / "bench.js").write_text(
        'import { Bench } from "tinybench";\nconst bench = new Bench();\nbench.add("one", () => {});\n'
        'bench.add("one#", () => {});\nawait bench.run();\nthrow new Error("no report");\n'
    )
    harness = Tinybench()
    assert harness.benchmarks("bench.js") == ["one", "one#"]
    assert harness.left_out == {"what follows in bench.js": "Error: no report"}


VITEST = """
import { bench, describe, test } from "vitest";
console.log("noise");
describe("names", () => {
  for (const name of NAMES) bench(name, () => { [3, 1, 2].sort(); }, { time: 10_000 });
  describe("deep > [x]", () => { bench("same", () => {}); });
});
describe("other", () => {
  bench("same", () => {});
  bench("Same", async () => { await 1; });
  bench.skip("skipped", () => {});
  bench("throws", () => { throw new TypeError("no settings"); });
});
bench("outside", () => {});
"""
VITEST_NAMES = ["names/deep > [x]/same", "other/same", "other/Same", "other/throws"]


@pytest.mark.build
@pytest.mark.parametrize(
    "packages",
    [
        None,
        pytest.param(("vitest@3.2.4",), marks=pytest.mark.long),
        pytest.param(("vitest@2.1.9",), marks=pytest.mark.long),
        pytest.param(("vitest@1.6.1",), marks=pytest.mark.long),
    ],
)
def test_any_name_of_vitest_is_measured(
    packages: tuple[str, ...] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    if packages is None:
        place = request.getfixturevalue("installed")
    else:
        place = tmp_path / "installed"
        place.mkdir()
        install(place, *packages)
    enter(place, work, monkeypatch)
    (work / "vitest.config.js").write_text('export default { test: { pool: "vmThreads" } };\n')
    (work / "bench").mkdir()
    (work / "bench" / "a.bench.ts").write_text(VITEST.replace("NAMES", json.dumps(NAMES)))
    harness = Vitest()
    known = harness.benchmarks("bench/a.bench.ts")
    assert set(known) == {f"names/{name}" for name in NAMES} | {*VITEST_NAMES, "outside"}
    assert len(known) == len(set(known))
    for name in (*(f"names/{name}" for name in NAMES[:: 12 if packages else 6]), *VITEST_NAMES[:3], "outside"):
        samples = real(harness, name, "bench/a.bench.ts")
        assert len(samples) == SMOKE.samples, name
        assert all(one.ops > 10 for one in samples), name
    with pytest.raises(BenchError, match="throws fails: TypeError: no settings") as failed:
        real(harness, "other/throws", "bench/a.bench.ts")
    assert "deprecated" not in failed.value.hint
    # Files of one folder, one of which cannot be loaded, and two of which have a benchmark of one name.
    (work / "bench" / "a.bench.tsx").write_text(VITEST.replace("NAMES", "['other']"))
    (work / "bench" / "broken.bench.ts").write_text('import "nothing-of-this-name";\n')
    known = harness.benchmarks("bench")
    assert {"bench/a.bench.ts/outside", "bench/a.bench.tsx/outside", "names/plain", "names/other"} <= set(known)
    assert "nothing-of-this-name" in harness.left_out["a file of bench"]
    for name in ("bench/a.bench.tsx/outside", "names/plain"):
        assert len(real(harness, name, "bench")) == SMOKE.samples, name
    (work / "none.bench.ts").write_text("")
    with pytest.raises((BenchError, UsageError), match="no benchmark"):
        harness.benchmarks("none.bench.ts")


VITEST_5 = """
import { describe, expect, test } from "vitest";
describe("arrays", () => {
  test("sort", async ({ bench }) => {
    const both = await bench.compare(bench("Old", () => {}), bench("old", () => { [3, 1, 2].sort(); }));
    expect(both.get("Old")).toBeDefined();
  });
  test("throws", async ({ bench }) => {
    await bench("now", () => { throw new TypeError("no settings"); }).run();
  });
});
"""


@pytest.mark.build
@pytest.mark.long
def test_vitest_5_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, work = tmp_path / "installed", tmp_path / "work"
    place.mkdir()
    work.mkdir()
    install(place, "vitest@5.1.2", NODE_22)
    enter(place, work, monkeypatch)
    (work / "a.bench.ts").write_text(VITEST_5)
    harness = Vitest()
    known = harness.benchmarks("a.bench.ts")
    assert [name.rpartition("/")[2] for name in known] == ["Old", "old", "now"]
    for name in known[:2]:
        assert len(real(harness, name, "a.bench.ts")) == SMOKE.samples
    with pytest.raises(BenchError, match="fails: TypeError: no settings"):
        real(harness, known[2], "a.bench.ts")


def test_lines_of_the_preloaded_module_are_samples() -> None:
    lines = b'{"ops":10,"ns":100}\n{"ops":20,"ns":210.5}\n'
    samples = Tinybench().samples(ended("", lines), "any", SMOKE)
    assert [(one.ops, one.ns) for one in samples] == [(10, 100), (20, 210.5)]
    for result in (b"", b'{"ops":0,"ns":1}\n', lines + b'{"error":"Error: boom\\n    at x"}\n'):
        with pytest.raises(BenchError):
            Tinybench().samples(ended("", result), "any", SMOKE)


def test_without_node_or_vitest_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.js").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="no node"):
        Mitata().benchmarks("a.js")
    with pytest.raises(MissingError, match="no vitest"):
        Vitest().benchmarks("a.js")
    with pytest.raises(UsageError, match="there is no b"):
        Vitest().benchmarks("b")
