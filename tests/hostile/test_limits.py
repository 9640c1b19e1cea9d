"""Small files that claim, or unfold to, more than a machine has."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import nbformat
import nbformat.v4 as nb
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from runs import HEADER, MACHINE, write_run
from silent import Silent

from hostile import harmless
from perflab.charts.flame import MOST_NODES, flame_chart
from perflab.claims.ledger import _line_at, read_ledger
from perflab.cli.console.form import Command
from perflab.cli.console.kept import Kept, KeptResults, KeptView
from perflab.host.git import Revision
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse, band_of, fork_tables
from perflab.model.errors import BenchError, StoreError, UsageError, unknown
from perflab.model.files import place_in, read_bytes, read_json_lines
from perflab.model.lab import Lab
from perflab.model.limits import LONGEST_TEXT, MOST_CAUSES, TooMuchError
from perflab.model.project import read_project
from perflab.model.protocol import read_message
from perflab.profile.frames import clean, short
from perflab.profile.profile import Profile, parse_collapsed
from perflab.site.downloads import write_profile as copy_profile
from perflab.site.downloads import write_run as copy_run
from perflab.site.markdown import Markdown, highlighted
from perflab.site.pages import (
    body_of,
    find_documents,
    find_notebooks,
    linked,
    source_of,
    write_documents,
    write_notebooks,
)
from perflab.site.sanitizer import sanitized
from perflab.site.writer import SiteWriter
from perflab.stats.diagnostics import summarise
from perflab.store import records
from perflab.store.baselines import find_baselines
from perflab.store.bundles import portable_table
from perflab.store.records import (
    Arm,
    ProfileRecord,
    find_profiles,
    find_tests,
    profile_folder,
    write_profile,
    write_tests,
)
from perflab.store.runs import Run, database, find_run, find_runs, forget_runs, read_lines, read_parquet
from perflab.store.runs import _read as kept
from perflab.store.searches import Confirmation, SearchResult, Trial, newest_search, write_search
from perflab.topics.manifest import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


COUNTERS = ", ".join(f'1.0 AS "c:{n}"' for n in range(60))
MANY = ", ".join(f'1.0 AS "c:{n}"' for n in range(500))


def table(query: str, path: Path) -> None:
    duckdb.sql(query).write_parquet(str(path), compression="zstd")


def test_the_report_leaves_out_tables_that_are_none_or_too_large(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    (run.folder / "forks.parquet").write_bytes(b"PAR1 \xff")
    (run.folder / "more.parquet").write_bytes(b"\xff")
    table("SELECT i AS round, 'a' AS variant FROM range(30000000) t(i)", run.folder / "samples.parquet")
    copied = {one.path.rpartition("/")[2] for one in copy_run(SiteWriter(tmp_path / "site"), run)}
    assert copied == {"run.json", "end.json", "samples.jsonl", "forks.jsonl", "samples.csv"}


def test_each_row_of_a_long_table_keeps_its_label(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    query = "SELECT i AS round, 'token: a1234567' AS variant, 0 AS i, 1 AS ops, 1.0 AS ns FROM range(150000) t(i)"
    table(query, run.folder / "samples.parquet")
    found = copy_run(SiteWriter(tmp_path / "site"), run)
    (told,) = (tmp_path / "site" / one.path for one in found if one.path.endswith(".csv"))
    assert set(pd.read_csv(told)["variant"]) == {"token: a1234567"}


def test_a_tables_texts_and_names_are_cleaned_and_other_columns_become_texts(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    found = parquet.read_table(run.folder / "forks.parquet")
    place = f"{tmp_path}/private"
    found = found.append_column("more", pa.array([True] * len(found))).append_column(
        place, pa.array([place] * len(found))
    )
    parquet.write_table(found.replace_schema_metadata({"made": place}), run.folder / "forks.parquet")
    copy_run(SiteWriter(tmp_path / "site", [tmp_path / "private"]), run)
    (copied,) = (tmp_path / "site").rglob("forks.parquet")
    said = parquet.read_table(copied)
    assert str(tmp_path) not in f"{said.to_pylist()} {parquet.read_schema(copied).metadata}"
    assert len(said) == len(found)


@pytest.mark.parametrize(
    "query",
    [
        # Rows times columns.
        f"SELECT 0 AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns, {COUNTERS} FROM range(2000000)",  # noqa: S608
        # A text that is stored once and stands in each row.
        "SELECT 0 AS round, repeat('a', 100000) AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns FROM range(30000)",
        # Texts of which each is a megabyte of one letter.
        "SELECT 0 AS round, i || repeat('a', 1000000) AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns FROM range(100) t(i)",
        f"SELECT 0 AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns, {MANY}",
        # Rows of which one is like another.
        "SELECT 0 AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns FROM range(300000)",
    ],
    ids=["cells", "text", "texts", "columns", "rows"],
)
def test_a_small_table_that_unfolds_is_not_read(tmp_path: Path, query: str) -> None:
    run = write_run(tmp_path)
    whole = run.samples()
    sealed = run.folder / "samples.parquet"
    table(query, sealed)
    assert len(run.samples()) == len(whole)
    assert any("too large" in note for note in run.notes)


def test_a_pipe_that_takes_a_files_place_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("1")
    before, pipe = (tmp_path / "file").stat(), tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR)
    try:
        os.write(descriptor, b"2")
        monkeypatch.setattr(type(tmp_path), "stat", lambda *_, **__: before)  # as it was a moment ago
        with pytest.raises(OSError, match="no regular file"):
            read_bytes(pipe)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    "cell",
    ["[1, 2]", "{'name': 1}", "[{'name': 1}]", "map {'name': 1}", "'a'::BLOB", "repeat('a', 16001)"],
)
def test_a_cell_that_would_become_a_long_text_is_not_read(tmp_path: Path, cell: str) -> None:
    # A list of 39 million values with a long name, in 9 KB, took all memory; a text of 30 MB in each row minutes.
    path = tmp_path / "samples.parquet"
    columns = "SELECT 0 AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns"
    table(f"{columns}, 'b' AS other", path)
    assert read_parquet(path, "samples").fetchall() == [(0, "a", 0, 1.0, 1.0, "b")]
    table(f"{columns}, {cell} AS other", path)
    with pytest.raises((duckdb.DataError, TooMuchError)):
        read_parquet(path, "samples")


def test_a_table_has_no_more_cells_than_its_bytes_can_hold(tmp_path: Path) -> None:
    # 480 figures of 80,000 samples, all alike, took 112 KB, and a report of each such run 3.6 s and 1.2 GiB.
    path = tmp_path / "samples.parquet"
    alike = ", ".join(f'1.0 AS "c:c{number}"' for number in range(95))
    query = "SELECT i AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, {} AS ns, {} FROM range(60000) t(i)"
    table(query.format("1.0", alike), path)
    with pytest.raises(TooMuchError, match="cells of so few bytes: 6,000,000 are too many"):
        read_parquet(path, "samples")
    table(query.format("i + random()", alike), path)
    assert read_parquet(path, "samples").shape == (60_000, 100)


def test_a_footer_that_says_that_a_list_is_long_is_not_believed(tmp_path: Path) -> None:
    # In Thrift's compact protocol: version 1, a schema of one column, no row, and a row group of 20,000 columns.
    whole = bytes.fromhex("1502 192c 480173150200 15022502180178 00 1600 191c 19fca09c01".replace(" ", ""))
    path = tmp_path / "samples.parquet"
    path.write_bytes(b"PAR1" + whole + len(whole).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(OSError, match="size limit"):
        read_parquet(path, "samples")


@pytest.mark.parametrize(("lines", "each"), [(11_000, 1), (1, 40_000)])
def test_lines_of_too_many_columns_are_refused(tmp_path: Path, lines: int, each: int) -> None:
    run = write_run(tmp_path)
    (run.folder / "samples.parquet").unlink()
    rows = (
        {"round": 0, "variant": "a", "i": i, "ops": 1, "ns": 1, **{f"c:{i}-{n}": 1 for n in range(each)}}
        for i in range(lines)
    )
    (run.folder / "samples.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    with pytest.raises(UsageError, match=r"columns: .* are too many"):
        run.samples()


def test_lines_with_keys_of_their_own_are_refused_before_their_keys_are_fetched(tmp_path: Path) -> None:
    lines = tmp_path / "samples.jsonl"
    lines.write_text("".join(f'{{"c:{i}-{"x" * 200}": 1}}\n' for i in range(20_000)))
    database()
    tracemalloc.start()
    try:
        with pytest.raises(TooMuchError):
            read_lines(lines, "samples")
        assert tracemalloc.get_traced_memory()[1] < 2**21  # the keys alone are twice as large
    finally:
        tracemalloc.stop()


def test_lines_of_too_many_texts_are_refused_before_they_are_fetched(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (run.folder / "samples.parquet").unlink()
    row = {"round": 0, "variant": "a", "i": 0, "ops": 1, "ns": 1}
    first = json.dumps({**row, **{f"text{n}": "x" for n in range(480)}})
    (run.folder / "samples.jsonl").write_text(f"{first}\n" + f"{json.dumps(row)}\n" * 11_000)
    with pytest.raises(UsageError, match=r"texts: .* are too many"):
        run.samples()
    assert len(run.samples(("round", "variant"))) == 11_001


def test_a_text_is_no_longer_than_the_lab_writes_one(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    table(
        "SELECT i AS round, 0 AS position, v AS variant, 'ok' AS status, v || repeat(i::VARCHAR, 10000) AS runtime"
        " FROM range(5) t(i), (VALUES ('a'), ('b')) u(v)",
        run.folder / "forks.parquet",
    )
    assert run.forks()["runtime"].str.len().max() == LONGEST_TEXT


def test_what_a_footer_hides_takes_no_more_memory_and_no_disk() -> None:
    settings = database().sql("SELECT current_setting('memory_limit'), current_setting('temp_directory')")
    assert settings.fetchall() == [("1.8 GiB", "")]


@pytest.mark.parametrize("sealed", [True, False])
def test_a_folders_name_makes_no_column(tmp_path: Path, sealed: bool) -> None:
    run = write_run(tmp_path / "user=alice" / "round=7")
    if not sealed:
        for path in run.folder.glob("*.parquet"):
            path.unlink()
    for found in (run.samples(), run.forks()):
        assert "user" not in found
        assert set(found["round"]) == set(range(5))


def test_labels_that_are_no_arms_have_no_columns_and_rounds_are_limited(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    table(
        "SELECT i AS round, 'x' || i AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns FROM range(3000) t(i)"
        " UNION ALL SELECT i, v, 0, 1.0, 1.0 FROM range(6) t(i), (VALUES ('a'), ('b')) u(v)",
        run.folder / "samples.parquet",
    )
    table(
        "SELECT i AS round, 0 AS position, v AS variant, 'ok' AS status FROM range(6) t(i), (VALUES ('a'), ('b')) u(v)",
        run.folder / "forks.parquet",
    )
    assert set(analyse(run).values) == {"a", "b"}
    arms = [Arm(f"x{n}", "a", "before") for n in range(3000)]
    many = msgspec.structs.replace(HEADER, arms=arms, baseline="x0")
    run = type(run)(run.folder, many, run.ending)
    with pytest.raises(UsageError, match="rounds times variants"):
        analyse(run)
    run = type(run)(run.folder, msgspec.structs.replace(many, arms=arms[:2]), run.ending)
    assert band_of(run, "time") is None


def test_more_rounds_than_any_run_has_are_refused_before_their_square_is_made(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    query = "SELECT i AS round, v AS variant, {} FROM range(400000) t(i), (VALUES ('a'), ('b')) u(v)"
    table(query.format("0 AS i, 1.0 AS ops, 1.0 AS ns"), run.folder / "samples.parquet")
    table(query.format("0 AS position, 'ok' AS status"), run.folder / "forks.parquet")
    with pytest.raises(UsageError, match="rounds: 400,000 are too many"):
        analyse(run)
    assert band_of(run, "time") is None


def unfolding(form: str) -> str:
    """Each line holds the one before it nine times."""
    return "a0: &a0 {x: 1}\n" + "\n".join(
        f"a{n}: &a{n} " + form.format(", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 12)
    )


@pytest.mark.parametrize(
    ("steps", "line"),
    [(["b", 1], 3), (["b", 2], 2), (["b", "c"], 2), (["a", 0], 1), (["a", "b", 0], 1), ([0], 1), (["d", "e"], 1)],
)
def test_the_line_of_what_is_not_there_is_that_of_the_last_that_is(steps: list[str | int], line: int) -> None:
    assert _line_at("a: 1\nb: [1,\n 2]", steps) == line
    assert _line_at("", steps) == 1


def test_a_note_is_read_once() -> None:
    text = "a" * 500_000
    assert linked(f"{text} b-1 {text}", {"b-1"}, "p.html", "r").count("<a ") == 1


def test_long_code_is_not_highlighted() -> None:
    assert 'class="highlight"' in highlighted("int a;", "java")
    assert "<span" not in highlighted("a<" * 20_000, "java")


def test_a_picture_is_not_loaded_from_the_web_and_a_link_stays() -> None:
    assert sanitized('<img src="https://example.org/p.png">') == "<img>"
    assert sanitized('<a href="https://example.org/">a</a>') == '<a href="https://example.org/">a</a>'


def test_endless_frames_are_cut() -> None:
    (stack,) = parse_collapsed("a." * 500_000 + " 1\n")
    assert len(stack[0]) < 2000
    (name,) = clean(("f" + ".part" * 200_000 + "!",))
    assert len(short(name)) < 2000


def test_an_error_is_one_line_and_no_code_of_a_terminal_whatever_it_quotes() -> None:
    with pytest.raises(BenchError) as raised:
        read_message(b'{"type": "a\\nb\\u001b[2J"}')
    assert raised.value.message.isprintable()


@pytest.mark.parametrize("cell", [{}, {"cell_type": "markdown"}, {"cell_type": "markdown", "source": 1}])
def test_a_notebook_with_a_cell_that_is_none_is_refused_in_one_line(tmp_path: Path, cell: dict[str, object]) -> None:
    (tmp_path / "notebooks").mkdir()
    document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks" / "a.ipynb").write_text(json.dumps(document))
    with pytest.raises(UsageError, match="cannot be shown"):
        find_notebooks(replace(Lab.from_environment(), root=tmp_path), Markdown({}))


@pytest.mark.parametrize(
    ("foreign", "reason"),
    [
        (b"no JSON", "JSON"),
        (json.dumps({"cells": 1, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(), "cannot be shown"),
    ],
    ids=["none", "not to be shown"],
)
def test_a_notebook_of_a_reproduction_that_cannot_be_shown_costs_no_report(
    tmp_path: Path, foreign: bytes, reason: str
) -> None:
    for name in ("notebooks", "results/reproductions/1"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notebooks" / "a.ipynb").write_text(nb.writes(nb.new_notebook(cells=[nb.new_markdown_cell("# Ours")])))
    (tmp_path / "results" / "reproductions" / "1" / "a.ipynb").write_bytes(foreign)
    made = msgspec.json.encode({"machine": this_machine().id})
    (tmp_path / "results" / "reproductions" / "1" / "reproduction.json").write_bytes(made)
    lab = replace(Lab.from_environment(), root=tmp_path, results=tmp_path / "results")
    writer = SiteWriter(tmp_path / "site")
    writer.share(notebooks_written=True, binder=None)
    write_notebooks(writer, find_notebooks(lab, Markdown({})), Markdown({}), Silent())
    page = (tmp_path / "site" / "notebooks" / "a.html").read_text(encoding="utf-8")
    assert '<h1 id="ours">Ours</h1>' in page
    assert reason in page
    assert "Ours" in (tmp_path / "site" / "notebooks" / "a.ipynb").read_text(encoding="utf-8")


def test_a_notebooks_texts_are_looked_at_in_one_piece(tmp_path: Path) -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": ["pass", "word=", "hunter2"]}}
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "source": ["x, to", "ken=hunter2"],
        "metadata": {},
        "outputs": [output],
    }
    document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "a.ipynb").write_text(json.dumps(document))
    (found,) = find_notebooks(replace(Lab.from_environment(), root=tmp_path, results=tmp_path), Markdown({}))
    said = source_of(found)
    assert "hunter2" not in said + body_of(found, Markdown({}))
    assert nbformat.reads(said, as_version=4).cells[0].source == "x, token=***"
    deep = '{"a":' * 900 + "1" + "}" * 900
    found.path.write_text(json.dumps(document | {"metadata": "?"}).replace('"?"', deep))
    with pytest.raises(UsageError, match="RecursionError"):
        source_of(found)


def test_the_report_has_only_those_files_of_a_profile_that_were_read(tmp_path: Path) -> None:
    about = "p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"cause": [0.5]}, {}, []
    record = ProfileRecord(*about, MACHINE, Revision())
    write_profile(record, tmp_path)
    folder = profile_folder("p", tmp_path)
    Profile("cpu", "ns", {("a",): 1.0}).save(folder)
    for path in (folder / "profile.json", folder / "profile-record.json", folder / "more.json"):
        content = path.read_text() if path.exists() else "{}"
        path.write_text(content.replace("{", '{"more": [1, 2],' if len(content) > 2 else "{", 1))
    found = copy_profile(SiteWriter(tmp_path / "site"), record, folder)
    assert [one.path.rpartition("/")[2] for one in found] == ["profile-record.json", "profile.json", "stacks.collapsed"]
    assert not any(b"more" in (tmp_path / "site" / one.path).read_bytes() for one in found)
    assert Profile.load(tmp_path / "site" / "data" / "profiles" / "p").stacks == {("a",): 1.0}


def test_all_frames_of_a_profile_are_limited_together() -> None:
    with pytest.raises(TooMuchError, match=r"frames of the collapsed stacks: .* are too many"):
        parse_collapsed("".join(f"{'a;' * 50_000}b{n} 1\n" for n in range(90)))


def test_the_stacks_of_a_profile_are_limited() -> None:
    with pytest.raises(TooMuchError, match=r"collapsed stacks: .* are too many"):
        parse_collapsed("a 1\n" * 600_000)


def test_deep_stacks_are_cut_in_the_picture_and_it_says_so() -> None:
    chart = flame_chart(Profile("cpu", "ns", {(*(f"f{n}",) * 3_000, "g"): 1.0 for n in range(2)}), title="deep")
    (trace,) = chart.figure_json["data"]
    assert len(trace["ids"]) <= MOST_NODES
    assert "what is too deep is cut" in chart.text


def test_numbers_of_a_profile_are_numbers_that_there_are(tmp_path: Path) -> None:
    Profile("cpu", "ns", {("a",): 1.0}, operations=7.0).save(tmp_path)
    path = tmp_path / "profile.json"
    path.write_text(path.read_text().replace("7.0", "9" * 400))
    with pytest.raises(BenchError, match="cannot read the profile"):
        Profile.load(tmp_path)


@pytest.mark.parametrize("operations", [5e-324, 1e308])
def test_operations_of_a_profile_are_a_possible_number(tmp_path: Path, operations: float) -> None:
    Profile("cpu", "ns", {("a",): 1.0}, operations=operations).save(tmp_path)
    with pytest.raises(BenchError, match="operations"):
        Profile.load(tmp_path)


@pytest.mark.parametrize("weight", ["nan", "inf", "-inf", "1e999", "1e308", "-1"])
def test_a_weight_is_a_number(weight: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        parse_collapsed(f"a;b {weight}\n")


@pytest.mark.parametrize(
    "result",
    [
        *({"points": 1}, {"points": [{}]}, {"comparisons": [1]}, {"comparisons": [{"candidate": []}]}),
        *({"trials": 1, "confirmed": [1]}, {"comparisons": {"a": 1}}, {"comparisons": [{"estimate": "x"}]}),
    ],
)
def test_kept_results_of_another_shape_stop_no_console(tmp_path: Path, result: dict[str, object]) -> None:
    kept = [Kept(name, Command("measure", "toy"), result, "2026") for name in "ab"]
    (tmp_path / "kept.json").write_bytes(msgspec.json.encode(kept))
    view = KeptView(KeptResults(tmp_path / "kept.json"))
    view.second.value = "a"
    assert view.first.options == ("a", "b")


@pytest.mark.parametrize(
    ("comparison", "confirmed"),
    [({"scale": 1}, None), (None, [{}]), (None, [{"verdict": "faster", "estimate": "x"}])],
)
def test_a_search_of_another_shape_is_none(
    tmp_path: Path, comparison: dict[str, object] | None, confirmed: list[dict[str, object]] | None
) -> None:
    found = SearchResult("q", "toy", "sum", "a", {}, {}, trials=[Trial(1, {}, "r", comparison)])
    if confirmed:
        found.confirmed = Confirmation("r", {}, confirmed)
    write_search(found, tmp_path)
    assert newest_search(0.0, tmp_path) is None


def test_kept_results_are_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("[]")
    (tmp_path / "console").mkdir()
    (tmp_path / "console" / "kept.json").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match="is a link"):
        place_in(tmp_path, "console", "kept.json")


def test_a_place_is_no_link_even_within_the_folder(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "report").symlink_to(tmp_path / "runs")
    with pytest.raises(StoreError, match="is a link"):
        place_in(tmp_path, "report")


@pytest.mark.parametrize("size", [1 << 26, 1 << 40])
def test_a_file_of_holes_is_not_read(tmp_path: Path, size: int) -> None:
    run = write_run(tmp_path)
    Profile("cpu", "ns", {("a",): 1.0}).save(tmp_path)
    for path in (run.folder / "end.json", run.folder / "tests.jsonl", tmp_path / "stacks.collapsed"):
        with path.open("ab") as file:
            file.truncate(size)
    assert any("end.json cannot be read" in note for note in find_run("latest", tmp_path).notes)
    with pytest.raises(UsageError, match="too many"):
        read_json_lines(run.folder / "tests.jsonl", dict[str, int])
    with pytest.raises(BenchError, match="too many"):
        Profile.load(tmp_path)


@pytest.mark.parametrize("ns", [5e-324, 100.0])
def test_figures_at_the_edge_of_numbers_are_a_users_problem(tmp_path: Path, ns: float) -> None:
    rate = msgspec.structs.replace(HEADER.scenario, unit="ops/s", better="higher")
    header = msgspec.structs.replace(HEADER, scenario=rate, options={"half_width": -1.0})
    run = write_run(tmp_path, header=header, values={"a": [ns] * 5, "b": [50.0] * 5}, reason="precision")
    harmless(lambda: analyse(run))


def test_a_document_of_many_lines_is_not_split(tmp_path: Path) -> None:
    (tmp_path / "points.jsonl").write_bytes(b"\n" * 1_000_001)
    with pytest.raises(UsageError, match="too many"):
        read_json_lines(tmp_path / "points.jsonl", records.TestRecord)


@pytest.mark.parametrize("filling", [b"\n" * 1_000_001, b" " * (1 << 26) + b"\n"], ids=["lines", "bytes"])
def test_of_too_many_outcomes_of_tests_the_newest_count(tmp_path: Path, filling: bytes) -> None:
    write_tests([records.TestRecord("toy", "T#old", True, "", "2026", Revision())], tmp_path)
    with (tmp_path / "tests.jsonl").open("ab") as file:
        file.write(filling)
    write_tests([records.TestRecord("toy", "T#new", True, "", "2026", Revision())], tmp_path)
    assert [one.test for one in find_tests(tmp_path)] == ["T#new"]


def test_outcomes_of_tests_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / "tests.jsonl").mkdir()
    assert find_tests(tmp_path) == []


@pytest.mark.parametrize("figure", [".inf", "-.inf", ".nan"])
def test_a_ledgers_figures_are_numbers(tmp_path: Path, figure: str) -> None:
    (tmp_path / "x.yaml").write_text(
        "report: x\ntitle: X\ncomponent: toy\nclaims:\n"
        f"  - {{id: a, kind: ratio, statement: S., published: {{value: {figure}}}, missing: a machine}}\n"
    )
    with pytest.raises(UsageError, match="a finite number"):
        read_ledger("x", tmp_path)


@pytest.mark.parametrize(
    "address", ["ht\tps:evil/p.png", "da\tta:text/html,x", "\x01data:text/html,x", "\nhttps://x/y"]
)
def test_an_address_is_read_as_a_browser_reads_it(address: str) -> None:
    assert "<img>" in sanitized(f'<img src="{address}">').replace("<img >", "<img>")


def test_a_profile_has_no_more_shares_than_processes_and_a_bootstrap_no_more_values_than_rounds(tmp_path: Path) -> None:
    of = ("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0)
    write_profile(ProfileRecord(*of, {"cause": [0.5, 0.25] * 25}, {}, [], MACHINE, Revision()), tmp_path)
    assert find_profiles(tmp_path)
    (file,) = tmp_path.rglob("profile-record.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"shares": {"cause": [0.5, 0.25] * 26}}))
    assert find_profiles(tmp_path) == []
    with pytest.raises(ValueError, match="values: 18,000 are too many"):
        summarise([1.0, 2.0] * 9_000)


def test_a_number_to_the_base_of_sixty_that_is_too_large_is_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        f"report: a\ntitle: t\ncomponent: c\nclaims: []\nsource: {':'.join(['1'] * 200)}.0\n"
    )
    with pytest.raises(UsageError, match=r"a\.yaml"):
        read_ledger("a", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 8_000 + " = 1\n",
        "a" + '.a."\u2028"' * 500 + " = 1\n",
        "[a" + ".a" * 500 + "]\nx = 1\ny = 1\n",
        "".join(f"a{n}" + ".a" * 150 + " = 1\n" for n in range(500)),
    ],
    ids=["key", "line-separators", "table", "keys"],
)
def test_a_key_of_many_parts_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "perflab.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match="dots of a line"):
        read_project(path)


def test_a_file_that_says_it_is_empty_and_never_ends_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "perflab.toml"
    # As /proc/kmsg, which only some may open: what this one holds is made when it is read.
    path.symlink_to("/proc/self/status")
    assert path.read_bytes()
    assert read_bytes(path) == b""


def test_a_database_that_a_damaged_file_has_ended_is_replaced(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    database().close()
    assert len(run.samples()) > 0


def test_a_column_whose_name_is_no_text_makes_a_table_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    path = run.folder / "samples.parquet"
    found = parquet.read_table(path).replace_schema_metadata(None)
    parquet.write_table(found.append_column("c:abcdef", pa.array([1.0] * len(found))), path)
    path.write_bytes(path.read_bytes().replace(b"c:abcdef", b"c:ab\xffdef"))
    assert len(run.samples()) == len(found)
    assert "raw lines" in run.notes[0]


def test_what_cannot_be_read_in_a_list_of_kept_results_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    store = KeptResults(path)
    store.keep("one", Command("measure", "toy"), {})
    entries = json.loads(path.read_text())
    path.write_text(json.dumps([{"other": 1}, *entries]))
    assert [one.name for one in store.all()] == ["one"]
    store.keep("two", Command("measure", "toy"), {})
    store.drop("one")
    assert [one.get("name", "unread") for one in json.loads(path.read_text())] == ["unread", "two"]


def test_a_table_has_its_columns_by_their_exact_names(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    path = run.folder / "samples.parquet"
    found = parquet.read_table(path)
    parquet.write_table(
        found.rename_columns([{"variant": "VARIANT"}.get(one, one) for one in found.column_names]), path
    )
    assert "variant" in run.samples().columns
    assert "raw lines" in run.notes[0]


def test_a_table_of_many_columns_or_a_long_footer_is_refused_before_it_is_read(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    path = run.folder / "samples.parquet"
    parquet.write_table(pa.table({f"c:{n}": pa.array([], pa.float64()) for n in range(600)}), path)
    with pytest.raises(TooMuchError, match="columns"):
        read_parquet(path, "samples")
    path.write_bytes(b"PAR1" + (1 << 30).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(TooMuchError, match="footer"):
        read_parquet(path, "samples")


@pytest.mark.parametrize("find", [find_runs, find_profiles, find_baselines], ids=["runs", "profiles", "baselines"])
def test_records_have_a_size_together(tmp_path: Path, find: Callable[[Path], list[object]]) -> None:
    for number in range(130):
        for place, name in (("runs", "run"), ("profiles", "profile-record"), ("baselines/a/b", "baseline")):
            record = tmp_path / place / str(number) / f"{name}.json"
            record.parent.mkdir(parents=True)
            with record.open("wb") as file:
                file.truncate(2**20)
    with pytest.raises(UsageError, match=r"too many to be read: .*134,217,728") as refused:
        find(tmp_path)
    # Else nobody knows what to move: nothing lists them any more.
    place = str(tmp_path / ("baselines/a/b" if find is find_baselines else find.__name__.removeprefix("find_")))
    assert f"the results in {place} are" in refused.value.message
    assert all(f" {number}/" in refused.value.hint for number in (0, 1))


@pytest.mark.parametrize("find", [find_runs, find_profiles], ids=["runs", "profiles"])
def test_links_are_no_records(tmp_path: Path, find: Callable[[Path], list[object]]) -> None:
    for place, name in (("runs", "run"), ("profiles", "profile-record")):
        (tmp_path / place / "0").mkdir(parents=True)
        (tmp_path / place / "0" / f"{name}.json").write_bytes(b" " * 2**20)
        for number in range(1, 130):
            (tmp_path / place / str(number)).symlink_to("0")
    assert find(tmp_path) == []


def test_a_record_of_many_names_is_kept_once(tmp_path: Path) -> None:
    # Each name had a copy of its own in memory: a megabyte with 127 names took 2.25 GiB.
    first, second = (write_run(tmp_path, name=name) for name in ("a", "b"))
    (second.folder / "end.json").unlink()
    (second.folder / "end.json").hardlink_to(first.folder / "end.json")
    for number in range(9):
        (tmp_path / "runs" / str(number)).mkdir()
        (tmp_path / "runs" / str(number) / "run.json").hardlink_to(first.folder / "run.json")
    forget_runs(tmp_path)
    one, other = find_runs(tmp_path)
    assert one.ending is other.ending
    assert len([path for path, *_ in kept.values() if path.is_relative_to(tmp_path)]) == 3


def test_a_file_that_is_too_large_for_a_record_hides_no_others(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (tmp_path / "runs" / "large").mkdir()
    with (tmp_path / "runs" / "large" / "run.json").open("wb") as file:
        file.truncate(2**40)
    assert [one.id for one in find_runs(tmp_path)] == [run.id]


def test_the_nearest_of_long_names_is_not_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[str] = []
    monkeypatch.setattr("difflib.get_close_matches", lambda name, *_, **__: sought.append(name) or [])
    unknown("choice for k", "b" * 10_000, ["a" * 9_900])
    unknown("topic", "b" * 200, [f"{number:0200}" for number in range(1000)])
    assert not sought
    unknown("variant", "linkd", ["linked", *(f"variant-{number}" for number in range(500))])
    assert sought == ["linkd"]


def test_colours_of_code_hide_no_secret(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Title\n\n```python\npassword = 'hunter2'\n```\n")
    writer, markdown = SiteWriter(tmp_path / "site"), Markdown({})
    writer.share(notebooks_written=False)
    write_documents(writer, tmp_path, find_documents(tmp_path, markdown), markdown)
    page = (tmp_path / "site" / "README.html").read_text(encoding="utf-8")
    assert "password" in page
    assert "hunter2" not in page


@pytest.mark.parametrize(
    "changes",
    [
        {"failures": {"b": "x" * (LONGEST_TEXT + 1)}},
        {"warnings": ["x" * 301]},
        {"warnings": [""] * 6},
    ],
    ids=["failure", "warning", "warnings"],
)
def test_what_each_claim_says_of_a_runs_end_has_a_length(tmp_path: Path, changes: dict[str, object]) -> None:
    run = write_run(tmp_path, failures={"b": "x" * LONGEST_TEXT}, warnings=["x" * 300] * 5)
    assert run.ending is not None
    end = run.folder / "end.json"
    end.write_text(json.dumps(json.loads(end.read_text()) | changes))
    assert find_run(run.id, tmp_path).ending is None


@pytest.mark.parametrize(
    "changes",
    [
        {"params": {"size": "x" * (LONGEST_TEXT + 1)}},
        {"params": {f"p{number}": 1 for number in range(1_000)}},
        {"scenario": {**msgspec.to_builtins(HEADER.scenario), "operation": "x" * (LONGEST_TEXT + 1)}},
        {"scenario": {**msgspec.to_builtins(HEADER.scenario), "metric": "x" * (LONGEST_TEXT + 1)}},
    ],
    ids=["parameter", "parameters", "operation", "metric"],
)
def test_what_each_claim_says_of_a_run_has_a_length(tmp_path: Path, changes: dict[str, object]) -> None:
    run = write_run(tmp_path)
    header = run.folder / "run.json"
    header.write_text(json.dumps(json.loads(header.read_text()) | changes))
    with pytest.raises(UsageError, match="length <= "):
        find_run(run.id, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": ["x" * (LONGEST_TEXT + 1)]},
        {"notes": [""] * 1_000},
        {"shares": {"x" * 201: [0.5]}},
        {"shares": {str(n): [0.5] for n in range(MOST_CAUSES + 2)}},
        {"counters": {"x" * 1_001: 1.0}},
    ],
    ids=["long", "many", "long-cause", "many-causes", "long-counter"],
)
def test_what_each_claim_says_of_a_profile_has_a_length(tmp_path: Path, changes: dict[str, object]) -> None:
    of = ("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0)
    shares = {f"{n:0200}": [0.5] for n in range(MOST_CAUSES + 1)}
    write_profile(ProfileRecord(*of, shares, {}, ["x" * LONGEST_TEXT], MACHINE, Revision()), tmp_path)
    assert find_profiles(tmp_path)
    (file,) = tmp_path.rglob("profile-record.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    assert find_profiles(tmp_path) == []


def test_noise_runs_without_a_band_are_read_once_and_not_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = [Arm(label, "a", "before") for label in "abc"]
    noise = msgspec.structs.replace(HEADER, kind="noise", arms=arms)
    for number in range(20):
        write_run(tmp_path, header=noise, name=f"20260101-000000-noise-{number:04}")
    run, read = write_run(tmp_path), list[str]()
    values = fork_tables

    def noted(run: Run, *of: Any) -> Any:  # noqa: ANN401 - a frame
        read.append(run.id)
        return values(run, *of)

    monkeypatch.setattr("perflab.measure.analysis.fork_tables", noted)
    for _ in range(3):
        assert analyse(run).noise is None
    assert len([name for name in read if "noise" in name]) == len({name for name in read if "noise" in name}) < 10


def test_texts_of_all_columns_of_a_table_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflab.store.bundles._MOST_TEXTS", 30)
    rows = pa.table({name: [f"{name}{number}" for number in range(20)] for name in ("a", "b")})
    with pytest.raises(TooMuchError, match="different texts"):
        portable_table(rows)
    monkeypatch.setattr("perflab.site.downloads._MOST_TEXTS", 30)
    run = write_run(tmp_path / "results")
    query = "SELECT i AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns, 'u' || i AS \"user\" FROM range(40) t(i)"
    table(query, run.folder / "samples.parquet")
    copied = {one.path.rpartition("/")[2] for one in copy_run(SiteWriter(tmp_path / "site"), run)}
    assert copied == {"run.json", "end.json", "samples.jsonl", "forks.jsonl", "forks.parquet"}


def test_raw_lines_with_holes_are_not_looked_through(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (run.folder / "samples.parquet").unlink()
    os.truncate(run.folder / "samples.jsonl", 5 << 30)
    with pytest.raises(UsageError, match=r"bytes of samples\.jsonl"):
        run.samples()


def test_a_table_has_no_thousands_of_scenarios() -> None:
    # Each claim on a score says of each of them on which run it rests, and what disturbed that.
    assert len(msgspec.convert({"scenarios": ["s"] * 50}, ScoreTable).scenarios) == 50
    with pytest.raises(msgspec.ValidationError, match="length <= 50"):
        msgspec.convert({"scenarios": ["s"] * 51}, ScoreTable)
