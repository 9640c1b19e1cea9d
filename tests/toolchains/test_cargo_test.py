"""The JUnit report of `cargo test`."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from perflab.topics import cargo_test

PRINTED = """\
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.01s
     Running unittests src/lib.rs (target/debug/deps/toy_lab-0123456789abcdef)

running 3 tests
test mailbox::tests::closes_once ... ok
test mailbox::tests::long_one ... ignored, takes a minute
test registry::forgets - should panic ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/restart.rs (target/debug/deps/restart-0123456789abcdef)

running 1 test
test keeps_the_order ... FAILED

failures:

---- keeps_the_order stdout ----

thread 'keeps_the_order' panicked at tests/restart.rs:3:5:
\x1b[31m2 before 1\x1b[0m

failures:
    keeps_the_order

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests toy_lab

running 1 test
test src/lib.rs - Mailbox::close (line 12) ... ok
"""


def test_tests_are_named_after_their_module_and_a_failure_says_why(tmp_path: Path) -> None:
    cases = cargo_test.read(PRINTED.splitlines())
    assert [(case.title, case.outcome) for case in cases] == [
        ("mailbox#closes_once", "ok"),
        ("mailbox#long_one", "ignored"),
        ("registry#forgets", "ok"),
        ("restart#keeps_the_order", "FAILED"),
        ("doc#src/lib.rs - Mailbox::close (line 12)", "ok"),
    ]
    assert cases[1].why == "takes a minute"
    report = tmp_path / "reports" / "TEST-toy.xml"
    cargo_test.write(report, cases)
    reported = ET.parse(report).getroot().findall("testcase")  # noqa: S314 - our own
    assert len(reported) == 5
    (failure,) = [case for case in reported if case.find("failure") is not None]
    assert (failure.get("classname"), failure.get("name")) == ("restart", "keeps_the_order")
    message = failure.find("failure")
    assert message is not None
    assert "2 before 1" in message.get("message", "")
    assert [case.get("name") for case in reported if case.find("skipped") is not None] == ["long_one"]


def test_chosen_ones_are_run_and_reported_alone_with_cargos_status(tmp_path: Path) -> None:
    cargo = tmp_path / "cargo"
    asked = tmp_path / "asked"
    cargo.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(asked)!r}, 'w').write(' '.join(sys.argv[1:]))\n"
        f"print({PRINTED!r})\nsys.exit(101)\n"
    )
    cargo.chmod(0o755)
    report = tmp_path / "TEST-toy.xml"
    status = cargo_test.main(
        [str(report), "--only", "restart#keeps_the_order,mailbox#closes_once", str(cargo), "test", "--locked"]
    )
    assert status == 101
    assert asked.read_text() == "test --locked -- keeps_the_order closes_once"
    names = [case.get("name") for case in ET.parse(report).getroot().iter("testcase")]  # noqa: S314 - our own
    assert names == ["closes_once", "keeps_the_order"]
