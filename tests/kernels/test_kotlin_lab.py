"""The Kotlin labkit's `lab` in a live kernel, on a stub of the launcher."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import nbformat
import psutil
import pytest
from nbclient import NotebookClient
from waiting import is_gone

from perflab.kernels.kernel import JUPYTER_DIR
from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Kernel

pytestmark = pytest.mark.notebook

PLOTLY = "application/vnd.plotly.v1+json"


def test_use_declares_the_lab(kotlin: Kernel) -> None:
    assert kotlin.run('lab.topics()[0, "name"].text').text == "toy"


def test_named_arguments_become_options(kotlin: Kernel) -> None:
    cell = kotlin.run(
        'lab.measure("toy", scenario = "burst", variants = listOf("a", "b"), params = mapOf("producers" to 4), '
        'baseline = "a", quick = true)["words"].list.joinToString(" ") { it.text!! }'
    )
    expected = "measure toy --scenario burst --variant a --variant b --param producers=4 --baseline a --quick --stream"
    assert cell.text == expected


def test_functions_of_a_cell_are_measured_with_all_of_it(kotlin: Kernel) -> None:
    assert not kotlin.run("import java.util.ArrayDeque").of("error")
    assert not kotlin.run("val data = ArrayDeque(listOf(1))\nfun one() = data.size\nfun two() = data.sum()").of("error")
    assert not kotlin.run('val found = lab.bench("one", "two", quick = true)').of("error")
    words = kotlin.run('found["words"].list.joinToString(" ") { it.text!!.substringAfterLast("/") }')
    assert words.text == "bench one two --functions one-two.kt --quick --stream"
    lines = kotlin.run('found["text"].text').text.splitlines()
    assert "import java.util.ArrayDeque; " in lines[0]
    assert lines[0].endswith("val data = ArrayDeque(listOf(1))")
    assert lines[1:] == ["fun one() = data.size", "fun two() = data.sum()"]
    assert "no cell defines three" in kotlin.run('lab.bench("three")').error["evalue"]


def test_progress_is_one_display_kept_up_to_date(kotlin: Kernel) -> None:
    cell = kotlin.run('val run = lab.measure("toy")')
    first, *_ = cell.of("display_data")
    updates = cell.of("update_display_data")
    ids = {one["transient"]["display_id"] for one in [first, *updates]}
    assert len(ids) == 1
    assert "0 % · round 1 of 3: <linked> · 3s left" in first["data"]["text/plain"]
    assert "<progress" in first["data"]["text/html"]
    assert "&lt;linked&gt;" in first["data"]["text/html"]
    assert updates[-1]["data"]["text/plain"].startswith("measure toy: done")


def test_a_chart_arrives_as_the_lab_made_it(kotlin: Kernel) -> None:
    charts = [one for one in kotlin.run('val run = lab.measure("toy")').of("display_data") if PLOTLY in one["data"]]
    assert [one["data"][PLOTLY]["layout"] for one in charts] == [{"title": {"text": "a chart"}}]
    assert charts[0]["data"]["text/plain"] == "linked 2.0x"


def test_a_topics_table_is_shown_and_returned(kotlin: Kernel) -> None:
    cell = kotlin.run('lab.table("toy")["words"].list.joinToString(" ") { it.text!! }')
    assert cell.text == "table toy --stream"
    assert "linked  100 %" in [one["data"]["text/plain"] for one in cell.of("display_data")]


def test_a_note_stays(kotlin: Kernel) -> None:
    streams = kotlin.run('val run = lab.measure("toy")').of("stream")
    assert "".join(one["text"] for one in streams) == "the machine was busy\n"


def test_a_result_whose_figures_are_shown_adds_nothing(kotlin: Kernel) -> None:
    cell = kotlin.run('lab.measure("toy")')
    assert cell.of("display_data")
    assert not cell.of("execute_result")
    assert kotlin.run('lab.measure("toy").id').text == "toy-1"


def test_an_error_is_two_lines(kotlin: Kernel) -> None:
    error = kotlin.run('lab.describe("tyo")').error
    assert error["traceback"] == ["no topic 'tyo'", "  hint: did you mean 'toy'?"]
    assert error["ename"] == "perflab.lab.LabException"


def test_a_command_that_dies_without_a_word_shows_its_log(kotlin: Kernel) -> None:
    traceback = kotlin.run('lab.claims("cajun")').error["traceback"]
    assert traceback == ["./lab ended with status 7 and no result", "Traceback: the ledger is gone"]


def test_interrupt_ends_the_command_and_its_children(kotlin: Kernel, checkout: Path) -> None:
    def interrupt(message: dict[str, Any]) -> None:
        if message["msg_type"] == "display_data":
            kotlin.manager.interrupt_kernel()

    error = kotlin.run('lab.noise("toy")', on_message=interrupt).error
    assert error["traceback"] == ["interrupted", "  hint: interrupted; 1 of 8 rounds is kept"]
    child = int((checkout / "child.pid").read_text())
    assert is_gone(child)
    assert kotlin.run("1 + 1").text == "2"


def test_kernel_is_quiet_and_has_no_debug_port(kotlin: Kernel) -> None:
    kotlin.run("println(40 + 2)")
    time.sleep(0.2)
    log = kotlin.log.read_text()
    assert " DEBUG " not in log
    assert "WARNING" not in log
    process = psutil.Process(kotlin.manager.provisioner.process.pid)
    assert not [word for word in process.cmdline() if "jdwp" in word or "debugPort" in word]


def test_a_notebook_keeps_the_chart_and_no_path_of_this_machine(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure("kotlin")
    monkeypatch.setenv("JUPYTER_PATH", str(JUPYTER_DIR))
    use = "%use perflab@file[../kernels/kotlin/perflab.json]"
    cells = [use, 'lab.load("toy")', "import toy.Cup", 'val run = lab.measure("toy")\nrun']
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook, kernel_name="kotlin", timeout=600, resources={"metadata": {"path": str(checkout / "notebooks")}}
    )
    client.execute()
    outputs = notebook.cells[-1].outputs
    assert [out.data[PLOTLY].data[0].type for out in outputs if PLOTLY in out.get("data", {})] == ["bar"]
    progress = [out for out in outputs if "done after" in out.get("data", {}).get("text/plain", "")]
    assert len(progress) == 1
    written = nbformat.writes(notebook)
    assert str(CHECKOUT) not in written
    assert str(checkout) not in written
