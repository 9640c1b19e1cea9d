"""Regressions: verdicts on each metric of two versions of a topic, and a gate of them as JUnit XML and Markdown."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from junitparser import Error, Failure, JUnitXml, Skipped, SystemOut, TestCase, TestSuite

from perflab.measure.analysis import figures, fork_tables, is_exact, measured, precision_target
from perflab.measure.counted import threshold_name
from perflab.model.errors import UsageError
from perflab.model.estimate import flat
from perflab.model.format import markdown_text, percent, quantity
from perflab.stats.comparison import compare, regression_word, simultaneous_confidence
from perflab.stats.unpaired import compare_unpaired
from perflab.topics.manifest import threshold_for
from perflab.topics.testing import writable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.measure.analysis import Table
    from perflab.measure.versions import VersionComparison
    from perflab.model.protocol import Metric
    from perflab.stats.comparison import Comparison, RegressionWord
    from perflab.store.records import RunHeader
    from perflab.topics.manifest import Manifest, Threshold


_CONFIDENCE = 0.95


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict on a variant's metric: `then` and `now` are means over forks; a ratio above 1 is better now."""

    scenario: str
    variant: str
    comparison: Comparison
    threshold: Threshold
    then: float
    now: float
    word: RegressionWord

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`; `worse_by` is to be compared with `threshold`."""
        one = self.comparison
        return {
            "scenario": self.scenario,
            "variant": self.variant,
            "metric": one.metric,
            "verdict": self.word,
            "worse_by": flat(one.worse_by if one.scale == "ratio" else None),
            "threshold": self.threshold.worse_by,
            "threshold_source": self.threshold.source,
            "then": self.then,
            "now": self.now,
            "comparison": one.to_dict(),
        }


@dataclass(frozen=True)
class NotCompared:
    """A metric without a verdict, and why; an empty metric or variant stands for all."""

    scenario: str
    variant: str
    metric: str
    reason: str


@dataclass(frozen=True)
class Regressions:
    """The verdicts on two versions of a topic in a scenario.

    `drift` compares the headline of a saved baseline's build with its figures when it was saved, by variant.
    """

    compared: VersionComparison
    verdicts: list[MetricVerdict]
    drift: dict[str, Comparison] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)

    @property
    def failures(self) -> dict[str, str]:
        """Why labels dropped out."""
        return self.compared.run.failures

    @property
    def regressed(self) -> bool:
        """Whether anything got worse beyond its threshold."""
        return any(one.word == "regression" for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        return {
            "baseline": self.compared.baseline,
            "now": self.compared.candidate or None,
            "scenario": self.compared.run.header.scenario.name,
            "params": self.compared.run.header.settings,
            "saved_run": self.compared.saved.id if self.compared.saved else None,
            "run": self.compared.run.id,
            "metrics": [one.to_dict() for one in self.verdicts],
            "not_compared": [dataclasses.asdict(one) for one in self.not_compared],
            "drift": {variant: one.to_dict() for variant, one in self.drift.items()},
            "failures": self.failures,
            "notes": self.notes,
            "machine": {"id": self.compared.run.header.machine.id, "title": self.compared.run.header.machine.title},
        }


@figures("no verdict")
def judge_regressions(compared: VersionComparison, manifest: Manifest) -> Regressions:
    """Judge every metric that both versions have, for every variant that both have.

    All intervals of the run hold together with 95 %: each is made at Bonferroni's level for their number.
    """
    scenario = compared.run.header.scenario
    notes = [*compared.notes, *(f"{name} {why}" for name, why in compared.left_out.items())]
    not_compared = [NotCompared(scenario.name, name, "", why) for name, why in compared.left_out.items()]
    metrics = list(_metrics(compared))
    values = fork_tables(compared.run, [metric.of for metric, reason in metrics if not reason])
    tables: dict[str, tuple[Metric, Table]] = {}
    for metric, reason in metrics:
        table = None if reason else values[metric.of]
        if isinstance(table, ValueError):
            continue  # a metric that a harness may report, and this one never does
        if table is not None:
            tables[metric.name] = metric, table
        else:
            notes.append(f"{metric.name} is left out: {reason}")
            not_compared.append(NotCompared(scenario.name, "", metric.name, reason))
    if not tables:
        raise UsageError(
            f"no metric of {scenario.name!r} is what it was in {compared.baseline!r}",
            "a baseline can be saved again under another name",
        )
    level = simultaneous_confidence(_CONFIDENCE, len(compared.variants) * len(tables))
    found = [
        _verdict(
            compared,
            variant,
            metric,
            table,
            threshold=threshold_for(manifest, scenario.name, threshold_name(metric)),
            level=level,
        )
        for variant in compared.variants
        for metric, table in tables.values()
    ]
    drift = _drift(compared, *tables[scenario.headline.name]) if scenario.headline.name in tables else {}
    notes += [
        f"the saved build of {variant} is {one.verdict} now than when it was saved: the machine, or what both builds "
        "run on, has changed since"
        for variant, one in drift.items()
        if one.verdict in {"faster", "slower"} and not one.within_margin
    ]
    return Regressions(
        compared,
        verdicts=[one for one in found if isinstance(one, MetricVerdict)],
        drift=drift,
        notes=notes,
        not_compared=[*not_compared, *(one for one in found if isinstance(one, NotCompared))],
    )


def _metrics(compared: VersionComparison) -> Iterator[tuple[Metric, str]]:
    """Yield each of today's metrics once, and why it cannot be compared, or an empty text."""
    then = compared.scenario.all_metrics
    seen = set[str]()
    for one in compared.run.header.scenario.all_metrics.values():
        if then.get(one.name) != one:
            yield one, f"{'has changed its meaning' if one.name in then else 'is new'} since {compared.baseline}"
        elif one.of not in seen:
            seen.add(one.of)
            yield one, ""


def _verdict(
    compared: VersionComparison, variant: str, metric: Metric, table: Table, *, threshold: Threshold, level: float
) -> MetricVerdict | NotCompared:
    scenario = compared.run.header.scenario
    then, now = compared.labels(variant)
    if any(label not in table or not measured(table[label]) for label in (then, now)):
        dropped = {then, now} & compared.run.failures.keys()
        why = "it dropped out" if dropped else "there are no figures of both"
        return NotCompared(scenario.name, variant, metric.name, why)
    (comparison,) = compare(
        {then: table[then], now: table[now]},
        then,
        metric.name,
        metric.unit,
        metric.better,
        confidence=level,
        target_half_width=precision_target(compared.run, scenario.headline)
        if metric.of == scenario.headline.of
        else None,
        exact=is_exact(compared.run),
    )
    return MetricVerdict(
        scenario=scenario.name,
        variant=variant,
        comparison=comparison,
        threshold=threshold,
        then=float(np.nanmean(table[then])),
        now=float(np.nanmean(table[now])),
        word=regression_word(comparison, threshold.worse_by, float(np.nanmean(np.abs(table[then])))),
    )


def _drift(compared: VersionComparison, headline: Metric, table: Table) -> dict[str, Comparison]:
    """Compare the saved build's forks with those of when it was saved, if they are of one length."""
    saved = compared.saved
    if saved is None or saved.header.shape != compared.run.header.shape:
        return {}
    then = fork_tables(saved, [headline.of])[headline.of]
    labels = {variant: compared.labels(variant)[0] for variant in compared.variants}
    if isinstance(then, ValueError):
        return {}
    return {
        variant: compare_unpaired(
            then[variant],
            table[label],
            headline.name,
            headline.unit,
            headline.better,
            labels=("when saved", "the same build now"),
            confidence=simultaneous_confidence(_CONFIDENCE, len(labels)),
        )
        for variant, label in labels.items()
        if variant in then and label in table
    }


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
    lines = [f"### {_ICONS[worst]} {markdown_text(_headline(gate))}", ""]
    lines += ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * 4 + "--:|" * 5]
    for word, cells in rows:
        lines.append("| " + " | ".join([f"{_ICONS[word]} {word}", *map(markdown_text, cells)]) + " |")
    lines += [
        "",
        (
            "A factor above 1 is better. It is a regression if the whole interval is worse than the threshold allows; "
            "an inconclusive result needs more rounds. The intervals of a scenario hold together with 95 % confidence."
        ),
        "",
        f"Measured on {markdown_text(gate.header.machine.title)}.",
        *(f"- {markdown_text(how(each))}" for each in gate.found),
        *(
            f"- note: {markdown_text(note)}"
            for note in dict.fromkeys(note for each in gate.found for note in warnings(each))
        ),
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
