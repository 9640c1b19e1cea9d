"""JUnit XML, as CI servers read it: a suite for each scenario, a test case for each metric of each variant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflab.charts.quantities import percent, quantity
from perflab.gates.gate import detectable, how, improvement, warnings

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite

    from perflab.analysis import MetricVerdict, NotCompared, Regressions
    from perflab.gates.gate import Gate

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(gate: Gate) -> bytes:
    """The verdicts as JUnit XML in UTF-8.

    A regression is a failure, a variant that dropped out an error; what is inconclusive or was not compared is skipped,
    with the reason. Everything else has passed.
    """
    from junitparser import JUnitXml  # noqa: PLC0415 - only a gate needs it

    whole = JUnitXml(f"perflab {gate.header.component}")
    for found in gate.found:
        whole.append(_suite(gate, found))
    for suite, found in zip(whole, gate.found, strict=True):
        suite.update_statistics()
        # A suite takes as long as its run, in which the metrics of all variants were measured at once.
        suite.time = _seconds(found)
    # Not by update_statistics, which also counts what is skipped: the schema has no place for that here.
    whole.tests, whole.failures, whole.errors = (
        sum(getattr(suite, name) for suite in whole) for name in ("tests", "failures", "errors")
    )
    whole.time = round(sum(map(_seconds, gate.found)), 3)
    written: bytes = whole.tostring()
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + written + b"\n"


def _suite(gate: Gate, found: Regressions) -> TestSuite:
    from junitparser import Error, TestSuite  # noqa: PLC0415

    header = found.again.run.header
    name = _clean(f"perflab.{header.component}.{header.scenario.name}")
    suite = TestSuite(name)
    suite.timestamp = header.created.partition("+")[0]
    facts = {
        "machine": header.machine.title,
        "compared": f"{gate.now} against {gate.then}",
        "command": gate.command,
        "how": how(found),
    }
    for key, value in facts.items():
        suite.add_property(key, _clean(value))
    for verdict in found.verdicts:
        suite.add_testcase(_case(name, verdict))
    for left_out in found.not_compared:
        suite.add_testcase(_left_out(name, left_out))
    for label, why in found.failures.items():
        case = _named(name, f"{label} runs")
        case.result = [Error(_clean(why), "failed")]
        suite.add_testcase(case)
    if said := warnings(found):
        # It comes last, as the schema has it.
        from junitparser import SystemOut  # noqa: PLC0415

        suite.append(SystemOut(_clean("\n".join(said))))
    return suite


def _case(suite: str, one: MetricVerdict) -> TestCase:
    from junitparser import Failure, Skipped  # noqa: PLC0415

    case = _named(suite, f"{one.variant}: {one.comparison.metric}")
    comparison = one.comparison
    figures = (
        f"{improvement(comparison)}, above 1 is better; it may be worse by {percent(one.threshold.worse_by)}, "
        f"and was {quantity(one.then, comparison.unit)}, is {quantity(one.now, comparison.unit)}"
    )
    if comparison.scale != "ratio":
        figures = figures.replace("above 1", "above 0")
    if one.word == "regression":
        result = Failure(_clean(f"regression: {figures}"), "regression")
        result.text = _clean("\n".join([*comparison.flags, f"threshold: {one.threshold.source or 'of the manifest'}"]))
        case.result = [result]
    elif one.word == "inconclusive":
        case.result = [Skipped(_clean(f"inconclusive: {figures}; finds from {detectable(comparison)}"))]
    return case


def _left_out(suite: str, one: NotCompared) -> TestCase:
    from junitparser import Skipped  # noqa: PLC0415

    case = _named(suite, f"{one.variant or 'all variants'}: {one.metric or 'all metrics'}")
    case.result = [Skipped(_clean(f"not compared: {one.reason}"))]
    return case


def _named(suite: str, name: str) -> TestCase:
    from junitparser import TestCase  # noqa: PLC0415

    return TestCase(_clean(name), suite)


def _seconds(found: Regressions) -> float:
    ending = found.again.run.ending
    return round(ending.wall_s, 3) if ending else 0.0


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
