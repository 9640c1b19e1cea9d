"""`lab compare` and `lab history`; verdicts on versions, which `lab measure` shows too."""

from __future__ import annotations

import functools
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.options import LENGTHS, combine_options, measuring, request, topic_argument
from perflab.cli.output import Output, with_output
from perflab.model.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perflab.claims.history import ChangePoint, Series
    from perflab.claims.regression import Regressions
    from perflab.measure.versions import VersionComparison
    from perflab.model.lab import Lab
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


_STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class GateFiles:
    """Where verdicts are written, if anywhere; `-` is standard output."""

    markdown: str | None
    junit: str | None

    def __bool__(self) -> bool:
        return bool(self.markdown or self.junit)

    def check(self, output: Output) -> None:
        """Refuse files that could not be written, before hours of measuring."""
        wanted = [self.markdown, self.junit]
        if wanted.count(_STANDARD_OUTPUT) + (output.mode != "human") > 1 and _STANDARD_OUTPUT in wanted:
            raise UsageError("one thing at a time can be on standard output", "write the others to files")
        for name in wanted:
            if name and name != _STANDARD_OUTPUT and not Path(name).absolute().parent.is_dir():
                raise UsageError(f"cannot write {name}: there is no folder {Path(name).parent}", "make it first")

    def write(self, found: list[Regressions]) -> None:
        """Write the verdicts, once all are there: half a gate would look like one that had passed."""
        from perflab.claims.regression import Gate, junit, markdown

        if not self or not found:
            return
        gate = Gate(found, shlex.join(["./lab", *sys.argv[1:]]))
        if self.markdown:
            write_file(self.markdown, markdown(gate).encode())
        if self.junit:
            write_file(self.junit, junit(gate))


gate_options = combine_options(
    click.option("--markdown", metavar="FILE|-", help="Also write the verdicts as a Markdown table."),
    click.option("--junit", metavar="FILE|-", help="Also write the verdicts as JUnit XML; a regression is a failure."),
)


def judge(
    output: Output,
    compared: Iterable[VersionComparison],
    component: Component,
    files: GateFiles,
    save_as: str | None = None,
) -> int:
    """Judge each comparison as it is measured, show the verdicts, and write them; save the runs as a baseline if asked.

    Returns:
        The exit status: 1 if a metric regressed beyond its threshold, 4 if a variant dropped out, or there is no
        verdict on a scenario.
    """
    from perflab.claims.regression import judge_regressions
    from perflab.cli.showing import show_regressions

    found, errors = [], list[UsageError]()
    for one in compared:
        if save_as is not None:
            save_run(output, component, save_as, one.run)
        try:
            found.append(judge_regressions(one, component.manifest))
        except UsageError as error:
            errors.append(error)
            output.note(f"no verdict on {one.run.id}: {error}")
            continue
        if _STANDARD_OUTPUT not in (files.markdown, files.junit):
            show_regressions(output, found[-1])
    if errors and not found:
        raise errors[0]
    files.write(found)
    regressed = any(one.regressed for one in found)
    output.result(
        {
            "baseline": found[0].compared.baseline,
            "now": found[0].compared.candidate or None,
            "regressed": regressed,
            "unreadable": list(map(str, errors)),
            "scenarios": [one.to_dict() for one in found],
        }
    )
    if regressed:
        return 1
    return 4 if errors or any(one.failures for one in found) else 0


def save_run(output: Output, component: Component, name: str, run: Run) -> None:
    """Save a run as a baseline, and say whether its build was kept."""
    from perflab.measure.versions import save_baseline

    record = save_baseline(component, name, run, output)
    build = "with its build, which runs beside later ones"
    if not record.kept:
        build = f"but not its build, so that later runs are compared with it by ./lab compare {name} latest"
    output.say(f"saved as {name}: {record.component} {record.scenario}, {build}")


def write_file(name: str, data: bytes) -> None:
    """Write a file, or to standard output for `-`."""
    if name == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise MissingError(f"cannot write {name}: {error.strerror}", "name another file") from None


@click.command("compare", epilog="Example: ./lab compare latest --metric p99 --baseline linked")
@click.argument("names", nargs=-1, required=True, metavar="A [B]")
@click.option(
    "--variant",
    "-v",
    "variants",
    multiple=True,
    help="The variant to compare [default: the baseline of A]; of revisions repeatable.",
)
@click.option("--baseline", help="With one run: compare the others with this variant.")
@click.option("--metric", help="Of runs: compare by this metric [default: the scenario's headline].")
@click.option("--topic", help="The topic of revisions; limits saved baselines to a topic.")
@gate_options
@measuring
@click.pass_obj
@with_output
def compare_command(  # noqa: C901 - refuses one thing after the other
    output: Output,
    lab: Lab,
    names: tuple[str, ...],
    variants: tuple[str, ...],
    baseline: str | None,
    metric: str | None,
    topic: str | None,
    markdown: str | None,
    junit: str | None,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Compare the variants of one run A, or B (the candidate) with A (the baseline).

    A and B are runs (a name, a part of it, or `latest`), saved baselines, git revisions, or files that hyperfine
    exported as JSON. If a name could be several of these, put `run:`, `baseline:` or `rev:` in front.

    \b
    runs or baselines       one variant, with no rounds in common; status 1 if it is slower in B
    files of hyperfine's    the times of each run of a command, with no runs in common; status 1 if one is slower in B
    revision and revision   both are built and measured now, interleaved, with the options of `measure`; status 1 if
                            anything got worse by more than its threshold
    """  # noqa: D301 - click's own mark for a paragraph that is not filled
    from perflab.cli.exported import compare_exported, is_exported
    from perflab.cli.showing import show_analysis
    from perflab.measure.analysis import analyse, compare_runs
    from perflab.measure.versions import compare_versions, find_version

    files = GateFiles(markdown, junit)
    files.check(output)
    if len(names) > 2:  # noqa: PLR2004 - A and B
        raise UsageError("compare takes one name or two", "./lab runs lists the runs")
    lengths = any(options[name] for name in ("params", "preset", *LENGTHS))
    if any(map(is_exported, names)):
        if not all(map(is_exported, names)) or variants or metric or topic or files or lengths or options["scenario"]:
            hint = "leave other names and options out, but --baseline"
            raise UsageError("files of hyperfine's are compared with each other, by their times", hint)
        return compare_exported(output, names, baseline)
    found = [find_version(lab, name, topic, options["scenario"]) for name in names]
    if any(one.commit for one in found):
        if not all(one.commit for one in found) or len(found) == 1:
            raise UsageError(
                "only two revisions can be compared", "./lab measure TOPIC --at REV compares the present tree with one"
            )
        if topic is None:
            raise UsageError("two revisions are measured now, and of a topic", "add --topic")
        if metric is not None or baseline is not None:
            raise UsageError("revisions are judged by all their metrics", "leave --metric and --baseline out")
        wanted = request(lab, topic, variants=variants, **options)
        return judge(output, compare_versions(wanted, found[0], output, found[1]), wanted.component, files)
    if lengths:
        raise UsageError("measurement options apply only when comparing two revisions", "leave them out")
    if files:
        raise UsageError("--markdown and --junit write verdicts, which only revisions have here", "leave them out")
    if len(variants) > 1:
        raise UsageError("two runs are compared by one variant", "name one")
    before, *others = (one.one_run(lab) for one in found)
    if not others:
        show_analysis(output, lab, analyse(before, metric, baseline))
        return 0
    if baseline is not None:
        raise UsageError("--baseline names a variant of one run", "leave it out")
    analysis = compare_runs(before, others[0], variants[0] if variants else None, metric)
    show_analysis(output, lab, analysis)
    return int(any(one.verdict == "slower" for one in analysis.comparisons))


@click.command("history", epilog="Example: ./lab history mailbox --scenario burst --variant linked")
@topic_argument
@click.option("--scenario", "-s", help="The scenario [default: that of the newest run].")
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeatable [default: all].")
@click.option("--metric", help="The metric [default: the scenario's headline].")
@click.option("--against", metavar="VARIANT", help="Compare with this variant [default: the most frequent baseline].")
@click.option("--absolute", is_flag=True, help="Show absolute values, which include the machine's drift.")
@click.option("--all-machines", is_flag=True, help="Include other machines, each as a separate series.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write the charts to this folder as HTML.")
@click.pass_obj
@with_output
def history_command(
    output: Output,
    lab: Lab,
    topic: str,
    scenario: str | None,
    variants: tuple[str, ...],
    metric: str | None,
    against: str | None,
    absolute: bool,
    all_machines: bool,
    target: Path | None,
) -> None:
    """Show the history of TOPIC over runs and commits, and where its performance changed.

    Each point is a variant's factor over the baseline of the same run, so that drift of the machine cancels. A series
    never mixes machines, parameters or process lengths. Detecting a change takes at least ten runs, three on each side.
    """
    from perflab.charts.chart import draw_safely, write_charts
    from perflab.charts.estimates import history_chart
    from perflab.claims.history import collect
    from perflab.host.machine import this_machine
    from perflab.store.runs import find_runs
    from perflab.topics.catalogue import find_component

    if absolute and against is not None:
        raise UsageError("absolute values are compared with nothing", "leave --against out")
    find_component(lab, topic)
    own = None if all_machines else this_machine().id
    if any(own not in {None, run.header.machine.id} for run in find_runs(lab.results, component=topic)):
        output.note("runs of other machines are left out: --all-machines")
    asked = {"scenario": scenario, "metric": metric, "against": against}
    found = collect(lab.results, topic, **asked, variants=variants, absolute=absolute, machine=own)
    for number, series in enumerate(found, start=1):
        chart = draw_safely(f"{topic} {series.scenario} of {series.variant}", functools.partial(history_chart, series))
        output.show(chart)
        _say(output, series)
        if target is not None:
            name = f"history-{topic}-{series.scenario}-{series.variant}-{number}"
            output.say(str(write_charts({name: chart}, target)[name]))
    output.result({"topic": topic, "series": [one.to_dict() for one in found]})


def _say(output: Output, series: Series) -> None:
    for change in series.changes:
        output.say(f"{series.variant} {_direction(change)} {_between(change)}")
        for also in change.also:
            output.say(f"  also different there: {also}")
        if change.commits:
            output.say(f"  git log --oneline {change.commits}")
    if series.missing:
        number = len(series.points)
        runs = f"{number} run{'' if number == 1 else 's'}"
        output.say(f"{series.variant}: {runs}, {series.missing} too few to tell a change from chance")
    elif not series.changes:
        output.say(f"{series.variant}: no change of level in {len(series.points)} runs")


def _direction(change: ChangePoint) -> str:
    found = change.step.estimate
    return f"became {'better' if found and found.value > 1 else 'worse'}, by a factor of {change.step.figures},"


def _between(change: ChangePoint) -> str:
    if change.commits:
        return f"between {change.before.revision} and {change.after.revision}"
    return f"between the runs {change.before.run} and {change.after.run}, of one commit"
