"""GoogleTest programs under the lab's names of tests."""

import os
import sys
from pathlib import Path

import pytest

from perflab.topics import googletest


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A test program that writes down what it was told, and fails."""
    path = tmp_path / "tests"
    path.write_text(
        f"#!{sys.executable}\nimport os, pathlib, sys\n"
        "folder = pathlib.Path(os.environ['GTEST_OUTPUT'].removeprefix('xml:'))\n"
        "told = [os.environ.get('GTEST_FILTER', 'all'), *sys.argv[1:]]\n"
        "(folder / 'tests.xml').write_text(' '.join(told))\n"
        "sys.exit(1)\n"
    )
    path.chmod(0o755)
    return path


def test_reports_of_earlier_runs_are_gone_and_the_programs_status_is_kept(tmp_path: Path, program: Path) -> None:
    reports = tmp_path / "target" / "reports"
    reports.mkdir(parents=True)
    (reports / "gone.xml").touch()
    assert googletest.main([str(reports), str(program), "--gtest_shuffle"]) == 1
    assert [path.name for path in reports.iterdir()] == ["tests.xml"]
    assert (reports / "tests.xml").read_text() == "all --gtest_shuffle"
    assert "GTEST_OUTPUT" not in os.environ
    assert googletest.main([str(reports), "--only", "Race#loses,Ring#wraps", str(program)]) == 1
    told = (reports / "tests.xml").read_text()
    assert told == "Race.loses:*/Race.loses/*:Race/*.loses:Ring.wraps:*/Ring.wraps/*:Ring/*.wraps"
