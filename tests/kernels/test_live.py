"""What a notebook's reader sees of each kernel."""

from __future__ import annotations

import os
import queue
import re
import signal
import textwrap
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from .conftest import CELL_LIMIT_S, Cell, Kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.notebook

LANGUAGES = ("csharp", "kotlin", "python", "rust")
Kernels = "Callable[[str], tuple[Kernel, Path]]"


@pytest.fixture
def kernel(request: pytest.FixtureRequest, kernels: Kernels) -> Kernel:
    return kernels(request.param)[0]


@pytest.fixture
def csharp(kernels: Kernels) -> Kernel:
    return kernels("csharp")[0]


@pytest.fixture
def rust(kernels: Kernels) -> Kernel:
    return kernels("rust")[0]


each = pytest.mark.parametrize("kernel", LANGUAGES, indirect=True)


def of_each(**values: object) -> pytest.MarkDecorator:
    """Run a test with each kernel and the value of its language."""
    return pytest.mark.parametrize(("kernel", "case"), values.items(), ids=list(values), indirect=["kernel"])


@of_each(
    csharp=("class Pot { public int Volume = 7; }\nvar pot = new Pot();", "pot.Volume += 8;", "pot.Volume"),
    kotlin=("class Pot { var volume = 7 }\nval pot = Pot()", "pot.volume += 8", "pot.volume"),
    python=("class Pot: volume = 7\npot = Pot()", "pot.volume += 8", "pot.volume"),
    rust=("struct Pot { volume: u32 }\nlet mut pot = Pot { volume: 7 };", "pot.volume += 8;", "pot.volume"),
)
def test_state_lives_on_in_later_cells(kernel: Kernel, case: tuple[str, ...]) -> None:
    *before, last = case
    for code in before:
        assert not kernel.run(code).of("error")
    assert kernel.run(last).text == "15"


@of_each(
    csharp=("var fine = 1;\n\tvar y = fine + missing;", "(2,17): error CS0103: The name 'missing'"),
    kotlin=("val fine = 1\nval y = fine + missing", "line 2, column 16: Unresolved reference"),
    python=("fine = 1\ny = fine + missing", "----> 2 y = fine + missing"),
    rust=("let fine = 1;\nlet broken: u32 = true;", "2 │ let broken: u32 = true;"),
)
def test_an_error_has_its_line_and_the_variables_stay(kernel: Kernel, case: tuple[str, str]) -> None:
    keep = {"Rust": "let kept = 42;", "C#": "var kept = 42;", "kotlin": "val kept = 42"}
    kernel.run(keep.get(kernel.client.kernel_info(reply=True)["content"]["language_info"]["name"], "kept = 42"))
    error = kernel.run(case[0]).error
    assert case[1] in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join([error["evalue"], *error["traceback"]]))
    assert kernel.run("kept").text == "42"


@of_each(
    csharp=('throw new Exception("no tea");', "cell"),
    kotlin=('throw Exception("no tea")', "at Cell In["),
    python=('raise Exception("no tea")', "Cell In["),
    rust=('let fine = 1;\nassert_eq!(fine, 2, "no tea");', "panicked in line 2 of the cell"),
)
def test_an_exception_has_its_place(kernel: Kernel, case: tuple[str, str]) -> None:
    cell = kernel.run(case[0])
    told = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(cell.error["traceback"]))
    assert "no tea" in cell.error["evalue"] + told
    assert case[1] in told


@of_each(
    csharp=('var s = "😀"; Console.WriteL', "WriteLine"),
    kotlin=("val l = listOf(1); l.firstOrN", "firstOrNull"),
    python=("isinst", "isinstance"),
    rust=("std::collections::HashM", "HashMap"),
)
def test_a_word_is_completed(kernel: Kernel, case: tuple[str, str]) -> None:
    code, word = case
    reply = kernel.client.complete(code, reply=True, timeout=CELL_LIMIT_S)["content"]
    assert any(match.startswith(word) for match in reply["matches"])
    assert reply["cursor_end"] == len(code)


@of_each(
    csharp='Console.Write("1"); display(HTML("<b>2</b>")); Console.Write("3");',
    kotlin='print("1"); DISPLAY(HTML("<b>2</b>")); print("3")',
    python='print("1"); display({"text/html": "<b>2</b>"}, raw=True); print("3")',
    rust='println!("1"); println!("EVCXR_BEGIN_CONTENT text/html\\n<b>2</b>\\nEVCXR_END_CONTENT"); println!("3");',
)
def test_displays_are_shown(kernel: Kernel, case: str) -> None:
    cell = kernel.run(case)
    shown = [one["data"]["text/html"] for kind in ("display_data", "execute_result") for one in cell.of(kind)]
    assert "<b>2</b>" in "".join(shown)
    assert cell.streamed().split() in (["1", "3"], ["13"])


# `True` where the variables stay.
@of_each(
    csharp=('Console.WriteLine("running"); while (true) { }', True),
    kotlin=('println("running"); while (true) Thread.sleep(1)', True),
    python=('print("running", flush=True)\nwhile True: pass', True),
    rust=('println!("running"); loop { std::thread::sleep(std::time::Duration::from_millis(1)); }', False),
)
def test_a_cell_that_runs_forever_can_be_interrupted(kernel: Kernel, case: tuple[str, bool]) -> None:
    before = kernel.processes()[0]
    assert kernel.interrupted(case[0])["ename"]
    assert kernel.run("1 + 1").text == "2"
    assert before.is_running()


@each
def test_an_interrupt_between_cells_is_no_error(kernel: Kernel) -> None:
    kernel.interrupt()
    assert not kernel.run("1").of("error")


@pytest.mark.parametrize("language", LANGUAGES)
def test_restart_forgets_everything_and_shutdown_leaves_no_process(
    start: Callable[..., Kernel], tmp_path: Path, language: str
) -> None:
    kernel = start(language, tmp_path)
    assert kernel.run("1").number == 1
    keep = {"python": "gone = 1", "kotlin": "val gone = 1", "csharp": "var gone = 1;", "rust": "let gone = 1;"}
    kernel.run(keep[language])
    kernel.manager.restart_kernel(now=False)
    kernel.client.wait_for_ready(timeout=CELL_LIMIT_S)
    assert kernel.run("gone").of("error")
    processes = kernel.processes()
    kernel.manager.shutdown_kernel()
    _, alive = psutil.wait_procs(processes, timeout=30)
    assert not alive


@pytest.mark.parametrize("language", ["csharp", "rust"])
def test_nothing_is_left_when_the_kernel_is_killed(start: Callable[..., Kernel], tmp_path: Path, language: str) -> None:
    kernel = start(language, tmp_path)
    relay, *others = kernel.processes()
    assert others
    relay.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(others, timeout=30)
    assert not alive


@of_each(
    csharp='for (var i = 0; i < 200_000; i++) Console.WriteLine($"line {i} of many");\n"the end"',
    rust='for i in 0..200_000 { println!("line {i} of many"); }\n"the end"',
)
def test_a_flood_is_cut_short_and_does_not_drown_the_end_of_the_cell(kernel: Kernel, case: str) -> None:
    cell = kernel.run(case)
    text = cell.streamed()
    assert text.startswith("line 0 of many\nline 1 of many\n")
    assert "left out" in text
    assert len(text) < 1_100_000
    assert cell.text.strip('"') == "the end"


@of_each(
    csharp=("Environment.Exit(3);", "with status 3"),
    rust=("std::process::abort();", "SIGABRT"),
)
def test_a_crash_is_reported_and_the_next_cell_runs(kernel: Kernel, case: tuple[str, str]) -> None:
    assert case[1] in kernel.run(case[0]).error["evalue"]
    assert kernel.run("1 + 1").text == "2"


WAITING = """
using System.Threading;
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
        # Also in what follows an await, and for what was begun before it.
        "await Task.Delay(1); Later(42).Result",
        "var early = Later(42); await Task.Delay(1); early.Result",
        "var spun = Later(42); while (!spun.IsCompleted) { } spun.Result",
        # Wake-ups of the cell's thread, of the pool's and the end of the cell, in every order.
        "var count = new int[1]; await Task.WhenAll(Enumerable.Range(0, 42).Select(i => Loop(count))); count[0] / 1000",
    ],
)
def test_a_csharp_cell_may_wait_for_what_awaits(csharp: Kernel, code: str) -> None:
    assert not csharp.run(WAITING).of("error")
    assert csharp.run(code).text == "42"


@pytest.mark.parametrize(
    "code",
    [
        "while (true) await Task.Delay(1);",
        "System.Threading.Thread.Sleep(100_000_000);",
        'for (;;) Console.Write("more and more of it");',
        "for (;;) display(1);",
        "try { while (true) { } } catch (Exception) { }",
        "try { Console.Write(1); } finally { while (true) { } }",
    ],
)
def test_an_interrupt_of_csharp_keeps_the_variables(csharp: Kernel, code: str) -> None:
    csharp.run("var before = 21;")
    assert csharp.interrupted(f'Console.WriteLine("running");\n{code}')["traceback"] == ["the cell was interrupted"]
    assert csharp.run("before * 2").text == "42"


def test_a_csharp_cell_that_cannot_be_interrupted_costs_the_process_and_says_so(
    start: Callable[..., Kernel], tmp_path: Path
) -> None:
    kernel = start("csharp", tmp_path, PERFLAB_CSHARP_GRACE_S="1")
    # Opening a pipe that nobody writes to is a call into the system that begins anew after each signal.
    os.mkfifo(tmp_path / "nobody")
    error = kernel.interrupted('Console.WriteLine("running"); System.IO.File.OpenRead("nobody");')
    assert error["traceback"] == [
        "the cell could not be interrupted, so the C# process was ended",
        "  all variables are lost; the next cell starts a new process",
    ]
    assert kernel.run("1 + 1").text == "2"


def test_a_csharp_process_that_is_killed_between_cells_is_replaced(csharp: Kernel) -> None:
    csharp.run("1")
    (process,) = psutil.Process(csharp.manager.provisioner.process.pid).children()
    process.kill()
    # Until its last thread has ended, its parent cannot see that it is gone.
    while process.status() != psutil.STATUS_ZOMBIE or len(os.listdir(f"/proc/{process.pid}/task")) > 1:  # noqa: PTH208
        time.sleep(0.01)
    assert "all variables are lost" in csharp.run("1 + 1").streamed()
    assert csharp.run("1 + 1").text == "2"


def test_a_csharp_exception_has_its_places_and_its_cause(csharp: Kernel) -> None:
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


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("(string)null", "null"),
        ("new[] { 1, 2 }", "[ 1, 2 ]"),
        ("Enumerable.Range(0, 50).Where(i => true)", f"[ {', '.join(map(str, range(20)))}, ... (more) ]"),
        ('new Dictionary<string, int> { ["a"] = 1 }', '[ ["a"] = 1 ]'),
        ("class Jug { public int A => 1; public string B = null; }\nnew Jug()", "Jug { A = 1, B = null }"),
    ],
)
def test_csharp_values_as_text(csharp: Kernel, code: str, shown: str) -> None:
    assert csharp.run(code).text == shown
    assert csharp.run("1 + 1;").of("execute_result") == []


def test_a_csharp_display_can_be_replaced_from_a_later_cell(csharp: Kernel) -> None:
    (first,) = csharp.run('var shown = display("before");').of("display_data")
    (second,) = csharp.run('shown.Update("after");').of("update_display_data")
    assert first["transient"] == second["transient"]
    assert second["data"]["text/plain"] == "after"


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        ('1\n#r "nuget: Tea.Pots, 1.2.3"', "LAB0001", "'dotnet add packages package Tea.Pots --version 1.2.3'"),
        ('#i "nuget:https://example.org/v3/index.json"', "LAB0002", "package sources cannot be added"),
        ("#!fsharp", "LAB0003", "./lab setup --csharp-kernel"),
        ('\n#r "nowhere.dll"\n1', "CS0006", "(2,1): error CS0006"),
    ],
)
def test_what_only_dotnet_interactive_can_do_says_what_to_do_instead(
    csharp: Kernel, code: str, name: str, said: str
) -> None:
    error = csharp.run(code).error
    assert error["ename"] == name
    assert said in "\n".join(error["traceback"])


def test_csharp_input_is_asked_of_the_reader_and_where_there_is_none_reading_says_so(csharp: Kernel) -> None:
    messages: list[dict[str, Any]] = []
    answers = iter(["Ada", "é😀"])
    csharp.client.execute_interactive(
        "Console.ReadLine() + Console.ReadLine()",
        allow_stdin=True,
        stdin_hook=lambda _: csharp.client.input(next(answers)),
        output_hook=messages.append,
        timeout=CELL_LIMIT_S,
    )
    assert Cell(0, messages).text == "Adaé😀"
    messages.clear()
    csharp.client.execute_interactive(
        "Console.ReadLine()", allow_stdin=False, output_hook=messages.append, timeout=CELL_LIMIT_S
    )
    assert Cell(0, messages).error["evalue"].startswith("there is nobody to ask for input")
    with pytest.raises(queue.Empty):
        csharp.client.get_stdin_msg(timeout=0)


def test_many_csharp_threads_print_whole_lines_and_children_are_shown(csharp: Kernel) -> None:
    lines = csharp.run('Parallel.For(0, 1000, i => Console.WriteLine($"line {i} of many"));').streamed().splitlines()
    assert sorted(lines) == sorted(f"line {i} of many" for i in range(1000))
    start = 'System.Diagnostics.Process.Start("sh", new[] { "-c", "echo oops >&2" }).WaitForExit();'
    assert csharp.run(start + "\nawait Task.Delay(300);").streamed("stderr") == "oops\n"


def test_a_rust_interrupt_reaches_the_program_that_a_cell_waits_for_and_variables_stay(rust: Kernel) -> None:
    rust.run("let kept = 43;")
    done: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if not done and message["msg_type"] == "stream":
            done.append(True)
            time.sleep(0.3)
            rust.manager.interrupt_kernel()

    code = """
        println!("running");
        let status = std::process::Command::new("sleep").arg("600").status().unwrap();
        std::os::unix::process::ExitStatusExt::signal(&status)
    """
    assert rust.run(textwrap.dedent(code).strip(), on_message=interrupt).text == "Some(2)"
    assert rust.run("kept").text == "43"


def test_a_rust_cell_has_no_checks_that_a_release_lacks(rust: Kernel) -> None:
    assert rust.run("(cfg!(debug_assertions), std::hint::black_box(255u8) + 1)").text == "(false, 0)"


def test_a_rust_panic_of_another_thread_is_not_the_cells(rust: Kernel) -> None:
    cell = rust.run('std::thread::spawn(|| panic!("elsewhere")).join().is_err()')
    assert not cell.of("error")
    assert cell.text == "true"
    assert "elsewhere" in cell.streamed()


def test_rust_cells_that_were_asked_for_after_one_that_fails_are_not_run(rust: Kernel) -> None:
    rust.run("let mut ran = 0;")
    asked = [rust.client.execute(code) for code in ("ran += 1; None::<u32>.unwrap();", "ran += 10;")]
    statuses = {}
    while len(statuses) < len(asked):
        reply = rust.client.get_shell_msg(timeout=60)
        statuses[reply["parent_header"]["msg_id"]] = reply["content"]["status"]
    assert [statuses[one] for one in asked] == ["error", "aborted"]
    assert rust.run("ran").text == "1"


def test_a_second_rust_kernel_finds_what_the_first_has_compiled(start: Callable[..., Kernel], tmp_path: Path) -> None:
    crate, counted = tmp_path / "slow", tmp_path / "compiled"
    (crate / "src").mkdir(parents=True)
    package = '[package]\nname = "slow"\nversion = "0.0.0"\nedition = "2024"\nbuild = "build.rs"\n'
    (crate / "Cargo.toml").write_text(package)
    (crate / "src" / "lib.rs").write_text("pub fn one() -> u32 { 1 }\n")
    # What it writes grows with each time it is compiled.
    (crate / "build.rs").write_text(
        "use std::io::Write;\nfn main() { std::fs::OpenOptions::new().append(true).create(true)"
        f'.open("{counted}").unwrap().write_all(b"x").unwrap(); }}\n'
    )
    for _ in range(2):
        kernel = start("rust", tmp_path)
        first = kernel.run(f':dep slow = {{ path = "{crate}" }}\nslow::one()')
        assert first.text == "1"
        said = r"evcxr started in \d+ s, and this cell took \d+ s; what it has .*\n"
        assert re.fullmatch(said, first.streamed())
        kernel.manager.shutdown_kernel()
    assert counted.read_text() == "x"
