"""The C# labkit in a live kernel, on a stub of the launcher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from csharpkernel import install, started
from waiting import is_gone

from perflab.host.toolchains import expand, require
from perflab.model.lab import CHECKOUT

from .conftest import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.notebook

PLOTLY = "application/vnd.plotly.v1+json"


def build(project: Path) -> None:
    environment = require(["dotnet"])
    command = expand(["{dotnet}", "build", str(project), "-c", "Release", "-v", "q", "-nologo"], environment)
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(Path(__file__).parent / "csharp-checkout", folder, dirs_exist_ok=True)
    (folder / "kernels").symlink_to(CHECKOUT / "kernels")
    return folder


@pytest.fixture(scope="module")
def csharp(place: Path) -> Iterator[Kernel]:
    """A kernel that has the lab; shared, because it takes seconds to start."""
    specs = install(place / "jupyter")
    build(place / "components" / "toy")
    with started(specs, place / "notebooks") as (manager, client):
        kernel = Kernel(manager, client, place)
        use = '#r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"\nusing Perflab.Lab;\nvar lab = new Lab();'
        assert not kernel.run(use).of("error")
        assert not kernel.run('#r "../components/toy/target/Toy.dll"\nusing Toy;').of("error")
        yield kernel


def test_results_are_read_by_path(csharp: Kernel) -> None:
    assert csharp.run('lab.Topics()[0, "name"].Text').text == "toy"
    assert csharp.run('lab.Topics()[7, "name", 3].Text').text == "null"


def test_a_folder_that_everybody_shares_is_no_checkout(csharp: Kernel, place: Path) -> None:
    mode = place.stat().st_mode
    place.chmod(0o1777)
    try:
        cell = csharp.run("new Lab()")
    finally:
        place.chmod(mode)
    assert "this notebook is not inside a checkout of perflab" in cell.error["evalue"]


def test_named_arguments_become_options(csharp: Kernel) -> None:
    cell = csharp.run(
        'var words = lab.Measure("toy", scenario: "burst", variants: new[] { "a", "b" }, '
        'parameters: new { producers = 4, gap_us = 0.5, watched = true }, baseline: "a", quick: true)["words"];\n'
        'string.Join(" ", words.List.Select(one => one.Text))'
    )
    assert cell.text == (
        "measure toy --scenario burst --variant a --variant b --param producers=4 --param gap-us=0.5 "
        "--param watched=true --baseline a --quick --stream"
    )


def test_methods_of_a_cell_are_measured_with_all_of_it(csharp: Kernel) -> None:
    assert not csharp.run("int[] data = { 1 };\nint One() => data.Length;\nint Two() => data.Sum();").of("error")
    assert not csharp.run("var found = lab.Bench(new[] { nameof(One), nameof(Two) }, quick: true);").of("error")
    words = csharp.run('string.Join(" ", found["words"].List.Select(one => System.IO.Path.GetFileName(one.Text)))')
    assert words.text == "bench One Two --functions One-Two.cs --quick --stream"
    lines = csharp.run('found["text"].Text').text.splitlines()
    assert "using System.Linq; " in lines[0]
    assert lines[0].endswith("int[] data = { 1 };")
    assert lines[1:] == ["int One() => data.Length;", "int Two() => data.Sum();"]
    assert (
        "no cell is known that defines the method Three" in csharp.run('lab.Bench(new[] { "Three" })').error["evalue"]
    )


def test_progress_is_one_display_kept_up_to_date(csharp: Kernel) -> None:
    cell = csharp.run('var run = lab.Measure("toy");')
    first, *_ = cell.of("display_data")
    updates = cell.of("update_display_data")
    assert {one["transient"]["display_id"] for one in updates} == {first["transient"]["display_id"]}
    assert "0 % · round 1 of 3: <linked> · 3 s left" in first["data"]["text/plain"]
    assert "<progress" in first["data"]["text/html"]
    assert "&lt;linked&gt;" in first["data"]["text/html"]
    assert updates[-1]["data"]["text/plain"].startswith("measure toy: done")


def test_a_chart_arrives_as_the_lab_made_it(csharp: Kernel) -> None:
    charts = [
        one["data"] for one in csharp.run('run = lab.Measure("toy");').of("display_data") if PLOTLY in one["data"]
    ]
    assert [chart[PLOTLY]["layout"] for chart in charts] == [{"title": {"text": "a chart"}}]
    assert charts[0]["text/plain"] == "linked 2.0x"


def test_a_note_stays_and_a_result_whose_figures_are_shown_adds_nothing(csharp: Kernel) -> None:
    cell = csharp.run('lab.Measure("toy")')
    assert "".join(one["text"] for one in cell.of("stream")) == "the machine was busy\n"
    assert not cell.of("execute_result")
    assert csharp.run('lab.Measure("toy").Id').text == "toy-1"


def test_a_timeline_is_written_under_the_names_that_the_lab_reads_and_its_file_is_gone(csharp: Kernel) -> None:
    before = set(Path(tempfile.gettempdir()).glob("tmp*.tmp"))
    cell = csharp.run(
        'lab.Timeline("a \\"stall\\"", new[] { new Span("worker", "sleeps", 5, 9) }, new[] { new Moment(7, "queued") })'
    )
    assert json.loads(cell.text) == {
        "title": 'a "stall"',
        "spans": [{"thread": "worker", "state": "sleeps", "start_ns": 5, "end_ns": 9, "note": ""}],
        "moments": [{"at_ns": 7, "label": "queued"}],
    }
    assert set(Path(tempfile.gettempdir()).glob("tmp*.tmp")) <= before


def test_an_error_is_two_lines(csharp: Kernel) -> None:
    error = csharp.run('lab.Describe("tyo")').error
    assert error["traceback"] == ["no topic 'tyo'", "  hint: did you mean 'toy'?"]
    assert error["ename"] == "Perflab.Lab.LabException"


def test_a_command_that_dies_without_a_word_shows_its_log(csharp: Kernel) -> None:
    traceback = csharp.run('lab.Claims("catga-threading")').error["traceback"]
    assert traceback == ["./lab ended with status 7 and no result", "Traceback: the ledger is gone"]


def test_interrupt_ends_the_command_and_its_children_and_keeps_the_kernel(csharp: Kernel, place: Path) -> None:
    interrupted: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if message["msg_type"] == "display_data" and not interrupted:
            interrupted.append(True)
            csharp.manager.interrupt_kernel()

    csharp.run("var kept = 42;")
    error = csharp.run('lab.Noise("toy")', on_message=interrupt).error
    assert error["traceback"] == ["interrupted", "  hint: interrupted; 1 of 8 rounds is kept"]
    child = int((place / "child.pid").read_text())
    assert is_gone(child)
    assert csharp.run("kept").text == "42"


CUP = """
public class {name} : ICup
{{
    private readonly Queue<object> all = new Queue<object>();
    public bool Put(object element) {{ all.Enqueue(element); return true; }}
    public object Get() => {get};
}}"""


def test_a_class_of_a_cell_becomes_a_plugin(csharp: Kernel) -> None:
    csharp.run('lab.Load("toy");')
    assert not csharp.run(CUP.format(name="MyCup", get="all.Dequeue()")).of("error")
    cell = csharp.run("var mine = lab.Variant<MyCup>();\nmine")
    assert cell.text == "my-cup: keeps the contract of toy\n  ok  keeps the order"
    assert not cell.of("display_data"), "what the lab has to ask for itself is not shown"
    words = csharp.run(
        'var said = lab.Measure("toy", variants: new[] { "linked" }, plugin: mine)["words"];\n'
        'string.Join(" ", said.List.Select(one => System.IO.Path.GetExtension(one.Text) == ".dll" ? "DLL" : one.Text))'
    )
    assert words.text == "measure toy --variant linked --variant my-cup --plugin DLL --stream"


def test_a_variant_that_breaks_the_contract_says_which_check(csharp: Kernel) -> None:
    csharp.run('lab.Load("toy");')
    csharp.run(CUP.format(name="BrokenCup", get="all.Last()"))
    traceback = csharp.run("lab.Variant<BrokenCup>()").error["traceback"]
    assert traceback[:2] == ["BrokenCup breaks the contract of toy", "  FAILED  keeps the order: 2 before 1"]


def test_a_variant_in_a_text_has_its_own_lines_in_errors(csharp: Kernel) -> None:
    csharp.run('lab.Load("toy");')
    source = CUP.format(name="TextCup", get="nothing")
    traceback = csharp.run(f'lab.Variant(@"{source}")').error["traceback"]
    assert traceback[1] == "  line 6, column 28: CS0103: The name 'nothing' does not exist in the current context"
    assert csharp.run(f'lab.Variant(@"{source.replace("nothing", "all.Peek()")}")').text.startswith("my-cup: keeps")


def test_without_a_component_or_a_cell_the_error_says_what_to_do(csharp: Kernel) -> None:
    fresh = csharp.run('new Lab().Variant("public class A { }")').error["traceback"]
    assert fresh == ["no component is loaded", '  hint: begin with lab.Load("thread-pool")']
    csharp.run('lab.Load("toy");')
    unknown = csharp.run("lab.Variant<string>()").error["traceback"]
    assert unknown[0] == "no cell is known that declares the class String"


@pytest.fixture
def interactive(place: Path) -> Iterator[Kernel]:
    """A kernel that the labkit takes for .NET Interactive: with a stand-in, and nothing of the lab's own."""
    specs = install(place / "jupyter")
    build(place / "components" / "toy")
    build(place / "components" / "interactive")
    use = """#r "../components/interactive/target/Microsoft.DotNet.Interactive.dll"
#r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"
#r "../components/toy/target/Toy.dll"
using Microsoft.DotNet.Interactive;
using Perflab.Lab;
using Toy;
AppDomain.CurrentDomain.SetData("perflab.display", null);
AppDomain.CurrentDomain.SetData("perflab.cells", null);
var kernel = new CSharpKernel();
var context = KernelInvocationContext.Current = new KernelInvocationContext { HandlingKernel = kernel };
var lab = new Lab();
lab.Load("toy");"""
    with started(specs, place / "notebooks") as (manager, client):
        kernel = Kernel(manager, client, place)
        assert not kernel.run(use).of("error")
        yield kernel


def test_in_dotnet_interactive_displays_and_results_have_formatters(interactive: Kernel) -> None:
    assert not interactive.run('context.Published.Clear(); var run = lab.Measure("toy");').of("error")
    pairs = "context.Published.Select(one => new object[] { one.Id, one.Data })"
    shown = json.loads(interactive.run(f"System.Text.Json.JsonSerializer.Serialize({pairs})").text)
    identity, begun = shown[0]
    assert "<progress" in begun["text/html"]
    assert shown[-1][0] == identity
    assert shown[-1][1]["text/plain"].startswith("measure toy: done")
    (chart,) = [data for _, data in shown if PLOTLY in data]
    assert json.loads(chart[PLOTLY])["layout"] == {"title": {"text": "a chart"}}
    assert interactive.run('Formatting.Of(run["words", 0])["text/plain"]').text == "measure"
    assert not interactive.run('Formatting.Of(run)["text/plain"]').of("execute_result"), "its figures are shown"
    assert interactive.run('string.Join(" ", Formatting.Of(lab).Keys)').text == "text/plain"


def test_in_dotnet_interactive_a_variant_is_found_in_the_scripts_of_the_kernel(interactive: Kernel) -> None:
    first = CUP.format(name="MyCup", get="all.Last()")
    code = CUP.format(name="MyCup", get="all.Dequeue()")
    assert not interactive.run(code).of("error")
    unknown = interactive.run("lab.Variant<MyCup>()").error["traceback"]
    assert unknown[0] == "no cell is known that declares the class MyCup", "in its first cell there is no script"
    history = f'new Script(@"{code}", new Script(@"{first}", new Script("using Toy;", null)))'
    interactive.run(f"kernel.ScriptState = new ScriptState({history});")
    assert interactive.run("lab.Variant<MyCup>()").text.startswith("my-cup: keeps the contract of toy")


def test_a_result_in_a_collection_is_its_text(csharp: Kernel) -> None:
    assert csharp.run('new[] { lab.Topics()[0, "name"] }').text == "[ toy ]"
