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

from hostile import VALUES, attack, documents, harmless, lines, state
from perflab.charts.chart import PLOTLY
from perflab.host.machine import Load
from perflab.model.files import read_json_lines
from perflab.model.lab import Lab as Folders
from perflab.model.names import file_name, is_id
from perflab.model.protocol import Metric, Parameter, Sample, read_description, read_message, read_stream
from perflab.site.layout import claim_page, run_data, run_page
from perflab.site.markdown import Markdown
from perflab.site.pages import body_of, find_notebooks
from perflab.site.writer import SiteWriter
from perflab.store.bundles import open_bundle
from perflab.store.kept import unpack_run
from perflab.store.records import Ending
from perflab.store.runs import RunWriter, find_run, find_runs

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


def test_a_variant_called_like_a_date_and_a_bad_line_in_the_middle(tmp_path: Path) -> None:
    writer = RunWriter(HEADER, tmp_path)
    writer.sample(0, "2024-01-01", sample(0))
    with (writer.folder / "samples.jsonl").open("ab") as file:
        file.write(b'{"round": 0, "variant": "a", "i": 99999999999, "ops": 1, "ns": 1}\nlog\n')
    writer.sample(0, "2024-01-02", sample(1))
    writer.end(Ending("rounds", 1, 1.0, Load(0.0, 0.0)))
    run = find_run("latest", tmp_path)
    assert run.samples()["variant"].tolist() == ["2024-01-01", "2024-01-02"]
    (run.folder / "samples.npz").unlink()
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
