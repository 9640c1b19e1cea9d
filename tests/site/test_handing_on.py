"""A report that is handed on says nothing of who measured, where, and through which proxy."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import msgspec
import nbformat.v4 as nb
import pandas as pd
import pytest
from evidence_by_hand import lay_out
from runs import HEADER, write_run
from sites import build_site

from perflab.charts.chart import PLOTLY
from perflab.host.machine import this_machine
from perflab.kernels.notebooks import clean
from perflab.model.protocol import Runtime
from perflab.store import records

if TYPE_CHECKING:
    from pathlib import Path

    from nbformat import NotebookNode

HOME, USER, HOST, SECRET = "/home/kanari-é", "kanari-user", "kanari-host-7", "kanari-secret"
PLACES = "kanari-folder"
KEY = "-----BEGIN PRIVATE KEY-----"
CANARIES = (HOME, USER, HOST, SECRET, PLACES)


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, USER)
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)


def said(results: Path) -> str:
    """What a tool may say of itself in an error, a note or an option."""
    return (
        f"{HOME}/x.py: {results}/runs/1: /data/{USER}/y and {USER}@{HOST}.example refused "
        f"http://{USER}:{SECRET}@proxy.example:3128 -Dhttp.proxyPassword={SECRET} https://127.0.0.1/?token={SECRET}"
    )


def notebook(text: str) -> NotebookNode:
    chart = {PLOTLY: {"data": [{"type": "bar", "name": text}], "layout": {"title": {"text": text}}}, "text/plain": text}
    outputs = [
        nb.new_output("stream", text=text),
        nb.new_output("stream", text=f"{KEY}\n{SECRET}-0123456789\n-----END PRIVATE KEY-----\n"),
        nb.new_output("display_data", data={"text/html": f"<p title='{text}'>{text}</p>"}),
        nb.new_output("display_data", data=chart),
        nb.new_output("error", ename="E", evalue=text, traceback=[text, KEY, f"{SECRET}-0123456789"]),
    ]
    cells = [nb.new_markdown_cell(f"# A\n\n{text}"), nb.new_code_cell(text, outputs=outputs)]
    return nb.new_notebook(cells=cells)


def test_no_file_of_it_has_a_private_word(tmp_path: Path) -> None:
    folder = tmp_path / PLACES
    folder.mkdir()
    places = lay_out(folder)
    results = folder / "results"
    text = said(results)
    header = msgspec.structs.replace(HEADER, kind="noise", runtime=Runtime("CPython", "3", [text]))
    here = this_machine()
    run = write_run(results, header=header, failures={"b": text}, warnings=[text], machine=here, cpu=here.cpu)
    (run.folder / "forks.jsonl").write_text(json.dumps({"error": text}) + "\n")
    pd.DataFrame(
        {"round": [1, 2], "position": 0, "variant": "a", "status": [text, None], "list": [[text], None]}
    ).to_parquet(run.folder / "forks.parquet")
    (run.folder / "link.json").symlink_to("/proc/self/environ")
    test = records.TestRecord("toy", "SumTest#never", False, text, HEADER.created, HEADER.revision)
    (results / "tests.jsonl").write_bytes(msgspec.json.encode(test) + b"\n")
    ledger = places["claims"] / "toys.yaml"
    claims = ledger.read_text().replace("Sums & differences", json.dumps(text))
    ledger.write_text(claims.replace("As quick-sum has it.", json.dumps(text, ensure_ascii=False)), encoding="utf-8")
    root = folder / "checkout"
    (root / "notebooks").mkdir(parents=True)
    (root / "notebooks" / "a.ipynb").write_text(nb.writes(notebook(text)), encoding="utf-8")
    (root / "docs").mkdir()
    (root / "docs" / "measuring.md").write_text(f"# M\n\n{text}\n\n    {text}", encoding="utf-8")

    site = build_site(tmp_path / "site", notebooks=True, **places, root=root, results=results)
    files = sorted(path for path in site.index.parent.rglob("*") if path.is_file())
    assert {f"{HEADER.id}.html", "forks.jsonl", "forks.parquet", "a.ipynb", "a.html"} <= {path.name for path in files}
    assert not [path for path in files if path.name == "link.json"]
    for path in files:
        table = path.suffix == ".parquet"
        shown = pd.read_parquet(path).to_csv() if table else path.read_bytes().decode("utf-8", "replace")
        assert [canary for canary in CANARIES if canary in shown] == [], path
        assert "kanari-\\u00e9" not in shown


def test_an_executed_notebook_has_none(tmp_path: Path) -> None:
    cells = clean(notebook(said(tmp_path))).cells
    outputs = str([cell.outputs for cell in cells if cell.cell_type == "code"])
    assert [canary for canary in CANARIES[:-1] if canary in outputs] == []


@pytest.mark.parametrize("home", ["/", ""])
def test_without_a_home_an_executed_notebook_keeps_its_slashes(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    text = "1/2 of https://example.org/a"
    cleaned = clean(nb.new_notebook(cells=[nb.new_code_cell("1", outputs=[nb.new_output("stream", text=text)])]))
    assert cleaned.cells[0].outputs[0].text == text
