"""Reading valgrind's profiles, and the processor's own counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import BenchError, MissingError
from perflab.profile.callgrind import Callgrind, find_valgrind, parse
from perflab.profile.counters import read_hardware

if TYPE_CHECKING:
    from pathlib import Path

# A call to `hash`, which is recursive, from `work`, which `main` calls; `(1)` stands for the name that was told before.
PROFILE = """# callgrind format
version: 1
creator: callgrind-3.19.0
positions: line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
summary: 142 20 0 0 3

ob=(1) /program
fl=(1) program.cpp
fn=(1) work(unsigned long)'main'(below main)'0x000000000001ab70
0 100 20 0 0 3
cfn=(2) hash(unsigned long)'work(unsigned long)'main
calls=4 0
0 42
+3 5

fn=(2)
0 30 0 0 0 0 0 0 0 0 7 2
fn=(3) hash(unsigned long)'2'work(unsigned long)'main
* 7
"""


def test_a_function_has_its_own_events_and_none_of_what_it_calls(tmp_path: Path) -> None:
    (tmp_path / "out.7.1").write_text(PROFILE)
    part = parse(tmp_path / "out.7.1")
    assert part.instructions == {
        ("main", "work(unsigned long)"): 105,
        ("main", "work(unsigned long)", "hash(unsigned long)"): 37,
    }
    assert part.counts == {
        "instructions": 142,
        "data-reads": 20,
        "data-writes": 0,
        "first-level-misses": 3,
        "last-level-misses": 0,
        "branches": 7,
        "mispredictions": 2,
    }


def test_a_shorter_part_is_taken_from_a_longer_one(tmp_path: Path) -> None:
    (tmp_path / "long").write_text(PROFILE)
    (tmp_path / "short").write_text("events: Ir Dr\nfn=(1) work(unsigned long)'main\n0 105 1\nfn=(2) start'main\n0 8\n")
    left = parse(tmp_path / "long").plus(parse(tmp_path / "short"), -1)
    assert left.counts["instructions"] == 142 - 113
    assert left.counts["data-reads"] == 19
    # What only the shorter one did is no instruction of the difference.
    assert left.instructions == {("main", "work(unsigned long)", "hash(unsigned long)"): 37}


def test_only_what_lies_between_the_marks_is_a_part(tmp_path: Path) -> None:
    for name in ("out.7", "out.7.1", "out.7.2", "out.7.10"):
        (tmp_path / name).write_text(f"events: Ir\nfn=(1) main\n0 {len(name)}{name[-1]}\n")
    marked = Callgrind(tmp_path, between=("begin", "end")).parts()
    assert [part.counts["instructions"] for part in marked] == [71, 72, 80]
    (whole,) = Callgrind(tmp_path).parts()
    assert whole.counts["instructions"] == 57 + 71 + 72 + 80


def test_what_valgrind_does_not_know_is_told(tmp_path: Path) -> None:
    (tmp_path / "log.7").write_text("vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7C 0x48\n")
    with pytest.raises(BenchError, match="counted nothing") as raised:
        Callgrind(tmp_path).parts()
    assert "AVX-512" in raised.value.hint


def test_a_count_of_the_processor_needs_the_whole_time() -> None:
    text = """# started on Sun Nov 29 15:00:00 2026

1289034,,instructions:u,1203420,100.00,1.12,insn per cycle
1150923,,cycles:u,1203420,100.00,,
<not supported>,,cache-misses:u,0,100.00,,
5021,,branch-misses:u,602100,50.03,,
"""
    assert read_hardware(text) == {"hardware-instructions": 1289034, "hardware-cycles": 1150923}


def test_without_valgrind_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingError) as raised:
        find_valgrind()
    assert "apt install valgrind" in raised.value.hint
