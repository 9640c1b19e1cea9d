"""The parts of the Rust kernel that need no evcxr."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import psutil
import pytest
from jupyter_client.connect import write_connection_file
from waiting import is_gone, wait_for

from perflab.host.processes import kill_tree
from perflab.host.toolchains import Rust
from perflab.kernels import rust
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab_kernels.rust.cells import DISPLAY_MARK, Sources, workplace
from perflab_kernels.rust.interrupts import Interrupts
from perflab_kernels.rust.outputs import Failures, Outputs

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a Cargo that the test writes."""
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(rust, "require_rust", lambda *_: Rust(tools, "1.95.0", (1, 95)))
    return tmp_path


def cargo(cache: Path, script: str) -> None:
    program = cache / "bin" / "cargo"
    program.write_text(f"#!{sys.executable}\nimport os, sys\nfrom pathlib import Path\n{textwrap.dedent(script)}")
    program.chmod(0o755)


BUILDS = """
    target = Path(os.environ["CARGO_TARGET_DIR"])
    target.mkdir(parents=True, exist_ok=True)
    assert Path.cwd() == Path("/"), "rustup does what it finds in the folder that one is in, and those around it"
    print("  Downloaded serde v1.0.0", file=sys.stderr)
    if not (target / "serde").exists():
        print("   Compiling serde v1.0.0", file=sys.stderr)
        (target / "serde").touch()
    if Path(sys.argv[0]).with_name("interrupt").exists():
        sys.exit(101)
    print("   Compiling evcxr_jupyter v0.22.0", file=sys.stderr)
    root = Path(sys.argv[sys.argv.index("--root") + 1])
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "evcxr_jupyter").write_text(" ".join(sys.argv[1:]))
"""


def test_evcxr_is_built_once_with_its_lock_file(cache: Path) -> None:
    cargo(cache, BUILDS)
    said: list[str] = []
    assert rust.find_evcxr() is None
    program = rust.provide_evcxr(said.append)
    (cache / "bin" / "cargo").unlink()
    assert rust.provide_evcxr() == rust.find_evcxr() == program
    assert "install --locked evcxr_jupyter --version =0.22.0" in program.read_text()
    assert [line.partition(": ")[2] for line in said] == ["serde", "serde, crate 1", "evcxr_jupyter, crate 2"]
    assert not (cache / "cache" / "perflab" / "evcxr" / "building").exists()


def test_a_build_that_was_ended_is_no_kernel_and_the_next_goes_on(cache: Path) -> None:
    cargo(cache, BUILDS)
    (cache / "bin" / "interrupt").touch()
    with pytest.raises(BenchError, match=r"the build of evcxr 0\.22\.0 failed with status 101"):
        rust.provide_evcxr()
    assert rust.find_evcxr() is None
    (cache / "bin" / "interrupt").unlink()
    said: list[str] = []
    rust.provide_evcxr(said.append)
    assert not [line for line in said if "serde, crate" in line], "what was compiled is not compiled again"


def test_without_a_network_it_is_missing(cache: Path) -> None:
    cargo(
        cache,
        """
        print("error: failed to download from `registry`", file=sys.stderr)
        print("  Could not resolve host: registry", file=sys.stderr)
        sys.exit(101)
        """,
    )
    with pytest.raises(MissingError, match="cannot be fetched: error: failed to download") as caught:
        rust.provide_evcxr()
    assert "conda install evcxr" in caught.value.hint


def test_two_kernels_at_once_have_a_workplace_each_and_the_next_has_the_first_ones(tmp_path: Path) -> None:
    with workplace(tmp_path) as first:
        crates = first / "target" / "x86_64-unknown-linux-gnu" / "debug" / "deps"
        crates.mkdir(parents=True)
        for name in ("libtokio.rlib", "libcode_3.so", "libctx.so"):
            (crates / name).touch()
        with workplace(tmp_path) as second:
            assert second != first
    with workplace(tmp_path) as third:
        assert third == first
        assert [path.name for path in crates.iterdir()] == ["libtokio.rlib"], "cells of an earlier notebook are gone"


def test_an_evcxr_that_does_not_start_ends_the_kernel_at_once_with_the_reason(tmp_path: Path) -> None:
    spec = rust.kernelspec(Path("/bin/false"), Rust(tmp_path, "1.95.0", (1, 95)))
    environment = {**os.environ, **spec["env"], "PERFLAB_RUST_WORK": str(tmp_path)}
    command = [*spec["argv"][:-1], str(tmp_path / "unused.json")]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "evcxr did not start: it ended with status 1"
    assert not list(tmp_path.rglob("connection.json")), "it holds a key"


@pytest.mark.parametrize("fetched", [True, False])
def test_a_toolchain_of_rustups_without_the_sources_of_the_standard_library_gets_them(
    cache: Path, *, fetched: bool
) -> None:
    """evcxr knows no variable's type without them, and says that of the first cell."""
    toolchain, ours = cache / "toolchains" / "mine", Rust(cache / "bin", "1.95.0", (1, 95))
    does = f"mkdir -p {toolchain}/lib/rustlib/src/rust/library/core" if fetched else "false"
    for name, script in (
        ("rustc", f"echo {toolchain}"),
        ("rustup", f'[ "$PWD $*" = "/ component add rust-src --toolchain mine" ] && {does}'),
    ):
        (cache / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (cache / "bin" / name).chmod(0o755)
    assert rust.lacks_sources(ours) == "mine"
    if fetched:
        rust.provide_sources()
        assert rust.lacks_sources(ours) == ""
    else:
        with pytest.raises(MissingError, match="lacks the sources") as caught:
            rust.provide_sources()
        assert caught.value.hint.endswith("rustup component add rust-src --toolchain mine")


def test_a_notebooks_dependencies_are_its_commands_to_the_kernel(tmp_path: Path) -> None:
    source = ':dep toy = { path = "toy" }\n:opt 2\nlet lab = 1;'
    cells = [nbformat.v4.new_markdown_cell(":dep not = this"), nbformat.v4.new_code_cell(source)]
    notebook = tmp_path / "notebook.ipynb"
    metadata = {"kernelspec": {"name": "rust", "display_name": "Rust"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), notebook)
    assert rust.dependencies(notebook) == source.splitlines()[:2]
    notebook.write_text("no JSON")
    with pytest.raises(UsageError, match="no notebook"):
        rust.dependencies(notebook)


def test_sources_of_a_toolchain_that_is_none_of_rustups_are_not_asked_for(cache: Path) -> None:
    (cache / "bin" / "rustc").write_text("#!/bin/sh\necho /conda\n")
    (cache / "bin" / "rustc").chmod(0o755)
    assert rust.lacks_sources(Rust(cache / "bin", "1.95.0", (1, 95))) == ""


def start_beside(tmp_path: Path, sysroot: str = "/ours") -> tuple[subprocess.CompletedProcess[str], str]:
    """How the kernel ended that was started in a folder of somebody else, and the environment that evcxr had in it."""
    for name, script in (
        ("rustc", f'[ "$PWD $*" = "/ --print sysroot" ] && echo {sysroot}'),
        ("evcxr", f"{{ env; cat /proc/net/tcp; }} > {tmp_path}/had"),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    spec = rust.kernelspec(tmp_path / "evcxr", Rust(tmp_path, "1.95.0", (1, 95)))
    environment = {**os.environ, **spec["env"], "PERFLAB_RUST_WORK": str(tmp_path / "work")}
    command = [*spec["argv"][:-1], str(tmp_path / "unused.json")]
    beside = tmp_path / "notebooks"
    ended = subprocess.run(
        command, cwd=beside, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    had = tmp_path / "had"
    return ended, had.read_text() if had.exists() else ""


@pytest.mark.parametrize(("sysroot", "called"), [("/ours", "/ours"), ("/rustup/toolchains/stable", "stable")])
def test_no_toolchain_that_a_file_beside_a_notebook_names_is_run(tmp_path: Path, sysroot: str, called: str) -> None:
    (tmp_path / "notebooks").mkdir()
    _, environment = start_beside(tmp_path, sysroot)
    # rustup looks there before it looks for a rust-toolchain.toml. Of a path it can neither add nor list components.
    assert f"RUSTUP_TOOLCHAIN={called}" in environment.splitlines()
    assert {"CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false", "CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false"} < set(
        environment.splitlines()
    )


def test_the_ports_that_jupyter_chose_are_bound_before_evcxr_starts(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    _, chosen = write_connection_file(str(tmp_path / "unused.json"), key=b"a")
    _, had = start_beside(tmp_path)
    for name in ("shell_port", "iopub_port", "stdin_port", "control_port"):
        # 0A: it listens.
        assert re.search(rf":{chosen[name]:04X} 00000000:0000 0A", had), name


def test_no_code_is_run_that_evcxrs_settings_beside_a_notebook_name(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "evcxr.toml").write_text('[evcxr]\nprelude = "std::process::exit(1);"\n')
    ended, environment = start_beside(tmp_path)
    assert ended.returncode == 1
    assert "evcxr.toml" in ended.stderr
    assert not environment


TEXT = "no topic 'tyo'\n  hint: did you mean 'toy'?"


def test_a_failure_that_the_cell_prints_is_the_cells() -> None:
    failures = Failures()
    failures.announce(TEXT, "LabError")
    assert failures.filter("something else\n") == ("something else\n", None)
    assert failures.filter("no topic 'tyo'\n") == ("", None)
    shown, error = failures.filter("  hint: did you mean 'toy'?\n")
    assert shown == ""
    assert error == {"ename": "LabError", "evalue": TEXT, "traceback": TEXT.split("\n")}
    assert failures.filter("no topic 'tyo'\n") == ("no topic 'tyo'\n", None), "it has failed once"


PANIC = """
thread '<unnamed>' (4959) panicked at src/lib.rs:97:13:
2 before 1
and more
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/library/std/src/panicking.rs:689:5
   5: {frame}
   6: <unknown>
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
after
"""


def test_a_panic_of_the_cell_is_its_error_with_the_cells_line() -> None:
    told = Told({97: 3}.get)
    for line in PANIC.format(frame="evcxr::runtime::Runtime::load_and_run").splitlines(keepends=True):
        told.print(line, "stderr")
    told.outputs.flush()
    error = {"ename": "Panic", "evalue": "2 before 1\nand more"}
    error_lines = ["2 before 1", "and more", "  panicked in line 3 of the cell"]
    assert told.messages == [
        ("error", {**error, "traceback": error_lines}),
        ("stream", {"name": "stderr", "text": "after\n"}),
    ]


def test_a_panic_of_another_thread_is_text() -> None:
    told = Told()
    text = PANIC.format(frame="tokio::runtime::task::raw::poll")
    for line in text.splitlines(keepends=True):
        told.print(line, "stderr")
    told.outputs.flush()
    assert told.messages == [("stream", {"name": "stderr", "text": text})]


def test_a_panic_that_stops_in_the_middle_is_not_lost() -> None:
    told = Told()
    lines = PANIC.splitlines(keepends=True)[:4]
    for line in lines:
        told.print(line, "stderr")
    told.take("status", execution_state="idle")
    assert told.messages[0] == ("stream", {"name": "stderr", "text": "".join(lines)})


class Told:
    """What Jupyter gets."""

    def __init__(self, locate: Callable[[int], int | None] = lambda _: None) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.outputs = Outputs(lambda kind, content: self.messages.append((kind, content)), locate)

    def take(self, kind: str, **content: object) -> None:
        self.outputs.take({"msg_type": kind, "content": content, "parent_header": {}})

    def print(self, text: str, name: str = "stdout") -> None:
        self.take("stream", name=name, text=text)


def test_lines_are_put_together_and_stay_in_order() -> None:
    told = Told()
    for line in ("a\n", "b\n"):
        told.print(line)
    told.print("c\n", "stderr")
    told.take("status", execution_state="idle")
    assert told.messages == [
        ("stream", {"name": "stdout", "text": "a\nb\n"}),
        ("stream", {"name": "stderr", "text": "c\n"}),
        ("status", {"execution_state": "idle"}),
    ]


def test_a_marked_line_is_a_display_and_can_be_replaced() -> None:
    told = Told()
    told.print("before\n")
    for kind in ("display", "update"):
        told.print(f'{DISPLAY_MARK}{{"kind": "{kind}", "id": "x", "data": {{"text/plain": "{kind}"}}}}\n')
    assert [kind for kind, _ in told.messages] == ["stream", "display_data", "update_display_data"]
    assert told.messages[2][1] == {
        "data": {"text/plain": "update"},
        "metadata": {},
        "transient": {"display_id": "x"},
    }


def test_cells_count_from_one() -> None:
    told = Told()
    told.take("error", ename="Error", evalue="x", traceback=["[ command_2:1:1 ]"])
    assert told.messages[0][1]["traceback"] == ["[ In [1] ]"]
    assert told.outputs.error is not None
    told.outputs.begin(shift=-1)  # evcxr counts a cell that was run silently, the notebook does not
    told.take("error", ename="Error", evalue="x", traceback=["[ command_4:1:1 ]"])
    assert told.messages[1][1]["traceback"] == ["[ In [2] ]"]


# A kernel whose cells are run by a second process of the same program, which has started a program of its own.
KERNEL = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
kind = sys.argv[1]
if kind == "kernel":
    subprocess.Popen([sys.executable, __file__, "runner", *sys.argv[2:]])
elif sys.argv[2:]:
    subprocess.Popen(sys.argv[2:])
print("ready", flush=True)
time.sleep(600)
"""


def kernel(tmp_path: Path, *program: str) -> tuple[subprocess.Popen[bytes], psutil.Process]:
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    process = subprocess.Popen([sys.executable, str(script), "kernel", *program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(2):
        process.stdout.readline()
    (runner,) = psutil.Process(process.pid).children()
    return process, runner


def test_an_interrupt_goes_to_the_program_that_the_cell_waits_for(tmp_path: Path) -> None:
    # Not Python, as the kernel is.
    process, runner = kernel(tmp_path, "sleep", "600")
    (program,) = runner.children()
    interrupts = Interrupts(process.pid, lambda cell: cell == 1)
    try:
        interrupts.come(7)
        assert program.is_running(), "a cell that has ended is not interrupted"
        interrupts.come(1)
        wait_for(lambda: is_gone(program.pid))
        assert runner.is_running()
        assert interrupts.killed != 1
    finally:
        kill_tree(process.pid)
    wait_for(lambda: is_gone(runner.pid))
    assert process.wait() == -signal.SIGKILL


def test_one_that_ignores_interrupts_is_killed_at_the_second_and_the_cell_at_the_third(tmp_path: Path) -> None:
    process, runner = kernel(tmp_path, "sh", "-c", "trap '' INT; while :; do sleep 0.1; done")
    (program,) = runner.children()
    interrupts = Interrupts(process.pid, lambda cell: cell == 1)
    try:
        for killed in (False, True):
            interrupts.come(1)
            time.sleep(0.7)
            assert (not program.is_running() or program.status() == psutil.STATUS_ZOMBIE) == killed
        assert runner.is_running()
        interrupts.come(1)
        wait_for(lambda: is_gone(runner.pid))
        assert interrupts.killed == 1
    finally:
        kill_tree(process.pid)
        process.wait()


def test_a_cell_that_waits_for_nothing_is_ended(tmp_path: Path) -> None:
    process, runner = kernel(tmp_path)
    interrupts = Interrupts(process.pid, lambda cell: cell == 1)
    try:
        interrupts.come(1)
        wait_for(lambda: is_gone(runner.pid))
        assert interrupts.killed == 1
        assert process.poll() is None
    finally:
        kill_tree(process.pid)
        process.wait()


@pytest.mark.parametrize(
    ("cell", "compiled", "line"),
    [
        ("let a = 1;\nassert_eq!(a, 2);", "assert_eq!(a, 2);", 2),
        ("let a = 1; assert_eq!(a, 2);", "assert_eq!(a, 2);", 1),
        ("f();\nf();", "f();", None),
        ("f();", "", None),
    ],
)
def test_the_line_of_a_cell_is_found_again_where_there_is_one(
    tmp_path: Path, cell: str, compiled: str, line: int | None
) -> None:
    sources = Sources(tmp_path)
    sources.keep(cell)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").write_text(f"// generated\n{compiled}\n")
    assert sources.line_of_cell(2) == line
    assert sources.line_of_cell(7) is None
