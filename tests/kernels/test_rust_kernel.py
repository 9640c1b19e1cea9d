"""What a notebook's reader sees of the Rust kernel."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from rustkernel import install, started

from .conftest import Cell, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.kernelspec import KernelSpecManager

pytestmark = pytest.mark.notebook


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> KernelSpecManager:
    return install(tmp_path_factory.mktemp("jupyter"))


@pytest.fixture(scope="module")
def rust(specs: KernelSpecManager, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("notebooks")
    with started(specs, folder) as (manager, client):
        yield Kernel(manager, client, folder)


def printed(kernel: Kernel, code: str, name: str = "stdout") -> str:
    return "".join(one["text"] for one in kernel.run(code).of("stream") if one["name"] == name)


def listing(cell: Cell) -> str:
    """The traceback of a cell without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(cell.error["traceback"]))


def interrupted(kernel: Kernel, code: str) -> dict[str, Any]:
    """The error of a cell that says "running" and is then interrupted."""
    done: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if not done and message["msg_type"] == "stream" and "running" in message["content"]["text"]:
            done.append(True)
            kernel.manager.interrupt_kernel()

    return kernel.run(f'println!("running");\n{code}', on_message=interrupt).error


def test_state_lives_on_in_later_cells(rust: Kernel) -> None:
    rust.run("struct Cup { volume: u32 }\nfn twice(i: u32) -> u32 { 2 * i }\nlet mut cup = Cup { volume: 7 };")
    rust.run("cup.volume += twice(4);")
    assert rust.run("cup.volume").text == "15"


def test_cells_are_numbered_from_one(specs: KernelSpecManager, tmp_path: Path) -> None:
    with started(specs, tmp_path) as (manager, client):
        kernel = Kernel(manager, client, tmp_path)
        assert [kernel.run("1").number, kernel.run("2").number] == [1, 2]
        (result,) = kernel.run("3").of("execute_result")
        assert result["execution_count"] == 3
        assert " In [4] " in listing(kernel.run("let x: u32 = true;"))


def test_a_compile_error_has_its_line_and_the_variables_stay(rust: Kernel) -> None:
    rust.run("let kept = 42;")
    cell = rust.run("let fine = 1;\nlet broken: u32 = true;")
    assert "mismatched types" in cell.error["evalue"]
    assert "2 │ let broken: u32 = true;" in listing(cell)
    assert rust.run("kept").text == "42"


def test_a_panic_is_the_cells_error_with_its_line_and_the_variables_stay(rust: Kernel) -> None:
    rust.run("let kept = 41;")
    cell = rust.run('let fine = 1;\nassert_eq!(fine, 2, "not two");')
    assert cell.error["ename"] == "Panic"
    assert "not two" in cell.error["evalue"]
    assert cell.error["traceback"][-1] == "  panicked in line 2 of the cell"
    assert not cell.of("stream")
    assert rust.run("kept").text == "41"


def test_a_panic_of_another_thread_is_not_the_cells(rust: Kernel) -> None:
    cell = rust.run('std::thread::spawn(|| panic!("elsewhere")).join().is_err()')
    assert not cell.of("error")
    assert cell.text == "true"
    assert "elsewhere" in "".join(one["text"] for one in cell.of("stream"))


def test_cells_that_were_asked_for_after_one_that_fails_are_not_run(rust: Kernel) -> None:
    rust.run("let mut ran = 0;")
    asked = [rust.client.execute(code) for code in ("ran += 1; None::<u32>.unwrap();", "ran += 10;")]
    statuses = {}
    while len(statuses) < len(asked):
        reply = rust.client.get_shell_msg(timeout=600)
        statuses[reply["parent_header"]["msg_id"]] = reply["content"]["status"]
    assert [statuses[one] for one in asked] == ["error", "aborted"]
    assert rust.run("ran").text == "1"


def test_output_comes_while_the_cell_runs(rust: Kernel) -> None:
    seen: list[tuple[str, float]] = []

    def note(message: dict[str, Any]) -> None:
        seen.append((message["msg_type"], time.monotonic()))

    rust.run('println!("now"); std::thread::sleep(std::time::Duration::from_secs(2));', on_message=note)
    first = next(at for kind, at in seen if kind == "stream")
    assert seen[-1][1] - first > 1


def test_any_mime_type(rust: Kernel) -> None:
    (result,) = rust.run('println!("EVCXR_BEGIN_CONTENT application/json\\n{{\\"a\\": [1]}}\\nEVCXR_END_CONTENT");').of(
        "execute_result"
    )
    assert result["data"] == {"application/json": {"a": [1]}}


def test_a_flood_does_not_drown_the_end_of_the_cell(rust: Kernel) -> None:
    cell = rust.run('for i in 0..200_000 { println!("line {i} of many"); }\n"the end"')
    text = "".join(one["text"] for one in cell.of("stream"))
    assert text.startswith("line 0 of many\nline 1 of many\n")
    assert "the rest is left out" in text
    assert cell.text == '"the end"'


def test_an_interrupt_reaches_the_program_that_a_cell_waits_for_and_variables_stay(rust: Kernel) -> None:
    rust.run("let kept = 43;")
    cell_ended: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if not cell_ended and message["msg_type"] == "stream":
            cell_ended.append(True)
            time.sleep(0.3)
            rust.manager.interrupt_kernel()

    cell = rust.run(
        'println!("running");\n'
        'let status = std::process::Command::new("sleep").arg("600").status().unwrap();\n'
        "std::os::unix::process::ExitStatusExt::signal(&status)",
        on_message=interrupt,
    )
    assert cell.text == "Some(2)"
    assert rust.run("kept").text == "43"


def test_an_endless_loop_is_ended_with_its_variables_and_the_kernel_lives(rust: Kernel) -> None:
    rust.run("let lost = 44;")
    error = interrupted(rust, "loop { std::thread::sleep(std::time::Duration::from_millis(1)); }")
    assert error["ename"] == "Interrupted"
    assert "variables are lost" in error["traceback"][-1]
    assert "cannot find value `lost`" in "\n".join(rust.run("lost").error["traceback"])
    assert rust.run("1 + 1").text == "2"


def test_an_interrupt_between_cells_does_nothing(rust: Kernel) -> None:
    rust.run("let kept = 45;")
    rust.interrupt()
    assert rust.run("kept").text == "45"


def test_a_crash_is_told_and_the_kernel_lives(rust: Kernel) -> None:
    error = rust.run("std::process::abort();").error
    assert "SIGABRT" in error["evalue"]
    assert rust.run("1 + 1").text == "2"


def test_a_library_that_is_a_dylib_has_one_copy_for_all_cells(rust: Kernel, tmp_path: Path) -> None:
    source = tmp_path / "counter" / "src" / "lib.rs"
    source.parent.mkdir(parents=True)
    source.write_text(
        "use std::sync::atomic::{AtomicU32, Ordering};\nstatic COUNT: AtomicU32 = AtomicU32::new(0);\n"
        "pub fn next() -> u32 { COUNT.fetch_add(1, Ordering::SeqCst) }\n"
    )
    manifest = '[package]\nname = "counter"\nversion = "0.0.0"\nedition = "2024"\n[lib]\ncrate-type = ["dylib"]\n'
    (source.parents[1] / "Cargo.toml").write_text(manifest)
    assert rust.run(f':dep counter = {{ path = "{source.parents[1]}" }}\ncounter::next()').text == "0"
    assert rust.run("counter::next()").text == "1"


def test_restart_begins_anew_and_shutdown_leaves_no_process(specs: KernelSpecManager, tmp_path: Path) -> None:
    with started(specs, tmp_path) as (manager, client):
        kernel = Kernel(manager, client, tmp_path)
        kernel.run("let gone = 1;")
        manager.restart_kernel(now=False)
        client.wait_for_ready(timeout=600)
        assert "cannot find value `gone`" in "\n".join(kernel.run("gone").error["traceback"])
        relay = psutil.Process(manager.provisioner.process.pid)
        processes = relay.children(recursive=True)
        assert len(processes) >= 2
        manager.shutdown_kernel()
        _, alive = psutil.wait_procs(processes, timeout=10)
        assert not alive


def test_a_second_kernel_finds_what_the_first_has_compiled(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    crate = tmp_path / "slow"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(
        '[package]\nname = "slow"\nversion = "0.0.0"\nedition = "2024"\nbuild = "build.rs"\n'
    )
    (crate / "src" / "lib.rs").write_text("pub fn one() -> u32 { 1 }\n")
    # What it writes grows with each time it is compiled.
    counted = tmp_path / "compiled"
    (crate / "build.rs").write_text(
        "use std::io::Write;\nfn main() { std::fs::OpenOptions::new().append(true).create(true)"
        f'.open("{counted}").unwrap().write_all(b"x").unwrap(); }}\n'
    )
    prefix = tmp_path_factory.mktemp("jupyter")
    for _ in range(2):
        with started(install(prefix), tmp_path) as (manager, client):
            kernel = Kernel(manager, client, tmp_path)
            first = kernel.run(f':dep slow = {{ path = "{crate}" }}\nslow::one()')
            assert first.text == "1"
            said = "".join(one["text"] for one in first.of("stream"))
            assert re.fullmatch(r"evcxr started in \d+ s, and this cell took \d+ s; what it has .*\n", said)
            assert not kernel.run("slow::one()").of("stream")
    assert counted.read_text() == "x"
