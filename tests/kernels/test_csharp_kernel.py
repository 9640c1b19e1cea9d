"""What a notebook's reader sees of the lab's own C# kernel."""

from __future__ import annotations

import html
import os
import queue
import re
import shutil
import signal
import subprocess
import textwrap
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from csharpkernel import install, started

from perflab.host.toolchains import expand, require
from perflab.model.lab import CHECKOUT

from .conftest import CELL_LIMIT_S, Cell, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.kernelspec import KernelSpecManager

pytestmark = pytest.mark.notebook

# Long enough that only an interrupt can have ended it.
FOREVER_S = 100_000


@pytest.fixture(scope="session")
def csharp_specs(tmp_path_factory: pytest.TempPathFactory) -> KernelSpecManager:
    return install(tmp_path_factory.mktemp("jupyter"))


@pytest.fixture(scope="module")
def csharp(csharp_specs: KernelSpecManager, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("notebooks")
    # On a busy machine an interrupt takes its time.
    with started(csharp_specs, folder, PERFLAB_CSHARP_GRACE_S="25") as (manager, client):
        yield Kernel(manager, client, folder)


@pytest.fixture
def impatient(csharp_specs: KernelSpecManager, tmp_path: Path) -> Iterator[Kernel]:
    """One that gives up early on a cell that cannot be interrupted."""
    with started(csharp_specs, tmp_path, PERFLAB_CSHARP_GRACE_S="1") as (manager, client):
        yield Kernel(manager, client, tmp_path)


def text(kernel: Kernel, name: str, code: str) -> str:
    return "".join(one["text"] for one in kernel.run(code).of("stream") if one["name"] == name)


def told(cell: Cell) -> str:
    """What a cell says to its reader, be it an error's traceback."""
    return "\n".join(
        [one["text"] for one in cell.of("stream")] + [line for one in cell.of("error") for line in one["traceback"]]
    )


def cs_process(kernel: Kernel) -> psutil.Process:
    (process,) = psutil.Process(kernel.manager.provisioner.process.pid).children()
    return process


def interrupted_while(kernel: Kernel, code: str) -> dict[str, Any]:
    """The error of a cell that says "running" and is then interrupted."""

    interrupted: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if not interrupted and message["msg_type"] == "stream" and "running" in message["content"]["text"]:
            interrupted.append(True)
            kernel.manager.interrupt_kernel()

    return kernel.run(f'Console.WriteLine("running");\n{code}', on_message=interrupt).error


def test_state_lives_on_in_later_cells(csharp: Kernel) -> None:
    csharp.run(
        "using System.IO;\nint Twice(int i) => 2 * i;\nclass Cup { public int Volume = 7; }\nvar cup = new Cup();"
    )
    csharp.run("cup.Volume += Twice(4);")
    assert csharp.run("cup.Volume").text == "15"
    assert csharp.run('Path.GetExtension("a.b")').text == ".b"


def test_a_declaration_can_be_made_anew(csharp: Kernel) -> None:
    csharp.run("var again = 1;\nint Answer() => 1;")
    csharp.run('var again = "two";\nstring Answer() => "two";')
    assert csharp.run("again + Answer()").text == "twotwo"


@pytest.mark.parametrize("code", ["", "// nothing", "using System.Diagnostics;", "#!csharp\n// nothing"])
def test_a_cell_without_code_is_no_error(csharp: Kernel, code: str) -> None:
    assert not csharp.run(code).of("error")
    assert csharp.run("1 + 1").text == "2"


def test_await_at_the_top(csharp: Kernel) -> None:
    assert csharp.run("await Task.Delay(1);\nvar awaited = await Task.Run(() => 21);\nawaited * 2").text == "42"


WAITING = """
async Task<int> Later(int value) { await Task.Delay(1); await Task.Yield(); return value; }
async Task Loop(int[] count)
{
    for (var i = 0; i < 1000; i++) { await Task.Yield(); Interlocked.Increment(ref count[0]); }
}
"""


@pytest.mark.parametrize(
    "code",
    [
        "Later(42).Result",
        "Later(21).Wait(); Later(42).GetAwaiter().GetResult()",
        # Also in what follows an await, and for what was begun before it.
        "await Task.Delay(1); Later(42).Result",
        "var early = Later(42); await Task.Delay(1); early.Result",
        "var spun = Later(42); while (!spun.IsCompleted) { } spun.Result",
        "async Task<int> Nested() { await Later(1); return Later(42).Result; } Nested().Result",
        # Wake-ups of the cell's thread, of the pool's and the end of the cell, in every order.
        "var count = new int[1]; await Task.WhenAll(Enumerable.Range(0, 42).Select(i => Loop(count))); count[0] / 1000",
        "var sum = 0; for (var i = 0; i < 6; i++) { await Later(1); sum += Later(7).Result; } sum",
    ],
)
def test_a_cell_may_wait_for_what_awaits(csharp: Kernel, code: str) -> None:
    assert not csharp.run("using System.Threading;" + WAITING).of("error")
    assert csharp.run(code).text == "42"


def test_an_interrupt_ends_what_awaits_elsewhere(csharp: Kernel) -> None:
    csharp.run("var ticks = 0;\nasync Task Tick() { while (true) { await Task.Delay(1); ticks++; } }")
    interrupted_while(csharp, "Tick().Wait();")
    csharp.run("var then = -1; for (var i = 0; i < 50 && then != ticks; i++) { then = ticks; await Task.Delay(100); }")
    assert csharp.run("ticks > 0 && ticks == then").text == "true"


def test_only_an_expression_without_a_semicolon_is_a_result(csharp: Kernel) -> None:
    for code in ("1 + 1;", "var x = 3;", 'Console.Write("")', "int i;"):
        assert csharp.run(code).of("execute_result") == []
    assert csharp.run("(string)null").text == "null"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ('"text"', "text"),
        ("1.5", "1.5"),
        ("new[] { 1, 2 }", "[ 1, 2 ]"),
        ("Enumerable.Range(0, 1_000_000_000)", f"[ {', '.join(map(str, range(20)))}, ... (999999980 more) ]"),
        ("Enumerable.Range(0, 50).Where(i => true)", f"[ {', '.join(map(str, range(20)))}, ... (more) ]"),
        ('new Dictionary<string, int> { ["a"] = 1 }', '[ ["a"] = 1 ]'),
        ("class Jug { public int A => 1; public string B = null; }\nnew Jug()", "Jug { A = 1, B = null }"),
        ("(1, true)", "(1, True)"),
    ],
)
def test_values_as_text(csharp: Kernel, code: str, shown: str) -> None:
    assert csharp.run(code).text == shown


def table(cell: Cell) -> tuple[list[str], list[list[str]], str]:
    """The head, the rows and what is said below the table of a cell's result."""
    (result,) = cell.of("execute_result")
    shown = result["data"]["text/html"]
    head, *rows = [
        [html.unescape(item) for item in re.findall("<t[hd]>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall("<tr>(.*?)</tr>", shown, re.DOTALL)
    ]
    return head, rows, " ".join(re.findall("<p>(.*?)</p>", shown))


@pytest.mark.parametrize(
    ("code", "head", "rows"),
    [
        ("new[] { 1.5, 2 }", ["value"], [["1.5"], ["2"]]),
        ('new object[] { "a", null }', ["value"], [["a"], ["null"]]),
        ('new Dictionary<string, int> { ["a"] = 1 }', ["Key", "Value"], [["a", "1"]]),
        ("from i in new[] { 1, 2 } select new { i, Twice = 2 * i }", ["i", "Twice"], [["1", "2"], ["2", "4"]]),
        ('new List<(string, bool)> { ("a", true) }', ["Item1", "Item2"], [["a", "true"]]),
        ("new int[,] { { 1, 2 }, { 3, 4 } }", ["0", "1"], [["1", "2"], ["3", "4"]]),
        (
            "class Mug { public int Volume; public int Bad => throw new Exception(); }\nnew object[] { new Mug(), 7 }",
            ["Bad", "Volume", "value"],
            [["<Exception>", "0", ""], ["", "", "7"]],
        ),
        (
            'var data = new System.Data.DataTable();\ndata.Columns.Add("<name>");\ndata.Rows.Add("<&>");\ndata',
            ["<name>"],
            [["<&>"]],
        ),
        ('new[] { new[] { "<script>alert(1)</script>" } }', ["value"], [['[ "<script>alert(1)</script>" ]']]),
    ],
)
def test_collections_as_tables(csharp: Kernel, code: str, head: list[str], rows: list[list[str]]) -> None:
    cell = csharp.run(code)
    numbered = [[str(number), *row] for number, row in enumerate(rows)]
    assert table(cell) == (["", *head], numbered, "")
    assert "<script" not in cell.of("execute_result")[0]["data"]["text/html"]


def test_tables_are_limited_and_say_what_is_left_out(csharp: Kernel) -> None:
    _, rows, note = table(csharp.run("Enumerable.Repeat(7, 100).ToList()"))
    assert (len(rows), note) == (20, "80 more rows left out")
    _, rows, note = table(csharp.run("IEnumerable<int> Endless() { while (true) yield return 1; }\nEndless()"))
    assert (len(rows), note) == (20, "more rows left out")
    head, _, note = table(csharp.run("new int[2, 30]"))
    assert (len(head), note) == (21, "10 more columns left out")
    _, rows, _ = table(csharp.run("new[] { new string('x', 600) }"))
    assert rows == [["0", f"{'x' * 500}... (100 more characters)"]]
    _, rows, _ = table(csharp.run("object deep = 1;\nfor (var i = 0; i < 9; i++) deep = new[] { deep };\ndeep"))
    assert rows == [["0", "[ [ System.Object[] ] ]"]]


def test_a_sequence_that_is_shown_is_computed_once(csharp: Kernel) -> None:
    assert text(csharp, "stdout", "new[] { 1, 2 }.Select(i => { Console.Write(i); return i; })") == "12"


def test_an_empty_collection_and_an_explicit_text_are_no_tables(csharp: Kernel) -> None:
    (result,) = csharp.run("new int[0]").of("execute_result")
    assert result["data"] == {"text/plain": "[  ]"}
    (shown,) = csharp.run('display(new[] { 1 }, "text/plain");').of("display_data")
    assert shown["data"] == {"text/plain": "[ 1 ]"}


def test_formatters_that_a_cell_registers(csharp: Kernel) -> None:
    csharp.run("interface ICold { }\nclass Drink { public int Volume = 7; }\nclass Juice : Drink, ICold { }")
    assert not csharp.run('Formatter.Register<Drink>(one => $"{one.Volume} ml");').of("error")
    assert csharp.run("new Juice()").text == "7 ml"
    assert csharp.run("new[] { new Juice() }").text == "[ 7 ml ]"
    assert table(csharp.run("new[] { new Juice() }"))[1] == [["0", "7 ml"]]
    csharp.run('Formatter.Register<ICold>((one, writer) => writer.Write("<b>cold</b>"), "text/html");')
    csharp.run('Formatter.Register<Juice>(one => "juice");')
    (result,) = csharp.run("new Juice()").of("execute_result")
    assert result["data"] == {"text/html": "<b>cold</b>", "text/plain": "juice"}
    assert csharp.run("new Drink()").text == "7 ml"
    csharp.run("Formatter.ResetToDefault();")
    assert csharp.run("new Drink()").text == "Drink { Volume = 7 }"


def test_output_arrives_while_the_cell_runs(csharp: Kernel) -> None:
    """The second line is printed once the first one has been seen here."""
    flag = csharp.log / "seen"

    def see(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream" and "first" in message["content"]["text"]:
            flag.touch()

    code = 'Console.WriteLine("first");\nwhile (!System.IO.File.Exists("seen")) await Task.Delay(5);\n"second"'
    assert csharp.run(code, on_message=see).text == "second"


def test_displays_and_streams_keep_their_order(csharp: Kernel) -> None:
    cell = csharp.run('Console.Write(1); display(2); Console.Write(3); display(4); Console.Error.Write(5); "6"')
    shown = [m for m in cell.messages if m["msg_type"] in {"stream", "display_data", "execute_result"}]
    texts = [m["content"].get("text") or m["content"]["data"]["text/plain"] for m in shown]
    assert texts == ["1", "2", "3", "4", "5", "6"]


def test_a_display_can_be_replaced_from_a_later_cell(csharp: Kernel) -> None:
    (first,) = csharp.run('var shown = display("before");').of("display_data")
    (second,) = csharp.run('shown.Update("after");').of("update_display_data")
    assert first["transient"] == second["transient"]
    assert second["data"]["text/plain"] == "after"


FORMATTERS = """
class TypeFormatterSourceAttribute : Attribute
{
    public TypeFormatterSourceAttribute(Type type) { FormatterSourceType = type; }
    public Type FormatterSourceType { get; }
    public string[] PreferredMimeTypes { get; set; }
}
[TypeFormatterSource(typeof(ChartFormatters))] class Chart { }
class ChartFormatters
{
    public IEnumerable<object> CreateTypeFormatters() { yield return new Plotly(); yield return new Html(); }
}
class Plotly
{
    public string MimeType => "application/vnd.plotly.v1+json";
    public bool Format(object chart, System.IO.TextWriter writer) { writer.Write("{\\"data\\": [1]}"); return true; }
}
class Html
{
    public string MimeType => "text/html";
    public bool Format(object chart, System.IO.TextWriter writer) { writer.Write("<b>chart</b>"); return true; }
}
class PieChart : Chart { }
"""


def test_formatters_that_a_type_brings_along(csharp: Kernel) -> None:
    csharp.run(FORMATTERS)
    (result,) = csharp.run("new PieChart()").of("execute_result")
    assert result["data"]["application/vnd.plotly.v1+json"] == {"data": [1]}
    assert result["data"]["text/html"] == "<b>chart</b>"
    (shown,) = csharp.run('display(new Chart(), "text/html");').of("display_data")
    assert shown["data"] == {"text/html": "<b>chart</b>"}


def test_a_compile_error_has_its_place(csharp: Kernel) -> None:
    error = csharp.run("var fine = 1;\n\tvar y = fine + missing;").error
    assert error["ename"] == "CS0103"
    assert error["traceback"] == [
        "(2,17): error CS0103: The name 'missing' does not exist in the current context",
        "  2 | \tvar y = fine + missing;",
        "    | \t               ^",
    ]
    assert csharp.run("fine").error["ename"] == "CS0103", "nothing of a cell with errors is kept"


def test_an_exception_has_its_places_and_its_cause(csharp: Kernel) -> None:
    defined = csharp.run("int Divide(int i)\n{\n    return 1 / i;\n}").number
    failed = csharp.run('var kept = 5;\n\ntry { Divide(0); }\ncatch (Exception e) { throw new Exception("no", e); }')
    number = failed.number
    assert failed.error["traceback"] == [
        "System.Exception: no",
        f"   at cell {number}, line 4, column 23",
        "caused by System.DivideByZeroException: Attempted to divide by zero.",
        f"   at Divide(Int32) in cell {defined}, line 3, column 5",
        f"   at cell {number}, line 3, column 7",
    ]
    assert csharp.run("kept").text == "5", "what ran before the exception is kept"


def test_a_library_by_its_path(csharp: Kernel, tmp_path: Path) -> None:
    shutil.copyfile(CHECKOUT / "kernels" / "dotnet" / "Perflab.props", tmp_path / "Perflab.props")
    project = tmp_path / "Pitcher.csproj"
    project.write_text('<Project Sdk="Microsoft.NET.Sdk"><Import Project="Perflab.props" /></Project>')
    (tmp_path / "Pitcher.cs").write_text("public static class Pitcher { public static int Fill(int by) => 2 * by; }")
    environment = require(["dotnet"])
    command = expand(["{dotnet}", "build", "-c", "Release", "-v", "q", "-nologo", str(project)], environment)
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
    assert not csharp.run(f'#r "{os.path.relpath(tmp_path / "target" / "Pitcher.dll", csharp.log)}"').of("error")
    filled = csharp.run("Pitcher.Fill(21)")
    assert not filled.of("error")
    assert filled.text == "42"
    # Built again while it is in use, it must not take the process down.
    (tmp_path / "target" / "Pitcher.dll").write_bytes(b"\0" * 100)
    assert csharp.run("Pitcher.Fill(4)").text == "8"


def test_a_library_that_is_not_there_is_an_error_with_its_place(csharp: Kernel) -> None:
    assert csharp.run('\n#r "nowhere.dll"\n1').error["traceback"][0].startswith("(2,1): error CS0006")


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        (
            '1\n#r "nuget: Tea.Pots, 1.2.3"',
            "LAB0001",
            [
                "(2,1): error LAB0001: packages cannot be loaded, only assemblies by their path",
                "'dotnet add packages package Tea.Pots --version 1.2.3'",
                "'#r \"packages/lib/Tea.Pots.dll\"'",
                '\n  2 | #r "nuget: Tea.Pots, 1.2.3"\n    | ^',
            ],
        ),
        ('#r "nuget:Tea.Pots"', "LAB0001", ["'dotnet add packages package Tea.Pots'"]),
        ('#i "nuget:https://example.org/v3/index.json"', "LAB0002", ["(1,1): error LAB0002: package sources"]),
        ("#!time\n1", "LAB0003", ["(1,1): error LAB0003: #!time is not known here", "'#!csharp' as the first line"]),
        ("#!fsharp", "LAB0003", ["./lab setup --csharp-kernel"]),
        ("1\n#!share --from fsharp x", "LAB0003", ["(2,1): error LAB0003: #!share is not known here"]),
    ],
)
def test_what_only_dotnet_interactive_can_do_says_what_to_do_instead(
    csharp: Kernel, code: str, name: str, said: list[str]
) -> None:
    error = csharp.run(code).error
    assert error["ename"] == name
    assert [part for part in said if part not in "\n".join(error["traceback"])] == []


def test_a_text_with_such_lines_is_a_text(csharp: Kernel) -> None:
    assert csharp.run('@"\n#!time\n#r ""nuget:A""".Length').text == "20"


def test_completion_knows_earlier_cells_and_characters_outside_the_basic_plane(csharp: Kernel) -> None:
    csharp.run("class Kettle { public int Capacity; }\nvar kettle = new Kettle();")
    code = 'var s = "😀"; kettle.Cap'
    reply = csharp.client.complete(code, reply=True, timeout=600)["content"]
    assert reply["matches"] == ["Capacity"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - 3, len(code))
    code = "ket"
    assert "kettle" in csharp.client.complete(code, reply=True, timeout=600)["content"]["matches"]


def test_inspection_shows_the_declaration_and_its_documentation(csharp: Kernel) -> None:
    csharp.run("/// how full\nint Level(int percent) => percent;")
    own = csharp.client.inspect("Level(3)", 2, reply=True, timeout=600)["content"]
    assert own["data"]["text/plain"] == "int Level(int percent)"
    framework = csharp.client.inspect("Math.Max(1, 2)", 6, reply=True, timeout=600)["content"]["data"]["text/plain"]
    assert framework.startswith("static int System.Math.Max(int val1, int val2)")
    assert "Returns the larger of two 32-bit signed integers" in framework
    assert not csharp.client.inspect("1 +   2", 4, reply=True, timeout=600)["content"]["found"]


@pytest.mark.parametrize(
    "code",
    [
        "while (true) { }",
        "while (true) await Task.Delay(1);",
        f"System.Threading.Thread.Sleep({FOREVER_S}_000);",
        "await Task.Delay(-1);",
        'for (;;) Console.Write("more and more of it");',
        "lock (new object()) { new System.Threading.ManualResetEvent(false).WaitOne(); }",
        "for (;;) display(1);",
        "try { while (true) { } } catch (Exception) { }",
        "try { while (true) { } } catch (Exception e) { Console.WriteLine(e); }",
        "try { Console.Write(1); } finally { while (true) { } }",
    ],
)
def test_a_cell_that_runs_forever_can_be_interrupted(csharp: Kernel, code: str) -> None:
    csharp.run("var before = 21;")
    process = cs_process(csharp)
    for _ in range(2):
        assert interrupted_while(csharp, code)["traceback"] == ["the cell was interrupted"]
        assert csharp.run("before * 2").text == "42"
    assert cs_process(csharp) == process


def with_input(kernel: Kernel, code: str, *lines: str) -> tuple[Cell, list[dict[str, Any]]]:
    """A cell whose questions are answered by these lines, and what it asked."""
    messages: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    answers = iter(lines)

    def answer(message: dict[str, Any]) -> None:
        asked.append(message["content"])
        kernel.client.input(next(answers))

    kernel.client.execute_interactive(
        code, allow_stdin=True, stdin_hook=answer, output_hook=messages.append, timeout=CELL_LIMIT_S
    )
    return Cell(0, messages), asked


def test_input_is_asked_of_the_notebooks_reader(csharp: Kernel) -> None:
    cell, asked = with_input(csharp, 'Console.Write("Who? ");\nConsole.ReadLine() + Console.ReadLine()', "Ada", "é😀")
    assert cell.text == "Adaé😀"
    assert asked == [{"prompt": "", "password": False}] * 2
    (printed,) = cell.of("stream")
    assert printed["text"] == "Who? "
    cell, _ = with_input(csharp, "(char)Console.Read() + Console.ReadLine() + Console.In.Peek()", "tea", "7")
    assert cell.text == f"tea{ord('7')}"
    assert csharp.run("Console.ReadLine()").text == "7", "what was typed and not read is still there"
    assert with_input(csharp, "Console.ReadLine()", "\x04")[0].text == "null"


def test_where_nobody_can_be_asked_reading_says_so(csharp: Kernel) -> None:
    messages: list[dict[str, Any]] = []
    csharp.client.execute_interactive(
        "Console.ReadLine()", allow_stdin=False, output_hook=messages.append, timeout=CELL_LIMIT_S
    )
    assert Cell(0, messages).error["evalue"].startswith("there is nobody to ask for input")
    with pytest.raises(queue.Empty):
        csharp.client.get_stdin_msg(timeout=0)


def test_a_cell_that_waits_for_input_can_be_interrupted_and_a_late_answer_is_nobodys(csharp: Kernel) -> None:
    csharp.client.execute_interactive(
        "Console.ReadLine()",
        allow_stdin=True,
        stdin_hook=lambda _: csharp.interrupt(),
        output_hook=lambda _: None,
        timeout=CELL_LIMIT_S,
    )
    csharp.client.input("late")
    assert csharp.run("1 + 1").text == "2"
    assert with_input(csharp, "Console.ReadLine()", "in time")[0].text == "in time"


def test_what_ran_before_an_interrupt_is_kept(csharp: Kernel) -> None:
    interrupted_while(csharp, "var early = 42;\nwhile (true) { }")
    assert csharp.run("early").text == "42"


def test_an_interrupt_between_cells_is_no_error(csharp: Kernel) -> None:
    csharp.run("var idle = 42;")
    csharp.interrupt()
    assert csharp.run("System.Threading.Thread.Sleep(200); idle").text == "42"


def test_a_cell_that_cannot_be_interrupted_costs_the_process_and_says_so(impatient: Kernel) -> None:
    impatient.run("var lost = 1;")
    # Opening a pipe that nobody writes to is a call into the system that begins anew after each signal.
    os.mkfifo(impatient.log / "nobody")
    error = interrupted_while(impatient, 'System.IO.File.OpenRead("nobody");')
    assert error["traceback"] == [
        "the cell could not be interrupted, so the C# process was ended",
        "  all variables are lost; the next cell starts a new process",
    ]
    assert impatient.run("lost").error["ename"] == "CS0103"
    assert impatient.run("1 + 1").text == "2"


@pytest.mark.parametrize(
    ("code", "how", "said"),
    [
        ("Environment.Exit(3);", "with status 3", ""),
        ('Environment.FailFast("the roof is on fire");', "by signal SIGABRT", "the roof is on fire"),
        ("int Deeper(int i) => Deeper(i + 1) + 1;\nDeeper(0)", "by signal SIGABRT", "Stack overflow"),
        (
            'new System.Threading.Thread(() => throw new Exception("of a thread")).Start();\nawait Task.Delay(-1);',
            "by signal SIGABRT",
            "of a thread",
        ),
    ],
)
def test_a_crash_is_reported_and_the_next_cell_runs(csharp: Kernel, code: str, how: str, said: str) -> None:
    cell = csharp.run(code)
    assert cell.error["evalue"] == f"the C# process ended {how}"
    assert said in "".join(one["text"] for one in cell.of("stream"))
    assert csharp.run("1 + 1").text == "2"


def test_a_crash_is_reported_while_a_child_of_the_process_lives_on(csharp: Kernel) -> None:
    started = csharp.run('System.Diagnostics.Process.Start("sleep", "600").Id')
    child = psutil.Process(int(started.text))
    try:
        cell = csharp.run('Environment.FailFast("x");')
        assert cell.error["evalue"] == "the C# process ended by signal SIGABRT"
        assert child.status() != psutil.STATUS_ZOMBIE, "or it would hold nothing open"
        assert csharp.run("1 + 1").text == "2"
    finally:
        child.kill()


def test_a_process_that_is_killed_between_cells_is_replaced(csharp: Kernel) -> None:
    csharp.run("1")
    process = cs_process(csharp)
    process.send_signal(signal.SIGKILL)
    while process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert "all variables are lost" in told(csharp.run("1 + 1"))
    assert csharp.run("1 + 1").text == "2"


def test_a_completion_that_replaces_the_process_leaves_it_to_the_next_cell_to_say_so(csharp: Kernel) -> None:
    csharp.run("var kept = 1;")
    process = cs_process(csharp)
    process.kill()
    # While its last thread ends it cannot be replaced.
    while process.is_running():
        csharp.client.complete("Console.", reply=True, timeout=CELL_LIMIT_S)
    csharp.client.complete("Console.", reply=True, timeout=CELL_LIMIT_S)
    assert "all variables are lost" in told(csharp.run("1 + 1"))
    assert not told(csharp.run("1 + 1"))


def test_a_hundred_megabytes_of_output_are_cut_short_and_said_so(csharp: Kernel) -> None:
    code = 'var line = new string(\'x\', 99) + "\\n";\nfor (var i = 0; i < 1_000_000; i++) Console.Write(line);\n"done"'
    cell = csharp.run(code)
    printed = "".join(one["text"] for one in cell.of("stream"))
    assert 1_000_000 < len(printed) < 1_000_100
    assert printed.endswith("[99000000 more characters left out]\n")
    assert cell.text == "done"
    assert text(csharp, "stdout", 'Console.Write("and on")') == "and on"


def test_output_past_the_console_is_shown_and_limited_too(csharp: Kernel) -> None:
    start = 'System.Diagnostics.Process.Start("sh", new[] { "-c", "%s" }).WaitForExit();'
    assert text(csharp, "stdout", start % "echo from a child") == "from a child\n"
    assert text(csharp, "stderr", start % "echo oops >&2") == "oops\n"
    printed = text(csharp, "stdout", start % "head -c 20000000 /dev/zero | tr '\\\\0' x" + "\nawait Task.Delay(300);")
    assert 1_000_000 < len(printed) < 1_000_100


def test_the_end_of_a_cell_is_not_lost_behind_many_displays(csharp: Kernel) -> None:
    cell = csharp.run('for (var i = 0; i < 5000; i++) display(i);\n"end"')
    assert [int(one["data"]["text/plain"]) for one in cell.of("display_data")] == list(range(5000))
    assert cell.text == "end"


def test_many_threads_print_whole_lines(csharp: Kernel) -> None:
    code = """
        Parallel.For(0, 1000, i => Console.WriteLine($"line {i} of many"));
    """
    lines = text(csharp, "stdout", textwrap.dedent(code)).splitlines()
    assert sorted(lines) == sorted(f"line {i} of many" for i in range(1000))


def test_nothing_is_left_when_the_kernel_is_killed(csharp_specs: KernelSpecManager, tmp_path: Path) -> None:
    with started(csharp_specs, tmp_path) as (manager, client):
        kernel = Kernel(manager, client, tmp_path)
        kernel.run("1")
        process = cs_process(kernel)
        os.kill(manager.provisioner.process.pid, signal.SIGKILL)
        process.wait(10)


def test_restart_forgets_everything(csharp_specs: KernelSpecManager, tmp_path: Path) -> None:
    with started(csharp_specs, tmp_path) as (manager, client):
        kernel = Kernel(manager, client, tmp_path)
        kernel.run("var gone = 1;")
        manager.restart_kernel()
        client.wait_for_ready(timeout=600)
        assert kernel.run("gone").error["ename"] == "CS0103"


def test_memory_after_many_cells(csharp: Kernel) -> None:
    """A bound that only a leak can break: the figure is in kernels/dotnet/README.md."""
    for number in range(50):
        csharp.run(f"var v{number} = new int[1000]; v{number}.Length")
    time.sleep(0.1)
    assert cs_process(csharp).memory_info().rss < 600e6
