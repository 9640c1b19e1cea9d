"""`lab compare`: the variants of a run, or two runs, saved baselines or revisions; `lab history`."""

from __future__ import annotations

import functools
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.options import measuring, request, topic_argument
from perflab.cli.output import Output, with_output
from perflab.model.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perflab.claims.history import ChangePoint, Series
    from perflab.claims.regression import Regressions
    from perflab.measure.versions import VersionComparison
    from perflab.model.lab import Lab
    from perflab.store.runs import Run
    from perflab.topics.manifest import Manifest
    from perflab.topics.revisions import Commit


_KINDS = ("baseline", "run", "rev")


@dataclass(frozen=True)
class Named:
    """A run, a saved baseline with its runs, or the commit of a revision, as named on the command line.

    `unreadable` says which of the baseline's runs cannot be read, and why.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    baseline: bool = False
    commit: Commit | None = None
    unreadable: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """In a word."""
        return "revision" if self.commit else "baseline" if self.baseline else "run"


def find_named(lab: Lab, text: str, topic: str | None, scenario: str | None) -> Named:
    """A saved baseline of this name, topic and scenario, else a run, else a revision.

    `baseline:`, `run:` or `rev:` in front decides.

    Raises:
        UsageError: If there is none.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in _KINDS:
        kind, name = "", text
    problems: dict[str, UsageError] = {}
    for one, find in (("baseline", _baseline), ("run", _run), ("rev", _revision)):
        if kind not in {"", one}:
            continue
        try:
            return find(lab, name, topic, scenario)
        except UsageError as error:
            problems[one] = error
    if kind:
        raise problems[kind]
    if name == "latest" or problems["run"].message.startswith("more than one"):
        raise problems["run"]
    raise UsageError(
        f"{text!r} is no saved baseline, no run and no revision",
        f"{problems['run'].hint}; ./lab runs lists runs and baselines, git log revisions",
    )


def _baseline(lab: Lab, name: str, topic: str | None, scenario: str | None) -> Named:
    from perflab.measure.versions import read_saved
    from perflab.store.baselines import find_baselines

    saved = find_baselines(lab.results, topic, name)
    records = [one for one in saved if scenario in {None, one.scenario}]
    if not records:
        raise UsageError(f"no saved baseline {name!r}", "./lab runs shows what was saved")
    readable, unreadable = read_saved(records, lab.results)
    return Named(name, [run for _, run in readable], baseline=True, unreadable=unreadable)


def _run(lab: Lab, name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.store.runs import find_run

    return Named(name, [find_run(name, lab.results)])


def _revision(lab: Lab, name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.topics.revisions import find_commit

    return Named(name, commit=find_commit(lab.root, name))


_STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class GateFiles:
    """Where verdicts are written, if anywhere; `-` is standard output."""

    markdown: str | None
    junit: str | None

    def __bool__(self) -> bool:
        return bool(self.markdown or self.junit)

    def check(self, output: Output) -> None:
        """Refuse files that could not be written, before hours of measuring.

        Raises:
            UsageError: If two outputs would go to standard output, or a folder does not exist.
        """
        wanted = [self.markdown, self.junit]
        if wanted.count(_STANDARD_OUTPUT) + (output.mode != "human") > 1 and _STANDARD_OUTPUT in wanted:
            raise UsageError("one thing at a time can be on standard output", "write the others to files")
        for name in wanted:
            if name and name != _STANDARD_OUTPUT and not Path(name).absolute().parent.is_dir():
                raise UsageError(f"cannot write {name}: there is no folder {Path(name).parent}", "make it first")

    def write(self, found: list[Regressions]) -> None:
        """Write the verdicts, once all are there: half a gate would look like one that had passed."""
        from perflab.claims.gate import Gate, junit, markdown

        if not self or not found:
            return
        gate = Gate(found, shlex.join(["./lab", *sys.argv[1:]]))
        if self.markdown:
            _write(self.markdown, markdown(gate).encode())
        if self.junit:
            _write(self.junit, junit(gate))


def gate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--markdown` and `--junit`."""
    options = [
        click.option("--markdown", metavar="FILE|-", help="Also write the verdicts as a Markdown table."),
        click.option(
            "--junit", metavar="FILE|-", help="Also write the verdicts as JUnit XML; a regression is a failure."
        ),
    ]
    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(options), function)


def judge(
    output: Output,
    compared: Iterable[VersionComparison],
    manifest: Manifest,
    files: GateFiles,
    facts: dict[str, Any],
    unreadable: Sequence[str] = (),
) -> int:
    """Judge each comparison as it is measured, show the verdicts, and write them.

    `facts` are added to the output of `--json`; so is what of a baseline could not be read.

    Returns:
        The exit status: 1 if a metric regressed beyond its threshold, 4 if a variant dropped out, or a baseline's run
        could not be read.
    """
    from perflab.claims.regression import judge_regressions
    from perflab.cli.showing import show_regressions

    for note in unreadable:
        output.note(note)
    found, errors = [], list[UsageError]()
    for one in compared:
        try:
            found.append(judge_regressions(one, manifest))
        except UsageError as error:
            errors.append(error)
            output.note(f"no verdict on {one.run.id}: {error}")
            continue
        if _STANDARD_OUTPUT not in (files.markdown, files.junit):
            show_regressions(output, found[-1])
    if errors and not found:
        raise errors[0]
    unreadable = [*unreadable, *map(str, errors)]
    files.write(found)
    regressed = any(one.regressed for one in found)
    output.result(
        {
            **facts,
            "regressed": regressed,
            "unreadable": list(unreadable),
            "scenarios": [one.to_dict() for one in found],
        }
    )
    if regressed:
        return 1
    return 4 if unreadable or any(one.failures for one in found) else 0


def _write(name: str, data: bytes) -> None:
    if name == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise MissingError(f"cannot write {name}: {error.strerror}", "name another file") from None


_MEASURING = ("params", "preset", "rounds", "budget", "precision", "warmup", "sample", "samples", "timeout")


@click.command("compare", epilog="Example: ./lab compare latest --metric p99 --baseline linked")
@click.argument("names", nargs=-1, required=True, metavar="A [B]")
@click.option(
    "--variant",
    "-v",
    "variants",
    multiple=True,
    help="The variant to compare; repeatable where A or B is a baseline or revision.",
)
@click.option("--baseline", help="With one run: compare the others with this variant.")
@click.option("--metric", help="Of runs: compare by this metric [default: the scenario's headline].")
@click.option("--topic", help="The topic of revisions; limits saved baselines to a topic.")
@gate_options
@measuring
@click.pass_obj
@with_output
def compare_command(
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

    A and B are runs (a name, a part of it, or `latest`), saved baselines, or git revisions. If a name could be several
    of these, put `run:`, `baseline:` or `rev:` in front.

    \b
    run and run             one variant, with no rounds in common; status 1 if it is slower in B
    a baseline on a side    each variant and metric against its threshold; status 1 if anything got worse by more
    revision and revision   both are built and measured now, interleaved, with the options of `measure`; status as above
    """  # noqa: D301 - click's own mark for a paragraph that is not filled
    from perflab.cli.measure import measure_at

    files = GateFiles(markdown, junit)
    files.check(output)
    found = [find_named(lab, name, topic, options["scenario"]) for name in names]
    if any(options[name] for name in _MEASURING) and not all(one.commit for one in found):
        raise UsageError("options of measuring mean something with two revisions only", "leave them out")
    match found:
        case [one] if one.commit is None and not one.baseline:
            return _one(output, lab, one, metric, baseline, files)
        case [one]:
            raise UsageError(f"{one.text} is a {one.kind}, to be compared with a second one", "./lab compare A B")
        case [before, after] if before.commit and after.commit:
            if topic is None:
                raise UsageError("two revisions are measured now, and of a topic", "add --topic")
            if metric is not None or baseline is not None:
                raise UsageError("revisions are judged by all their metrics", "leave --metric and --baseline out")
            wanted = request(lab, topic, variants=variants, **options)
            return measure_at(output, wanted, before.commit, files, candidate=after.commit)
        case [before, after] if before.commit or after.commit:
            raise UsageError(
                f"{before.text} is a {before.kind}, {after.text} a {after.kind}: only two revisions can be compared",
                "./lab measure TOPIC --at REV compares the present tree with a revision",
            )
        case [before, after]:
            if baseline is not None:
                raise UsageError("--baseline names a variant of one run", "leave it out")
            return _two(output, lab, before, after, variants, metric, files)
        case _:
            raise UsageError("compare takes one name or two", "./lab runs lists the runs")


def _one(output: Output, lab: Lab, one: Named, metric: str | None, baseline: str | None, files: GateFiles) -> int:
    from perflab.cli.showing import show_analysis
    from perflab.measure.analysis import analyse

    if files:
        raise UsageError("--markdown and --junit write verdicts on B against A", "name two")
    show_analysis(output, lab, analyse(one.runs[0], metric, baseline))
    return 0


def _two(
    output: Output,
    lab: Lab,
    before: Named,
    after: Named,
    variants: tuple[str, ...],
    metric: str | None,
    files: GateFiles,
) -> int:
    from perflab.cli.showing import show_analysis
    from perflab.measure.analysis import compare_runs
    from perflab.measure.versions import pair_runs
    from perflab.topics.catalogue import find_component

    if before.baseline or after.baseline or files:
        if metric is not None:
            raise UsageError("baselines are judged by all their metrics", "leave --metric out")
        pairs = pair_runs(before.text, before.runs, after.text, after.runs, variants)
        manifest = find_component(lab, pairs[0].run.header.component).manifest
        unreadable = [*before.unreadable, *after.unreadable]
        return judge(output, pairs, manifest, files, {"baseline": before.text, "now": after.text}, unreadable)
    if len(variants) > 1:
        raise UsageError("two runs are compared by one variant", "name one, or save them as baselines")
    (first,), (second,) = before.runs, after.runs
    analysis = compare_runs(first, second, variants[0] if variants else first.header.baseline, metric)
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
    from perflab.charts.chart import drawn, write_charts
    from perflab.charts.history import history_chart
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
        chart = drawn(f"{topic} {series.scenario} of {series.variant}", functools.partial(history_chart, series))
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
    if series.unsearched:
        output.say(f"{series.variant}: the oldest {series.unsearched} runs were not searched for changes")
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
