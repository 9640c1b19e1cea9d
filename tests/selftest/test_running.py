"""What a step's reports say is counted, and a test that failed is named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perflab.selftest import Step, run_step

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """
<testsuites><testsuite>
  <testcase classname="mailbox.OrderTest" name="first_in_first_out"/>
  <testcase classname="mailbox.OrderTest" name="wakes"><failure message="expected: true&#10;but: false"/></testcase>
  <testcase classname="mailbox.OrderTest" name="ends"><error>Timeout\nat line 7</error></testcase>
  <testcase classname="mailbox.OrderTest" name="large"><skipped message="too little memory"/></testcase>
</testsuite></testsuites>
"""


def test_a_step_names_the_tests_that_failed_with_the_first_line_of_what_they_said(tmp_path: Path) -> None:
    write = f"import pathlib, sys; pathlib.Path('report.xml').write_text({REPORT!r}); sys.exit(1)"
    result = run_step(Step("mailbox", "", [[sys.executable, "-c", write]], reports=[(tmp_path, "*.xml")], cwd=tmp_path))
    assert not result.ok
    assert (result.passed, result.failed, result.skipped) == (1, 2, 1)
    assert result.failures == ["mailbox.OrderTest.wakes: expected: true", "mailbox.OrderTest.ends: Timeout"]
    assert result.skips == ["too little memory"]


def test_a_step_without_reports_names_the_command_that_failed_and_runs_none_after_it(tmp_path: Path) -> None:
    fine, wrong, never = ([sys.executable, "-c", f"import sys; sys.exit({status})"] for status in (0, 2, 0))
    result = run_step(Step("lint", "", [fine, wrong, never], cwd=tmp_path))
    assert (result.ok, result.passed, result.failed) == (False, 1, 1)
    assert len(result.failures) == 1
    assert "sys.exit(2)" in result.failures[0]
