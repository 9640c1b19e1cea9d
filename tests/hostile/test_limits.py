"""Small files that claim, or unfold to, more than a machine has."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import nbformat
import nbformat.v4 as nb
import pytest
from runs import HEADER, write_run
from silent import Silent

from hostile import harmless
from perflab.charts.flame import MOST_NODES, flame_chart
from perflab.claims.ledger import _line_at, read_ledger
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse
from perflab.model.errors import BenchError, UsageError
from perflab.model.lab import Lab
from perflab.model.protocol import read_message
from perflab.profile.frames import clean, short
from perflab.profile.profile import Profile, parse_collapsed
from perflab.site.downloads import write_run as copy_run
from perflab.site.markdown import Markdown
from perflab.site.pages import (
    find_documents,
    find_notebooks,
    write_documents,
    write_notebooks,
)
from perflab.site.sanitizer import sanitized
from perflab.site.writer import SiteWriter


def test_the_report_leaves_out_tables_that_are_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results")
    (run.folder / "more.npz").write_bytes(b"\xff")
    for name in ("samples", "forks"):
        (run.folder / f"{name}.npz").write_bytes(b"PK \xff")
    (run.folder / "forks.jsonl").unlink()
    copied = {one.path.rpartition("/")[2] for one in copy_run(SiteWriter(tmp_path / "site"), run)}
    assert copied == {"run.json", "end.json", "samples.jsonl", "samples.csv"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [*a]", "a"),
        ("a: {1: x, 0x1: y}", "yaml:1: a key is not text"),
        ("published: 3\npublished: {value: x}", "appears twice"),
        ("claims: x\nclaims: [{id: a}]", "appears twice"),
        ("{&a x: 1, *a : 2}", "appears twice"),
    ],
)
def test_ledgers_that_say_two_things_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.yaml").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_ledger("r", tmp_path)


@pytest.mark.parametrize(
    ("steps", "line"),
    [(["b", 1], 3), (["b", 2], 2), (["b", "c"], 2), (["a", 0], 1), (["a", "b", 0], 1), ([0], 1), (["d", "e"], 1)],
)
def test_the_line_of_what_is_not_there_is_that_of_the_last_that_is(steps: list[str | int], line: int) -> None:
    assert _line_at("a: 1\nb: [1,\n 2]", steps) == line
    assert _line_at("", steps) == 1


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


def test_a_notebooks_texts_are_looked_at_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "hunter2hunter2")
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": ["a ", "hunter2", "hunter2"]}}
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "source": ["x, hunter2", "hunter2"],
        "metadata": {},
        "outputs": [output],
    }
    document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "a.ipynb").write_text(json.dumps(document))
    writer = SiteWriter(tmp_path / "site")
    writer.share(notebooks_written=True, binder=None)
    lab = replace(Lab.from_environment(), root=tmp_path, results=tmp_path)
    write_notebooks(writer, find_notebooks(lab, Markdown({})), Markdown({}), Silent())
    said = (tmp_path / "site" / "notebooks" / "a.ipynb").read_text(encoding="utf-8")
    assert "hunter2" not in said + (tmp_path / "site" / "notebooks" / "a.html").read_text(encoding="utf-8")
    assert nbformat.reads(said, as_version=4).cells[0].source == "x, ***"


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


@pytest.mark.parametrize("weight", ["nan", "inf", "-inf", "1e999", "1e308", "-1"])
def test_a_weight_is_a_number(weight: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        parse_collapsed(f"a;b {weight}\n")


@pytest.mark.parametrize("ns", [5e-324, 100.0])
def test_figures_at_the_edge_of_numbers_are_a_users_problem(tmp_path: Path, ns: float) -> None:
    rate = msgspec.structs.replace(HEADER.scenario, unit="ops/s", better="higher")
    header = msgspec.structs.replace(HEADER, scenario=rate, options={"half_width": -1.0})
    run = write_run(tmp_path, header=header, values={"a": [ns] * 5, "b": [50.0] * 5}, reason="precision")
    harmless(lambda: analyse(run))


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


def test_colours_of_code_hide_no_home(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"# Title\n\n```python\n{Path.home()}/hunter2\n```\n")
    writer, markdown = SiteWriter(tmp_path / "site"), Markdown({})
    writer.share(notebooks_written=False)
    write_documents(writer, tmp_path, find_documents(tmp_path, markdown), markdown)
    page = (tmp_path / "site" / "README.html").read_text(encoding="utf-8")
    assert "hunter2" in page
    assert Path.home().name not in page
