"""Show results: an analysis, a profile, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.claims.bundled import agreement
from perflab.cli.output import show_table
from perflab.model.format import change_word, percent, quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.claims.bundled import OneMachine
    from perflab.claims.ledger import Ledger
    from perflab.claims.regression import Regressions
    from perflab.claims.standings import Standings
    from perflab.claims.verdict import Verdict
    from perflab.cli.output import Output
    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.profile.profile import Profile
    from perflab.store.records import ProfileRecord


WORD_STYLES = {
    "reproduced": "green",
    "direction only": "cyan",
    "overstated": "red",
    "refuted": "bold red",
    "undecided": "yellow",
    "void": "bold magenta",
    "untestable here": "dim",
    "not run": "dim",
}

_REGRESSION_STYLES = {"regression": "bold red", "better": "green", "inconclusive": "yellow"}


def show_analysis(output: Output, lab: Lab, analysis: Analysis) -> None:
    """Show a run's figures: as tables to a person, as charts to a notebook, as data to a program."""
    show_figures(output, lab, analysis)
    output.result(analysis.to_dict())


def show_figures(output: Output, lab: Lab, analysis: Analysis, *more: Analysis) -> None:
    """Show a run's figures to a person or a notebook; `more` are of other variants of the same run."""
    analyses = [analysis, *more]
    for one in analyses:
        _show_charts(output, lab, one)
    for label, why in analysis.failures.items():
        output.say(f"{label} {'is void' if label in analysis.void else 'dropped out'}: {why}")
    for note in dict.fromkeys(note for one in analyses for note in [*one.notes, *_flags(one)]):
        output.say(f"note: {note}")
    for comparison in (each for one in analyses for each in one.comparisons if each.scale == "difference"):
        word = change_word(comparison.verdict, comparison.unit, comparison.better)
        output.say(f"{comparison.candidate} against {comparison.baseline}: {word}, {comparison.change}")
    header = analysis.run.header
    how = "; ".join(filter(None, [f"{header.preset}, {analysis.rounds} rounds", header.shape_text, header.pairs_text]))
    output.say(f"run {analysis.run.id} ({how}) on {header.machine.title}")


def _show_charts(output: Output, lab: Lab, analysis: Analysis) -> None:
    from perflab.charts.run_charts import run_charts

    if output.mode == "human":
        for chart in run_charts(lab, analysis, {"ratios", "values"}).values():
            output.show(chart)
    elif output.mode == "stream":
        drawn = run_charts(lab, analysis, {"ratios", "latency", "distribution"})
        # Percentiles say nothing about a metric that is a count.
        percentiles = "latency" in drawn and not analysis.metric.of.startswith("counter:")
        for name in ("ratios", "latency" if percentiles else "distribution"):
            if name in drawn:
                output.show(drawn[name])


def show_regressions(output: Output, found: Regressions) -> None:
    """Show the verdicts on the metrics of a saved baseline or a revision."""
    compared, header = found.compared, found.compared.run.header
    rows = [
        [
            one.variant,
            one.comparison.metric,
            quantity(one.then, one.comparison.unit),
            quantity(one.now, one.comparison.unit),
            str(one.comparison.worse_by or "no estimate"),
            percent(one.threshold.worse_by),
            one.word,
        ]
        for one in found.verdicts
    ]
    columns = ["variant", "metric", "baseline", "candidate", "worse by", "threshold", "verdict"]
    against = f"against the baseline {compared.baseline}"
    if compared.candidate:
        against = f"{compared.candidate} against {compared.baseline}"
    title = f"{header.component} {header.scenario.name}: {against}"
    show_table(output, columns, rows, title=title, styles=_REGRESSION_STYLES)
    for label, why in found.failures.items():
        output.say(f"{label} dropped out: {why}")
    for note in found.notes:
        output.say(f"note: {note}")
    of = f" (the baseline's is that of {compared.saved.id})" if compared.saved else ""
    output.say(f"run {header.id} compared both builds{of}, interleaved, on {header.machine.title}")


def show_profiles(output: Output, lab: Lab, profiles: Sequence[tuple[ProfileRecord, Profile]]) -> None:
    """Show profiles, their comparison, and the operating system's counters side by side."""
    from perflab.charts.flame import profile_charts

    for name, chart in profile_charts(lab, profiles).items():
        # The difference says more than either profile; the flame views are in the files.
        if not name.startswith("flame-") or len(profiles) == 1:
            output.show(chart)
    records = [record for record, _ in profiles]
    names = list(dict.fromkeys(name for record in records for name in record.counters))
    rows = [
        [name.removesuffix(f"_{_unit_of(name)}"), *(_counter(record, name) for record in records)] for name in names
    ]
    if rows and records[0].mode != "counts":
        columns = ["counter", *(record.variant for record in records)]
        show_table(output, columns, rows, title="Counters of the whole processes, start-up and warm-up in them")


def _unit_of(counter: str) -> str:
    """Return the unit at the end of a counter's name, if any."""
    return next((unit for unit in ("ns", "bytes") if counter.endswith(f"_{unit}")), "")


def _counter(record: ProfileRecord, name: str) -> str:
    if name not in record.counters:
        return ""
    value, unit = record.counters[name], _unit_of(name)
    text = quantity(value, unit) if unit or value >= 1000 else f"{value:.0f}"  # noqa: PLR2004
    if record.ops and not name.endswith("_max"):
        text += f" ({quantity(value / record.ops, unit)} per operation)"
    return text


def show_statements(output: Output, ledger: Ledger) -> None:
    """Show the claims of a report, without verdicts."""
    claims = [claim for claim in ledger.claims if not claim.ours]
    rows = [[claim.id, claim.statement, str(claim.published), claim.where] for claim in claims]
    show_table(output, ["claim", "what the report says", "published", "where"], rows, title=ledger.title)


def show_verdicts(output: Output, title: str, verdicts: Sequence[Verdict]) -> None:
    """Show the verdicts on a report's claims."""
    rows = [
        [
            one.claim.id,
            ("(ours) " if one.claim.ours else "") + one.claim.statement,
            one.word + (" (reference run)" if one.evidence.origin == "reference" else ""),
            one.reason,
        ]
        for one in verdicts
    ]
    columns = ["claim", "what the report says", "verdict", "why"]
    show_table(output, columns, rows, title=title, styles=WORD_STYLES)
    show_doubts(output, verdicts)


def show_machines(output: Output, ledger: Ledger, machines: Sequence[OneMachine], claims: Sequence[str]) -> None:
    """Show the verdicts of several machines side by side, and on how many claims they agree."""
    rows = [[name, *(_on_machine(one.verdicts[name]) for one in machines)] for name in claims]
    show_table(output, ["claim", *(one.title for one in machines)], rows, title=ledger.title, styles=WORD_STYLES)
    same, differing = agreement(machines)
    if same or differing:
        output.say(f"the same verdict on {len(same)} of the {len(same) + len(differing)} claims that all have judged")


def _on_machine(verdict: Verdict) -> str:
    figures = str(verdict.evidence.estimate or "")
    return f"{verdict.word}: {figures}" if figures else verdict.word


def show_doubts(output: Output, verdicts: Sequence[Verdict]) -> None:
    """Show which verdicts rest on runs that other work disturbed, or on figures that longer processes would change."""
    warnings = {run: said for verdict in verdicts for run, said in verdict.evidence.busy.items()}
    for run, said in warnings.items():
        number = sum(run in verdict.evidence.busy for verdict in verdicts)
        output.say(f"note: {number} of these rest on {run}: {'; '.join(said)}")
    for note in dict.fromkeys(note for verdict in verdicts for note in verdict.evidence.unsettled):
        output.say(f"note: {note}")


def show_standings(output: Output, found: Standings) -> None:
    """Show a topic's table, and its scores."""
    from perflab.charts.heat import table_charts

    for chart in table_charts(found).values():
        output.show(chart)
    for (variant, scenario), cell in found.cells.items():
        if cell.void:
            output.say(f"{variant} is void in {scenario}: {cell.void}")
    for note in found.notes:
        output.say(f"note: {note}")
    runs = ", ".join(run.id for run in found.runs.values())
    machine = next(iter(found.runs.values())).header.machine.title
    output.say(f"runs {runs} on {machine}")


def _flags(analysis: Analysis) -> list[str]:
    paired = [f"{one.candidate}: {flag}" for one in analysis.comparisons for flag in one.flags]
    alone = [f"{label}: {flag}" for label, found in analysis.diagnostics.items() for flag in found.flags]
    return paired + alone
