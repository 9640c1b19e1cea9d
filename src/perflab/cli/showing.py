"""What commands show: an analysis, a profile, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts import bundle
from perflab.gallery import profile_charts, run_charts, verdict_bundle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from perflab.analysis import Analysis
    from perflab.claims import Verdict
    from perflab.cli.output import Output
    from perflab.profiles import Profile
    from perflab.store import ProfileRecord

# In the order in which a reader wants them.
_SHOWN = ("ratios", "values", "latency", "distribution")
_WORD_STYLES = {
    "reproduced": "green",
    "direction only": "cyan",
    "not reproduced": "yellow",
    "refuted": "bold red",
    "untestable here": "dim",
    "not run": "dim",
}


def show_analysis(output: Output, analysis: Analysis, more: dict[str, Any] | None = None) -> None:
    """Show a run's figures: as tables to a person, as charts to a notebook, as data to a program."""
    if output.mode != "json":
        drawn = run_charts(analysis)
        for name in _SHOWN:
            if name in drawn:
                if name in {"ratios", "values"}:
                    output.print(drawn[name].text, "")
                output.display(bundle(drawn[name]))
    for label, why in analysis.failures.items():
        output.print(f"{label} dropped out: {why}")
    for note in [*analysis.notes, *_flags(analysis)]:
        output.print(f"note: {note}")
    header = analysis.run.header
    output.print(f"run {analysis.run.id} ({header.preset}, {len(analysis.values)} rounds) on {header.machine.title}")
    output.result({**analysis.to_dict(), **(more or {})})


def show_profiles(output: Output, profiles: Sequence[tuple[ProfileRecord, Profile]]) -> None:
    """Show profiles and what they have in common."""
    for name, chart in profile_charts(profiles).items():
        if not name.startswith("flame-") or len(profiles) == 1:
            output.print(chart.text, "")
        output.display(bundle(chart))


def verdict_table(title: str, verdicts: Sequence[Verdict]) -> RenderableType:
    """The verdicts for a terminal."""
    from rich.table import Table

    table = Table("claim", "what the report says", "verdict", "why", title=title, show_lines=True)
    for one in verdicts:
        origin = "\n(reference run)" if one.origin == "reference" else ""
        table.add_row(one.claim.id, one.claim.statement, f"[{_WORD_STYLES[one.word]}]{one.word}[/]{origin}", one.reason)
    return table


def _flags(analysis: Analysis) -> list[str]:
    paired = [f"{one.candidate}: {flag}" for one in analysis.comparisons for flag in one.flags]
    alone = [f"{label}: {flag}" for label, found in analysis.diagnostics.items() for flag in found.flags]
    return paired + alone


__all__ = ["show_analysis", "show_profiles", "verdict_bundle", "verdict_table"]
