"""`lab bench` from outside."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

import psutil
import pytest
from labs import FIXTURES, Lab
from waiting import is_gone, wait_for

from perflab.bench.interface import reason
from perflab.bench.shell import SHELL, shell_of
from perflab.host.processes import ask
from perflab.measure.presets import PRESETS
from perflab.model.errors import UsageError
from perflab.store.runs import find_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GBENCH = str(FIXTURES / "harness" / "gbench")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"), PERFLAB_CLAIMS=str(FIXTURES / "claims"))
    found.place = tmp_path
    (tmp_path / "words").write_text("b\na\nb\n")
    return found


def test_commands_are_compared_in_the_users_folder(lab: Lab) -> None:
    found = lab.json("bench", "sort -u words", "awk !s[$0]++ words", "cat < words | sort | uniq")
    assert found["baseline"] == "sort -u words"
    assert [one["candidate"] for one in found["comparisons"]] == ["awk !s[$0]++ words", "cat < words | sort | uniq"]
    assert found["metric"]["unit"] == "ns/run"
    assert "cpu" in found["others"]
    run = find_run("latest", lab.results)
    assert (run.samples()["ops"] == 1).all()
    assert [arm.params for arm in run.header.arms][:1] == [{"command": "sort -u words", "shell": "/bin/sh"}]


def test_all_run_in_a_shell_if_one_needs_it(lab: Lab) -> None:
    mixed = ["cat words", "cat < words"]
    notes = lab.json("bench", *mixed)["notes"]
    assert "all commands run in /bin/sh, as 'cat < words' needs it: its start is in every figure" in notes
    assert {arm.params["shell"] for arm in find_run("latest", lab.results).header.arms} == {"/bin/sh"}
    assert not [note for note in lab.json("bench", "true <words", "cat <words")["notes"] if "run in" in note]
    assert not [note for note in lab.json("bench", *mixed, "--shell", "bash --norc")["notes"] if "run in" in note]
    assert find_run("latest", lab.results).header.arms[0].params["shell"] == "bash --norc"
    assert list(lab.json("bench", "true", "cat < words", "-N", status=4)["failures"]) == ["cat < words"]


@pytest.mark.parametrize(
    ("text", "has"),
    [
        *[
            (one, SHELL)
            for one in ("a | b", "a; b", "cat f[12].x", "cat *", "! false", "cd /tmp", "ulimit -n 9", ". ./x")
        ],
        *[(one, SHELL) for one in ("A=1 b", "ls ~", "ls ~/x", 'echo "$HOME"', 'echo "`date`"', 'grep "a\\$" x', "a &")],
        *[
            (one, SHELL)
            for one in ("if a; then b; fi", "exec ls", "(a)", "{ a; }", "a # b", 'echo "$(ls "x y")"', "a\nb")
        ],
        *[
            (one, "")
            for one in ("awk '{print $1 | \"sort\"}' x", "sed 's/[ab]*/(x)/;p' x", "grep 'a|b' x", "echo 'it' \"is\"")
        ],
        *[
            (one, "")
            for one in ("awk !s[$0]++ words", "find . -exec ls {} +", "[ -f x ]", "git show HEAD@{1}", "a \\* b")
        ],
        *[(one, "") for one in ("echo 'a\nb'", 'echo "a;b" x', "echo a~ b#", "x --y=z", "awk {print$1} x")],
    ],
)
def test_what_a_shell_would_replace_gets_one(text: str, has: str) -> None:
    assert shell_of(None, [text], [])[0] == ([has] if has else [])


@pytest.mark.skipif(ask([SHELL, "-c", "[[ a ]]"]) is not None, reason="/bin/sh has more than POSIX asks for")
@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("sleep 0.2 &> /dev/null", "&>"),
        ("true; make |& tee log", "|&"),
        ("diff <(ls) <(ls -a)", "<( )"),
        ("cat <<< x", "<<<"),
        ("echo x; [[ a == b ]]", "[["),
        ("if [[ -f x ]]; then true; fi", "[["),
        ("for i in 1 2; do A=1 source x; done", "source"),
        ("(( 1 + 1 ))", "(( ))"),
        ("echo {1..3}", "{a,b}"),
        ("cat file{1,2}", "{a,b}"),
        ("printf %s $'a\\n'", "$' '"),
        ("a=(1 2)", "an array"),
        ("function f { true; }; f", "function"),
        ("source ./x", "source"),
        ("echo -e x | cat", "echo -e"),
        ('echo "$RANDOM"', "$RANDOM"),
        ('echo "$(cat <<< x)"', "<<<"),
    ],
)
def test_what_sh_does_not_have_is_refused(text: str, lacks: str) -> None:
    for option, commands, others in ((None, [text], []), ("default", ["true", text], []), (None, ["true"], [text])):
        with pytest.raises(UsageError, match=rf"/bin/sh has no {re.escape(lacks)}, as in") as refused:
            shell_of(option, commands, others)
        assert "--shell bash" in refused.value.hint
    assert shell_of("bash", [text], []) == (["bash"], [])


@pytest.mark.parametrize("text", ["echo '[[ a ]]' | cat", "f() { true; }; f", "echo ${HOME} >&2", "echo $((1 + (2)))"])
def test_what_every_shell_has_is_not(text: str) -> None:
    assert shell_of(None, [text], []) == ([SHELL], [])


def test_what_a_command_leaves_running_is_ended(lab: Lab, tmp_path: Path) -> None:
    leaving = "setsid sleep 3001 & sleep 3002 & echo $! > pid"
    found = lab.json("bench", leaving, "true", "--timeout", "20")
    assert found["failures"] == {}
    assert [note for note in found["notes"] if note.startswith(f"{leaving} left processes running")]
    assert found["variants"][leaving]["mean"] < 5e9
    assert is_gone(int((tmp_path / "pid").read_text()))
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "3001"]]


def test_a_command_that_has_nothing_to_do_the_second_time_is_noted(lab: Lab) -> None:
    notes = lab.json("bench", "test -e out || { sleep 0.5; touch out; }", "true")["notes"]
    (said,) = [note for note in notes if "the first run took" in note]
    assert "--prepare" in said


def test_a_run_of_them_is_a_run_like_any_other(lab: Lab) -> None:
    lab("bench", "true", "true")
    assert [one["variants"] for one in lab.json("runs")] == [["true", "true-2"]]
    assert lab.json("compare", "latest", "--metric", "cpu")["metric"]["name"] == "cpu"
    assert lab.json("chart", "latest")["charts"]
    assert lab.json("claims", "toys")


def test_a_person_sees_what_else_was_measured(lab: Lab) -> None:
    said = lab("bench", "true", "sh -c 'sleep 0.01'").stdout
    assert "command time: against true" in said
    assert "What else was measured" in said


def test_memory_is_the_programs_own(lab: Lab) -> None:
    large = "python3 -c 'b = bytearray(60 << 20); b[::4096] = b[::4096]'"
    found = lab.json("bench", "true", large)
    memory = found["others"]["memory"]["variants"]
    assert "true" not in memory
    assert 60 << 20 < memory[large]["mean"] < 90 << 20


def test_a_command_that_fails_now_and_then_drops_out(lab: Lab) -> None:
    flaky = "echo x >> runs; echo no disk >&2; test $(wc -l < runs) -lt 3"
    found = lab.json("bench", "true", flaky, "false", status=4)
    assert found["failures"] == {flaky: "the process ended with status 1", "false": "the process ended with status 1"}
    said = lab("bench", "true", "echo no disk >&2; exit 3", status=4)
    assert "drops out: the process ended with status 3 (log: no disk)" in said.stderr


def test_a_run_ends_when_nobody_is_left_to_compare_with(lab: Lab) -> None:
    said = lab("bench", "false", "true", status=4)
    assert "--ignore-failure counts such runs" in said.stderr
    run = find_run("latest", lab.results)
    assert run.ending
    assert (run.ending.rounds, run.ending.reason) == (PRESETS["smoke"].min_rounds, "failed")


def test_a_failure_may_be_ignored(lab: Lab) -> None:
    assert lab.json("bench", "true", "false", "--ignore-failure")["failures"] == {}


def test_what_it_prints_is_thrown_away_however_much(lab: Lab) -> None:
    assert lab.json("bench", "true", "head -c 100000000 /dev/zero")["failures"] == {}


def test_a_pattern_finds_figures_and_their_unit(lab: Lab) -> None:
    found = lab.json("bench", "--pattern", "([0-9.,e]+) ops/s", "echo 1,000,000 ops/s", "printf '2e6 ops/s 4e6 ops/s'")
    assert found["metric"] == {"name": "figure", "of": "counter:figure/op", "unit": "ops/s", "better": "higher"}
    (comparison,) = found["comparisons"]
    assert comparison["estimate"] == pytest.approx(3)
    recorded = find_run("latest", lab.results).header.arms[0].params
    assert recorded == {"command": "echo 1,000,000 ops/s", "pattern": "([0-9.,e]+) ops/s"}


def test_a_figure_that_depends_on_how_long_a_process_lasts_says_so(lab: Lab) -> None:
    level, falling = "printf '3 ns 3 ns 3 ns 3 ns 3 ns 3 ns'", "printf '9 ns 8 ns 7 ns 3 ns 2 ns 1 ns'"
    notes = lab.json("bench", "--pattern", "(\\d) ns", level, falling, "--rounds", "6")["notes"]
    said = [note for note in notes if "within a process" in note]
    assert said == [f"{falling}: figure goes from 8.50 ns to 1.50 ns within a process: its length matters"]


def test_benchmarks_of_a_harness_are_compared(lab: Lab) -> None:
    found = lab.json("bench", "--gbench", GBENCH, "List", "Clock")
    assert found["metric"]["unit"] == "ns/op"
    (comparison,) = found["comparisons"]
    assert comparison["estimate"] == pytest.approx(10.15 / 5)
    assert list(found["others"]) == ["cpu", "items"]
    arms = find_run("latest", lab.results).header.arms
    assert [arm.params for arm in arms] == [{"gbench": GBENCH, "benchmark": name} for name in ("List", "Clock")]


def test_two_builds_of_one_benchmark_are_compared(lab: Lab, tmp_path: Path) -> None:
    for build in ("old=1 @", "new"):
        shutil.copy(GBENCH, tmp_path / build)
    found = lab.json("bench", "--gbench", "./old=1 @", "--gbench", "./new", "Clock")
    assert list(found["variants"]) == ["Clock @ ./old=1 @", "Clock @ ./new"]
    assert found["baseline"] == "Clock @ ./old=1 @"
    assert find_run("latest", lab.results).header.component == "gbench-old-1"


def test_a_program_on_the_path_does_not_take_the_benchmarks_place(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("old", "new", "bin/Clock"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        shutil.copy(GBENCH, tmp_path / place)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    found = lab.json("bench", "./old", "./new", "--gbench", "Clock")
    assert list(found["variants"]) == ["Clock @ ./old", "Clock @ ./new"]


def test_a_long_command_is_cut_in_tables_and_whole_below(lab: Lab) -> None:
    long = f"test {'x' * 100} = {'x' * 100}"
    assert long in lab("bench", "true", long).stdout


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["nosuch-program", "true"], 3, "cannot start nosuch-program: No such file"),
        (["", "true"], 2, "a command is empty"),
        (["echo \udcff", "true"], 2, "is not valid UTF-8"),
        (["echo 'x", "true"], 2, "No closing quotation"),
        (["true", "true", "--sample", "5"], 2, "leave --sample and --samples out"),
        (["true", "--metric", "memry"], 2, "did you mean 'memory'"),
        (["true", "--unit", "ns"], 2, "add --pattern REGEX"),
        (["true", "--pattern", "[0-9]+"], 2, "has no group"),
        (["true", "--pattern", "("], 2, "no regular expression"),
        (["true", "--pattern", "([0-9]+)", "--better", "lower"], 4, "matches nothing that it printed"),
        (["echo x", "--pattern", "(.)", "--better", "lower"], 4, "finds 'x', which is no number"),
        (["echo nan", "--pattern", "(.+)", "--better", "lower"], 4, "finds 'nan', which is no number"),
        (["yes 7", "--pattern", "([0-9])", "--better", "lower"], 4, "more than 32 MiB"),
        (["List", "--gbench", GBENCH, "--pattern", "(x)"], 2, "one harness at a time"),
        (["List", "--gbench", GBENCH, "--ignore-failure"], 2, "is for commands"),
        (["Lst", "--gbench", GBENCH], 2, "did you mean 'List'"),
        (["Get", "--gbench", GBENCH], 2, "name one: Get/8, Get/64"),
        (["List", "Clock", "--gbench", GBENCH, "--gbench", GBENCH], 2, "several builds are compared by one benchmark"),
        (["List", "--gbench", "/no/such"], 3, "cannot start /no/such"),
        (["x" * 300, "--gbench", "/no/such"], 3, "cannot start /no/such"),
        (["List", "--gbench", "words"], 3, "cannot start ./words: Permission denied"),
        (["List", "--jmh", "no.jar"], 2, "there is no file no.jar"),
        (["List", "--pyperf", "no.py"], 2, "there is no file no.py"),
    ],
)
def test_bad_input_is_one_line_with_the_right_status(
    lab: Lab, arguments: Sequence[str], status: int, says: str
) -> None:
    said = lab("bench", *arguments, status=status).stderr
    assert says in said
    assert [line for line in said.splitlines() if line.startswith("error: ")] != []


def test_a_program_is_found_in_the_folder_by_its_bare_name(lab: Lab, tmp_path: Path) -> None:
    shutil.copy(GBENCH, tmp_path / "true")  # as one on the PATH
    said = lab("bench", "--gbench", "true", "Clock")
    assert "Clock" in said.stdout
    assert "only one benchmark, so nothing to compare" in said.stderr
    assert "only one benchmark" not in lab("bench", "--gbench", "true", "Clock", "List").stderr


def test_the_hint_below_an_error_is_not_the_error() -> None:
    printed = b"go: cannot find main module\n\tto create a module there, run:\n\tgo mod init\n"
    assert reason(printed) == "go: cannot find main module"
    assert reason(b"  indented\n  alone\n") == "alone"
    assert reason(b" \n") == ""


def test_a_package_may_bring_a_harness(lab: Lab, tmp_path: Path) -> None:
    package = tmp_path / "site"
    (package / "mine-1.dist-info").mkdir(parents=True)
    (package / "mine-1.dist-info" / "METADATA").write_text("Name: mine\nVersion: 1\n")
    (package / "mine-1.dist-info" / "entry_points.txt").write_text(
        "[perflab.bench]\nmine = mine:Mine\nbad = mine:Bad\n"
    )
    (package / "mine.py").write_text(
        """
from perflab.bench.interface import Harness, sample
from perflab.model.protocol import Scenario

class Mine(Harness):
    about = "mine"
    scenario = Scenario("time", "a turn", "ns/op", "lower")

    def benchmarks(self, target):
        return ["one", "two"]

    def command(self, target, benchmark, shape):
        return ["echo", target, benchmark, str(shape.samples)]

    def samples(self, ended, benchmark, shape):
        assert ended.output.split() == [b"box", benchmark.encode(), b"2"]
        return [sample(i, 10, 1000.0 if benchmark == "one" else 500.0, {}) for i in range(shape.samples)]
"""
    )
    path = os.pathsep.join([str(package), lab.environment["PYTHONPATH"]])
    out, err = lab.start("bench", "--mine", "box", "one", "two", "--json", PYTHONPATH=path).communicate()
    assert json.loads(out)["comparisons"][0]["estimate"] == pytest.approx(2), err
    bad = lab.start("bench", "--bad", "x", "y", PYTHONPATH=path)
    assert "bad of mine:Bad cannot be loaded" in bad.communicate()[1]
    assert bad.returncode == 2


def test_nothing_runs_on_when_the_lab_is_killed(lab: Lab) -> None:
    process = lab.start("bench", "sleep 300", "true")
    tree = psutil.Process(process.pid)
    wait_for(lambda: any(one.name() == "sleep" for one in tree.children(recursive=True)))
    started = [one.pid for one in tree.children(recursive=True)]
    process.kill()
    process.communicate()
    for pid in started:
        wait_for(lambda pid=pid: is_gone(pid))  # type: ignore[misc]


def test_until_goes_on_to_a_width_and_says_how_long_that_takes(lab: Lab) -> None:
    done = lab("bench", "sleep 0.01", "sleep 0.03", "--until", "90%", "--json", PERFLAB_PRESET="quick")
    assert "±90.0 % takes about" in done.stderr
    header = find_run("latest", lab.results).header
    assert (header.options["half_width"], header.options["budget_s"]) == (0.9, 86_400)
    assert find_run("latest", lab.results).ending.reason == "precision"
    assert "a share is written as 1% or 0.01" in lab("bench", "true", "true", "--until", "x", status=2).stderr


def test_a_quick_bench_takes_six_seconds_more_for_each_further_one(lab: Lab) -> None:
    for number, budget_s in ((2, 9), (4, 21)):
        lab.json("bench", *["sleep 0.001"] * number, "--quick", "--precision", "1", PERFLAB_PRESET="quick")
        assert find_run("latest", lab.results).header.options["budget_s"] == budget_s
