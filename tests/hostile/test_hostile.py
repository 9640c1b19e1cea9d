"""What others have made is read, shown and kept: nothing is written outside, and each failure is an error for people.

A share of the cases is the same in each `./lab test`; `--all` adds many that differ every time.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import foreign
import msgspec
import nbformat
import nbformat.v4 as nb
import pytest
from hypothesis import strategies as st
from labs import Lab
from runs import HEADER, MACHINE, sample, write_run

from hostile import VALUES, attack, documents, drawable, harmless, lines, state
from perflab.charts.chart import PLOTLY
from perflab.charts.curve import sweep_charts
from perflab.charts.flame import profile_charts
from perflab.charts.run_charts import run_charts
from perflab.claims.ledger import read_ledger
from perflab.host.git import Revision
from perflab.host.load import Load
from perflab.measure.analysis import analyse
from perflab.measure.sweep import collect
from perflab.model.files import read_json_lines
from perflab.model.lab import Lab as Folders
from perflab.model.names import file_name, is_id
from perflab.model.protocol import Metric, Parameter, Sample, read_description, read_message, read_stream
from perflab.profile.perf_script import parse
from perflab.profile.profile import Profile, charges
from perflab.site.downloads import write_run as write_run_files
from perflab.site.layout import claim_page, run_data, run_page
from perflab.site.markdown import Markdown
from perflab.site.pages import body_of, find_notebooks
from perflab.site.writer import SiteWriter
from perflab.store.baselines import SavedBaseline, find_baselines, unpack_run
from perflab.store.bundles import open_bundle
from perflab.store.records import Ending, ProfileRecord, find_profiles
from perflab.store.runs import RunWriter, find_run, find_runs
from perflab.store.searches import newest_search
from perflab.store.sweeps import find_sweep
from perflab.topics.manifest import read_manifest

LAB = Folders.from_environment()

CASES = pytest.mark.parametrize("cases", [20, pytest.param(1000, marks=pytest.mark.long)])
"""Ten tests of them."""

SCENARIO = msgspec.structs.replace(
    HEADER.scenario, metrics=[Metric("p50", "p50", "ns", "lower")], parameters=[Parameter("size", "int", 1, 1, 9)]
)
RUN = msgspec.to_builtins(msgspec.structs.replace(HEADER, scenario=SCENARIO, params={"size": 2}))
END = msgspec.to_builtins(Ending("rounds", 2, 1.0, Load(0.0, 0.0), {"b": "why"}))
SAMPLES = [
    {"round": round_, "variant": label, "i": i, "ops": 1.0, "ns": 10.0 + i, "p:p50": 3.0, "c:gc": 1}
    for round_ in range(2)
    for label in ("a", "b")
    for i in range(2)
]
FORKS = [
    {"round": round_, "position": at, "variant": label, "status": "ok", "wall_s": 1.0, "runtime": "x 1"}
    for round_ in range(2)
    for at, label in enumerate(("a", "b"))
]
RUN_FILES = st.fixed_dictionaries(
    {
        "run.json": documents(RUN),
        "end.json": documents(END),
        "samples.jsonl": lines(SAMPLES),
        "forks.jsonl": lines(FORKS),
    }
)


class Place:
    """A folder with results in it, beside which nothing may change."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="hostile-"))
        self.results = self.root / "a" / "b" / "c" / "results"
        self.results.mkdir(parents=True)
        (self.root / "a" / "secret.json").write_text("{}")
        self._before = state(self.root, self.results)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        after = state(self.root, self.results)
        shutil.rmtree(self.root)
        assert after == self._before

    def put(self, path: str, content: bytes) -> Path:
        target = self.results / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target


def _looked_at(run_name: str, results: Path) -> None:
    run = find_run(run_name, results)
    drawable(run_charts(LAB, analyse(run)).values())


@CASES
def test_run_folders(cases: int) -> None:
    def check(files: dict[str, bytes]) -> None:
        with Place() as place:
            for name, content in files.items():
                place.put(f"runs/{HEADER.id}/{name}", content)
            folder = place.results / "runs" / HEADER.id
            (folder / "link.json").symlink_to(place.root / "a" / "secret.json")
            site = SiteWriter(place.results / "site")
            for run in find_runs(place.results):
                harmless(run.samples)
                harmless(run.forks)
                harmless(lambda run=run: write_run_files(site, run))
            harmless(lambda: _looked_at("latest", place.results))
            assert not list((place.results / "site").rglob("link.json"))

    attack(cases, RUN_FILES, check)


@CASES
def test_bundles(cases: int) -> None:
    def check(case: tuple[dict[str, bytes], bytes, str, Any]) -> None:
        files, index, room, name = case
        entries = {f"{room}/{name}/{file}": files[file] for file in ("run.json", "end.json")}
        with suppress(ValueError, TypeError, RecursionError):
            # The sums are right, so that everything behind them is reached.
            sums = {entry: hashlib.sha256(data).hexdigest() for entry, data in entries.items()}
            index = json.dumps({**json.loads(index), "files": sums}).encode()
        with Place() as place:
            path = place.results / "bundle.zip"
            with suppress(ValueError), zipfile.ZipFile(path, "w") as archive:
                for entry, data in {**entries, "bundle.json": index}.items():
                    archive.writestr(entry, data)

            def look() -> None:
                with open_bundle(path) as (_, results):
                    for run in find_runs(results):
                        harmless(run.samples)
                    assert len(list(results.rglob("*.json"))) == len(entries)

            harmless(look)

    index = {"version": 1, "perflab": "0", "machine": msgspec.to_builtins(MACHINE), "reports": ["toys"]}
    names = st.one_of(st.just(HEADER.id), VALUES.map(str))
    attack(cases, st.tuples(RUN_FILES, documents(index), st.sampled_from(["runs", "runs", "..", ""]), names), check)


@CASES
def test_runs_that_arrive(cases: int) -> None:
    def check(case: tuple[dict[str, bytes], Any]) -> None:
        files, name = case
        header = json.loads(json.dumps(RUN)) | {"id": name}
        with Place() as place:
            place.put("runs/kept/run.json", b"{}")
            harmless(lambda: unpack_run(files, place.results))
            harmless(lambda: unpack_run({**files, "run.json": json.dumps(header).encode()}, place.results))
            assert (place.results / "runs" / "kept" / "run.json").exists()

    attack(cases, st.tuples(RUN_FILES, VALUES), check)


def _sweep_drawn(results: Path) -> None:
    drawable(sweep_charts(collect(find_sweep("latest", results))).values())


@CASES
def test_sweeps_and_searches(cases: int) -> None:
    sweep = {
        "id": "s",
        "created": "2026-01-01T00:00:00+00:00",
        "component": "toy",
        "scenario": "sum",
        "seed": 1,
        "variants": ["a"],
        "baseline": "a",
        "over": {"size": [1, 2]},
        "params": {},
        "preset": "quick",
        "options": {"samples": 2},
        "perflab": "0",
    }
    points = [{"params": {"size": size}, "machine": "m@h", "run": "r", "host": "h"} for size in (1, 2)]
    trial = {"number": 1, "params": {"size": 2}, "run": "r", "comparison": {"candidate": "x"}}
    search = {
        "search": "q",
        "topic": "toy",
        "scenario": "sum",
        "variant": "a",
        "over": {"size": "1..2"},
        "default": {"size": 1},
        "trials": [trial],
    }

    def check(case: tuple[bytes, bytes, bytes]) -> None:
        with Place() as place:
            write_run(place.results, name="r", header=msgspec.structs.replace(HEADER, scenario=SCENARIO))
            place.put("sweeps/s/sweep.json", case[0])
            place.put("sweeps/s/points.jsonl", case[1])
            place.put("searches/q/search.json", case[2])
            harmless(lambda: _sweep_drawn(place.results))
            newest_search(0.0, place.results)

    attack(cases, st.tuples(documents(sweep), lines(points), documents(search)), check)


@CASES
def test_baselines(cases: int) -> None:
    saved = msgspec.to_builtins(SavedBaseline("main", "toy", "sum", {"size": 1}, HEADER.id, ["a"], "2026"))

    def check(content: bytes) -> None:
        with Place() as place:
            place.put("baselines/main/toy/sum-00000000/baseline.json", content)
            assert find_baselines(place.results) == []  # its folder has the key of other settings

    attack(cases, documents(saved), check)


@CASES
def test_ledgers(cases: int) -> None:
    claim = {
        "id": "c",
        "kind": "ratio",
        "statement": "s",
        "baseline": "a",
        "candidate": "b",
        "scenario": "sum",
        "params": {"size": 1},
        "published": {"value": 2},
    }
    ledger = {"report": "r", "title": "t", "component": "toy", "claims": [claim, {**claim, "id": "d"}], "beside": ["a"]}

    def check(content: bytes) -> None:
        with Place() as place:
            # JSON is YAML, too.
            harmless(lambda: read_ledger("r", place.put("claims/r.yaml", content).parent))

    attack(cases, documents(ledger), check)


SCALARS = r"""
1
x
~

''
.inf
-.nan
0x
0b_
1:1:1
2026-01-01
2026-99-99
=
<<
!!int ""
!!float ""
!!bool x
!!timestamp x
!!set {a, b}
!!omap [a: 1]
!!binary x
!!python/name:os.system
! x
!!str
{}
[]
[[1]]
[1, 2]
{value: 1, value: {x: 1}}
{? [a] : 1}
{? {} : 1}
{1: 2}
{low: 1, high: 2}
&a [*a]
*a
- x
a: b
'
[
%
"\ud800"
"""
"""One a line."""

LEDGER = """\
report: r
title: t
component: toy
beside: [a]
claims:
- id: c
  kind: order
  statement: s
  lines: [1, 2]
  scenario: sum
  candidate: b
  over: [a]
  published: {value: 2}
  params: {n: 1}"""


@CASES
def test_ledgers_as_text(cases: int) -> None:
    ledger = LEDGER.splitlines()

    def check(changes: list[tuple[int, str, bool]]) -> None:
        text = ledger.copy()
        for at, value, twice in changes:
            line = f"{ledger[at].partition(':')[0]}: {value}"
            text[at] = f"{ledger[at]}\n{line}" if twice else line
        with Place() as place:
            written = "\n".join(text).encode(errors="surrogatepass")
            harmless(lambda: read_ledger("r", place.put("claims/r.yaml", written).parent))

    values = [*SCALARS.splitlines(), "9" * 5000, "|\n x", "\t", "\0", "\ud800"]
    change = st.tuples(st.integers(0, len(ledger) - 1), st.sampled_from(values), st.booleans())
    attack(4 * cases, st.lists(change, min_size=1, max_size=3), check)


@CASES
def test_manifests(cases: int) -> None:
    def check(case: tuple[bytes, bytes]) -> None:
        with Place() as place:
            text = b"\n".join(
                [b"name = " + case[0], b'title = "t"', b'language = "x"', b'[build]\ncommand = ["true"]', case[1]]
            )
            harmless(lambda: read_manifest(place.put("component.toml", text)))

    attack(cases, st.tuples(documents("toy"), documents({"x": 1})), check)


@CASES
def test_bench_programs(cases: int) -> None:
    described = {
        "protocol": 1,
        "component": "toy",
        "runtime": {"name": "x", "version": "1"},
        "scenarios": [msgspec.to_builtins(SCENARIO)],
        "variants": [{"name": "a", "role": "lab", "scenarios": ["sum"]}],
    }
    said = [
        {"type": "start", "protocol": 1, "component": "toy", "scenario": "sum", "variant": "a", "params": {"size": 1}},
        {"type": "sample", "i": 0, "ops": 1, "ns": 2, "percentiles": {"p50": 1}, "counters": {"gc": 1}},
        {"type": "sample", "i": 1, "ops": 1, "ns": 2, "counters": {"Gc": 1}},
    ]

    def check(case: tuple[bytes, list[bytes]]) -> None:
        harmless(lambda: read_description(case[0]))
        with Place() as place:
            writer = RunWriter(HEADER, place.results)
            kept = []

            def take(line: bytes) -> None:
                message = read_message(line)
                if isinstance(message, Sample):
                    writer.sample(0, "a", message)
                    kept.append(message.i)

            for line in case[1]:
                harmless(lambda line=line: take(line))
                read_stream(line.decode(errors="surrogateescape"))
            writer.end(Ending("rounds", 1, 1.0, Load(0.0, 0.0)))
            # What was taken is sealed and read back.
            assert find_run("latest", place.results).samples()["i"].tolist() == kept

    attack(cases, st.tuples(documents(described), st.tuples(*map(documents, said)).map(list)), check)


@CASES
def test_profiles(cases: int) -> None:
    record = msgspec.to_builtins(
        ProfileRecord(
            *("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"cause": [0.5]}, {}, [], MACHINE, Revision())
        )
    )
    profile = {"version": 1, "mode": "cpu", "unit": "ns", "counters": {"x_ns": 1}, "title": "t", "operations": 2.0}
    stacks = st.one_of(
        st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass")),
        st.sampled_from(
            [
                b"a;b 1\n",
                b"a;b nan\n",
                b"a;b 1e999\n",
                b"a 1e30\nb -1e30\nc 1e-300\n",
                b"a" * 100_000,
                b";;; 1\n",
                b"\xff 1\n",
                b" 1\n",
            ]
        ),
    )

    def check(case: tuple[bytes, bytes, bytes]) -> None:
        with Place() as place:
            place.put("profiles/p/profile-record.json", case[0])
            place.put("profiles/p/profile.json", case[1])
            place.put("profiles/p/stacks.collapsed", case[2])
            records = find_profiles(place.results)
            assert all(one.id == "p" for one in records)
            folder = place.results / "profiles" / "p"
            harmless(lambda: charges(Profile.load(folder).stacks))
            for one in records:
                harmless(lambda one=one: drawable(profile_charts(LAB, [(one, Profile.load(folder))]).values()))
        with suppress(ValueError):  # it says so, and who profiles asks again
            list(parse(case[2].decode(errors="replace").splitlines()))

    attack(cases, st.tuples(documents(record), documents(profile), stacks), check)


@CASES
def test_notebooks(cases: int) -> None:
    chart = {PLOTLY: foreign.CHART, "text/plain": "t"}
    cells = [nb.new_markdown_cell("# Title"), nb.new_code_cell("1", outputs=[nb.new_output("display_data", chart)])]
    whole = json.loads(nbformat.writes(nb.new_notebook(cells=cells)))

    def check(content: bytes) -> None:
        with Place() as place:
            (place.results / "lab").mkdir()
            committed = place.put("lab/notebooks/toy.ipynb", content)
            lab = replace(LAB, root=committed.parents[1], results=place.results)

            def look() -> None:
                (found,) = find_notebooks(lab, Markdown({}))
                charts = re.findall(r'<script type="application/json">(.*?)</script>', body_of(found, Markdown({})))
                # Under another name an address is a text like any other; under these it is loaded.
                names = {name for chart in charts for name in re.findall(r'"(\w+)":', chart)}
                assert not any(
                    name in {"source", "updatemenus", "sliders", "frames"} or "images" in name for name in names
                )

            harmless(look)

    attack(cases, documents(whole), check)


@CASES
def test_names_that_become_places(cases: int) -> None:
    def check(name: object) -> None:
        text = str(name)
        with Place() as place:
            folder = place.results.resolve()
            assert (folder / file_name(text)).resolve().parent == folder
            if is_id(text):
                assert (folder / text).resolve().parent == folder
            site = SiteWriter(folder / "site")
            for path in (run_page(text), claim_page(text, text), run_data(text), text):
                encodable = text.isprintable() and "\0" not in text and len(text) < 50
                if encodable and not (folder / "site" / path).is_dir():
                    harmless(lambda path=path: site.text(f"{path}.x", ""))
            shutil.rmtree(folder / "site")
            assert list(folder.iterdir()) == []

    attack(cases, VALUES, check)


@CASES
def test_lines_of_records(cases: int) -> None:
    def check(content: bytes) -> None:
        with Place() as place:
            path = place.put("tests.jsonl", b'{"a": 1}\n' + content + b'\n{"a": 2}\n')
            found = read_json_lines(path, dict[str, int])
            assert found[0] == {"a": 1}
            assert found[-1] == {"a": 2}

    attack(cases, lines([{"a": 1}, {"b": [1]}]), check)


@pytest.mark.long
def test_a_million_samples(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (run.folder / "samples.parquet").unlink()
    line = json.dumps(SAMPLES[0]).encode() + b"\n"
    (run.folder / "samples.jsonl").write_bytes(line * 500_000 + b"no sample\n" + line * 500_000)
    assert len(run.samples()) == 1_000_000
    assert any("1 lines of samples.jsonl are no samples" in note for note in run.notes)


def test_a_variant_called_like_a_date_and_a_bad_line_in_the_middle(tmp_path: Path) -> None:
    writer = RunWriter(HEADER, tmp_path)
    writer.sample(0, "2024-01-01", sample(0))
    with (writer.folder / "samples.jsonl").open("ab") as file:
        file.write(b'{"round": 0, "variant": "a", "i": 99999999999, "ops": 1, "ns": 1}\nlog\n')
    writer.sample(0, "2024-01-02", sample(1))
    writer.end(Ending("rounds", 1, 1.0, Load(0.0, 0.0)))
    run = find_run("latest", tmp_path)
    assert run.samples()["variant"].tolist() == ["2024-01-01", "2024-01-02"]
    (run.folder / "samples.parquet").unlink()
    assert run.samples()["variant"].tolist() == ["2024-01-01", "2024-01-02"]
    assert any("2 lines of samples.jsonl are no samples" in note for note in run.notes)


def test_a_run_that_calls_itself_otherwise_is_none(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    run.folder.rename(run.folder.with_name("other"))
    assert find_runs(tmp_path) == []


@pytest.mark.parametrize(
    ("id_", "command", "status"),
    [
        ("../../../../pwned", ("chart", "latest"), 2),
        ("[red]x[/y]", ("compare", "latest"), 2),
        ("\u202egnp", ("runs",), 0),
    ],
)
def test_commands_say_it_in_one_line(tmp_path: Path, id_: str, command: tuple[str, ...], status: int) -> None:
    lab = Lab(tmp_path / "a" / "b" / "c")
    folder = lab.results / "runs" / "20260101-000000-x"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(RUN | {"id": id_}))
    before = state(tmp_path, lab.results, tmp_path / "a" / "b" / "c" / "cache", tmp_path / "a" / "b" / "c" / "lock")
    done = lab(*command, status=status)
    assert "cannot read the run" in done.stderr or status == 0
    after = state(tmp_path, lab.results, tmp_path / "a" / "b" / "c" / "cache", tmp_path / "a" / "b" / "c" / "lock")
    assert after == before
