"""A gate: the verdicts of several scenarios, as JUnit XML and as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junitparser import Error, Failure, JUnitXml, Skipped, SystemOut, TestCase, TestSuite

from perflab.model.format import percent, quantity
from perflab.topics.testing import writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.claims.regression import MetricVerdict, Regressions
    from perflab.store.records import RunHeader


@dataclass(frozen=True)
class Gate:
    """The verdicts of all scenarios, at least one, and the command line that made them."""

    found: Sequence[Regressions]
    command: str

    @property
    def header(self) -> RunHeader:
        """The first run's header; all runs have its machine and topic."""
        return self.found[0].compared.run.header

    @property
    def then(self) -> str:
        """The name of the baseline."""
        return self.found[0].compared.baseline

    @property
    def now(self) -> str:
        """The name of the candidate."""
        return self.found[0].compared.candidate or "this"

    @property
    def counts(self) -> Counter[str]:
        """Number of metrics by verdict; `failed` counts variants that dropped out."""
        words = Counter(one.word for each in self.found for one in each.verdicts)
        return Counter[str](words) + Counter({"failed": sum(len(each.failures) for each in self.found)})


def how(found: Regressions) -> str:
    """Describe in one line how a run was measured."""
    run = found.compared.run
    rounds = run.ending.rounds if run.ending else 0
    return (
        f"{run.header.scenario.name}: preset {run.header.preset}, {rounds} rounds of fresh processes, both builds "
        f"interleaved in random order; run {run.id}"
    )


def warnings(found: Regressions) -> list[str]:
    """Return the notes on a run, and warnings about other load on the machine."""
    ending = found.compared.run.ending
    return [*found.notes, *(ending.warnings if ending else [])]


def junit(gate: Gate) -> bytes:
    """Return the verdicts as JUnit XML in UTF-8.

    A regression is a failure, a variant that dropped out an error; what is inconclusive or was not compared is
    skipped, with the reason. Everything else has passed.
    """
    whole = JUnitXml(f"perflab {gate.header.component}")
    for found in gate.found:
        suite = _suite(gate, found)
        suite.update_statistics()
        # A suite takes as long as its run, in which the metrics of all variants were measured at once.
        ending = found.compared.run.ending
        suite.time = round(ending.wall_s, 3) if ending else 0.0
        whole.append(suite)
    # Not by update_statistics, which also counts what is skipped: the schema has no place for that here.
    whole.tests, whole.failures, whole.errors = (
        sum(getattr(suite, name) for suite in whole) for name in ("tests", "failures", "errors")
    )
    whole.time = round(sum(suite.time for suite in whole), 3)
    written: bytes = whole.tostring()
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + written + b"\n"


def _suite(gate: Gate, found: Regressions) -> TestSuite:
    header = found.compared.run.header
    name = writable(f"perflab.{header.component}.{header.scenario.name}")
    suite = TestSuite(name)
    suite.timestamp = writable(header.created.partition("+")[0])
    facts = {
        "machine": header.machine.title,
        "compared": f"{gate.now} against {gate.then}",
        "command": gate.command,
        "how": how(found),
    }
    for key, value in facts.items():
        suite.add_property(key, writable(value))
    for verdict in found.verdicts:
        suite.add_testcase(_case(name, verdict))
    for left_out in found.not_compared:
        case = _named(name, f"{left_out.variant or 'all variants'}: {left_out.metric or 'all metrics'}")
        case.result = [Skipped(writable(f"not compared: {left_out.reason}"))]
        suite.add_testcase(case)
    for label, why in found.failures.items():
        case = _named(name, f"{label} runs")
        case.result = [Error(writable(why), "failed")]
        suite.add_testcase(case)
    if said := warnings(found):
        # It comes last, as the schema has it.
        suite.append(SystemOut(writable("\n".join(said))))
    return suite


def _case(suite: str, one: MetricVerdict) -> TestCase:
    case = _named(suite, f"{one.variant}: {one.comparison.metric}")
    comparison = one.comparison
    figures = (
        f"{comparison.figures}, above 1 is better; it may be worse by {percent(one.threshold.worse_by)}, "
        f"and was {quantity(one.then, comparison.unit)}, is {quantity(one.now, comparison.unit)}"
    )
    if comparison.scale != "ratio":
        figures = figures.replace("above 1", "above 0")
    if one.word == "regression":
        result = Failure(writable(f"{one.word}: {figures}"), one.word)
        result.text = writable(
            "\n".join([*comparison.flags, f"threshold: {one.threshold.source or 'of the manifest'}"])
        )
        case.result = [result]
    elif one.word == "inconclusive":
        case.result = [Skipped(writable(f"inconclusive: {figures}; minimum detectable effect {comparison.detectable}"))]
    return case


def _named(suite: str, name: str) -> TestCase:
    return TestCase(writable(name), suite)


# An icon is never the only sign: the word stands beside it.
_ICONS = {
    "regression": "❌",
    "inconclusive": "❔",
    "within threshold": "✅",
    "better": "🚀",
    "not compared": "⚪",
    "failed": "💥",
}
_COLUMNS = (
    "verdict",
    "scenario",
    "variant",
    "metric",
    "baseline",
    "candidate",
    "factor [interval]",
    "threshold",
    "minimum detectable",
)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def markdown(gate: Gate) -> str:
    """Return the verdicts in the Markdown of GitHub and GitLab, the worst first."""
    rows: list[tuple[str, list[str]]] = []
    for each in gate.found:
        scenario = each.compared.run.header.scenario.name
        rows += [(one.word, _row(one)) for one in each.verdicts]
        rows += [("failed", [scenario, label, "", "", "", why, "", ""]) for label, why in each.failures.items()]
        rows += [
            ("not compared", [scenario, one.variant or "all", one.metric or "all", "", "", one.reason, "", ""])
            for one in each.not_compared
        ]
    order = ["regression", "failed", "inconclusive", "better", "within threshold", "not compared"]
    rows.sort(key=lambda row: order.index(row[0]))
    worst = next((word for word in ("regression", "failed", "inconclusive") if gate.counts[word]), "within threshold")
    lines = [f"### {_ICONS[worst]} {_text(_headline(gate))}", ""]
    lines += ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * 4 + "--:|" * 5]
    for word, cells in rows:
        lines.append("| " + " | ".join([f"{_ICONS[word]} {word}", *map(_text, cells)]) + " |")
    lines += [
        "",
        (
            "A factor above 1 is better. It is a regression if the whole interval is worse than the threshold allows; "
            "an inconclusive result needs more rounds. The intervals of a scenario hold together with 95 % confidence."
        ),
        "",
        f"Measured on {_text(gate.header.machine.title)}.",
        *(f"- {_text(how(each))}" for each in gate.found),
        *(f"- note: {_text(note)}" for note in dict.fromkeys(note for each in gate.found for note in warnings(each))),
        "",
        "```sh",
        gate.command.replace("```", ""),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _headline(gate: Gate) -> str:
    counts = gate.counts
    said = [f"{counts[word]} {word}" for word in ("failed", "inconclusive", "better") if counts[word]]
    number = counts["regression"]
    regressions = f"{number or 'no'} regression{'' if number == 1 else 's'}"
    return f"{gate.header.component}, {gate.now} against {gate.then}: {', '.join([regressions, *said])}"


def _row(one: MetricVerdict) -> list[str]:
    comparison = one.comparison
    return [
        one.scenario,
        one.variant,
        comparison.metric,
        quantity(one.then, comparison.unit),
        quantity(one.now, comparison.unit),
        comparison.figures,
        percent(one.threshold.worse_by),
        comparison.detectable,
    ]


def _text(text: str) -> str:
    """Escape a text so that it cannot end its cell, begin a link, or be taken for a tag."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
