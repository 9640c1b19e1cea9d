"""Without the extras, `bench` works, and what needs one says which."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from labs import commit

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

# Modules of the extras, and what they bring.
EXTRAS = (
    "IPython ipykernel ipywidgets jinja2 kaleido markdown_it markupsafe nbconvert nbformat nh3 pandas PIL "
    "plotly pyarrow"
)
BARE = f"""
import sys
sys.modules.update(dict.fromkeys("{EXTRAS} optuna distributed".split()))
from perflab.__main__ import main
main()
"""

STARTED = """
import os, sys
def tell(event, _):
    if event == "subprocess.Popen":
        os.write(2, " ".join(sys.modules).encode())
        os._exit(0)
sys.addaudithook(tell)
from perflab.__main__ import main
try:
    main()
finally:
    tell("subprocess.Popen", ())
"""


def run(folder: Path, *words: str, program: str = BARE) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERFLAB_")}
    environment |= {"PYTHONPATH": str(CHECKOUT / "src"), "PERFLAB_LOCK": str(folder / "lock")}
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_bench_needs_no_extra(tmp_path: Path) -> None:
    done = run(tmp_path, "bench", "true", "true #", "--preset", "smoke")
    assert done.returncode == 0, done.stderr
    assert "true #" in done.stdout


def test_a_gate_needs_no_extra(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)  # noqa: S607
    (tmp_path / "perflab.toml").write_text(
        "version = 1\n[bench.echo]\ncompare = ['echo 7 ns']\npattern = '(\\d+) ns'\n"
    )
    commit(tmp_path, "Begin")
    done = run(tmp_path, "gate", "HEAD", "--minutes", "1", "--junit", "gate.xml", "--markdown", "gate.md")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 no difference" in done.stdout


@pytest.mark.parametrize(("command", "extra"), [("report", "report"), ("chart latest", "report")])
def test_what_needs_an_extra_says_which(tmp_path: Path, command: str, extra: str) -> None:
    run(tmp_path, "bench", "true", "true #", "--preset", "smoke")
    done = run(tmp_path, *command.split())
    assert done.returncode == 3, done.stdout
    error, fix = done.stderr.splitlines()[-2:]
    assert error.startswith("error: this needs the Python package ")
    assert fix == f"  fix: pip install 'perflab[{extra}]'"


@pytest.mark.parametrize(
    ("words", "reached", "unneeded"),
    [
        (["--help"], "click", {"msgspec", "numpy", "psutil", "rich", "scipy", "yaml"}),
        (["bench", "true", "true #", "--preset", "smoke"], "perflab.measure.measure", {"numpy", "rich", "scipy"}),
    ],
    ids=["help", "bench"],
)
def test_a_first_answer_and_a_first_process_wait_for_no_large_package(
    tmp_path: Path, words: list[str], reached: str, unneeded: set[str]
) -> None:
    loaded = set(run(tmp_path, *words, program=STARTED).stderr.rpartition("\n")[2].split())
    assert reached in loaded
    assert loaded & unneeded == set()


def test_few_packages_are_needed_by_all() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(project["dependencies"]) <= 10
    assert {"notebook", "report", "search", "cluster", "dev"} <= set(project["optional-dependencies"])
