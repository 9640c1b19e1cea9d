"""JUnit XML: what a CI server counts, and the schema that they share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from perflab.claims.regression import junit

if TYPE_CHECKING:
    from perflab.claims.regression import Gate


def test_a_regression_is_a_failure_and_what_is_unknown_is_skipped(gate: Gate) -> None:
    (suite,) = JUnitXml.fromstring(junit(gate))
    cases = {case.name: case.result for case in suite}
    assert set(cases) == {
        "same: sum",
        "slower: sum",
        "faster: sum",
        "noisy: sum",
        "all variants: p50",
        "new: all metrics",
        "lost runs",
    }
    assert cases["same: sum"] == cases["faster: sum"] == []
    (failure,) = cases["slower: sum"]
    assert isinstance(failure, Failure)
    assert failure.message.startswith("regression: 0.77x [")
    assert "it may be worse by 5.0 %, and was 100 ns, is 130 ns" in failure.message
    (inconclusive,) = cases["noisy: sum"]
    assert isinstance(inconclusive, Skipped)
    assert inconclusive.message.startswith("inconclusive: ")
    (new,) = cases["all variants: p50"]
    assert isinstance(new, Skipped)
    assert new.message == "not compared: is new since 1a2b3c4"
    (lost,) = cases["lost runs"]
    assert isinstance(lost, Error)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (7, 1, 1, 3)
    assert {one.name: one.value for one in suite.properties()}["command"] == gate.command


def test_it_keeps_to_the_schema(gate: Gate) -> None:
    """What Jenkins' junit-10.xsd asks for: these elements, in this order, with these attributes."""
    root = ET.fromstring(junit(gate))  # noqa: S314 - our own
    assert root.tag == "testsuites"
    assert set(root.attrib) <= {"name", "time", "tests", "failures", "errors"}
    for suite in root:
        tags = [child.tag for child in suite]
        assert tags == sorted(tags, key=["properties", "testcase", "system-out"].index)
        assert {"name", "tests", "failures", "errors"} <= set(suite.attrib)
        assert set(suite.attrib) <= {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}
        assert float(suite.attrib["time"]) == 1.0
        for case in suite.iter("testcase"):
            assert set(case.attrib) == {"name", "classname"}
            assert {child.tag for child in case} <= {"skipped", "error", "failure"}
            assert all(set(child.attrib) <= {"message", "type"} for child in case)
    counted = {name: sum(int(suite.attrib[name]) for suite in root) for name in ("tests", "failures", "errors")}
    assert counted == {name: int(root.attrib[name]) for name in counted}


@given(note=st.text(max_size=40), command=st.text(max_size=40))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_text_can_be_read_back(gate: Gate, note: str, command: str) -> None:
    gate.found[0].notes[:] = [note]
    (suite,) = JUnitXml.fromstring(junit(type(gate)(gate.found, command)))
    assert suite.tests == 7


def test_any_date_of_a_gate_can_be_read_back(gate: Gate) -> None:
    (one,) = gate.found
    run = one.compared.run
    foreign = replace(run, header=msgspec.structs.replace(run.header, created="2026\x01"))
    one = replace(one, compared=replace(one.compared, run=foreign))
    (suite,) = JUnitXml.fromstring(junit(type(gate)([one], gate.command)))
    assert suite.timestamp == "2026"
