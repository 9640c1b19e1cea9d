"""`lab compare`: what a run says, or two runs, two saved baselines, or two revisions."""

from __future__ import annotations

import functools
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.model.errors import MissingError, UsageError
from perflab.ui.options import measuring, request, topic_argument
from perflab.ui.output import Output, with_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perflab.components.manifest import Manifest
    from perflab.components.revisions import Commit
    from perflab.judge.history import ChangePoint, Series
    from perflab.judge.regression import Regressions
    from perflab.run.again import Again
    from perflab.store.reading import Run
    from perflab.view.chart import Chart


_KINDS = ("baseline", "run", "rev")


@dataclass(frozen=True)
class Named:
    """What was found under a word.

    Attributes:
        text: The word.
        runs: The runs that it stands for; several for a baseline.
        baseline: Whether it is one.
        commit: The commit, of a revision.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    baseline: bool = False
    commit: Commit | None = None

    @property
    def kind(self) -> str:
        """In a word."""
        return "revision" if self.commit else "baseline" if self.baseline else "run"


def find_named(text: str, topic: str | None, scenario: str | None) -> Named:
    """A saved baseline of this name, else a run, else a revision; `baseline:`, `run:` or `rev:` in front decides.

    Args:
        text: The word.
        topic: Only baselines of this topic.
        scenario: Only of this scenario.

    Raises:
        UsageError: If it is none of these.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in _KINDS:
        kind, name = "", text
    problems: dict[str, UsageError] = {}
    for one, find in (("baseline", _baseline), ("run", _run), ("rev", _revision)):
        if kind not in {"", one}:
            continue
        try:
            return find(name, topic, scenario)
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


def _baseline(name: str, topic: str | None, scenario: str | None) -> Named:
    from perflab.store.baselines import find_baselines

    records = [one for one in find_baselines(topic, name) if scenario in {None, one.scenario}]
    if not records:
        raise UsageError(f"no saved baseline {name!r}", "./lab runs shows what was saved")
    return Named(name, [one.read_run() for one in records], baseline=True)


def _run(name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.store.reading import find_run

    return Named(name, [find_run(name)])


def _revision(name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.components.revisions import find_commit

    return Named(name, commit=find_commit(name))


_STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class GateFiles:
    """Where verdicts are written, if anywhere; `-` is standard output."""

    markdown: str | None
    junit: str | None

    def __bool__(self) -> bool:
        return bool(self.markdown or self.junit)

    def check(self, output: Output) -> None:
        """Refuse what could not be written when hours of measuring are over.

        Raises:
            UsageError: If two things would be on standard output, or a folder does not exist.
        """
        wanted = [self.markdown, self.junit]
        if wanted.count(_STANDARD_OUTPUT) + (output.mode != "human") > 1 and _STANDARD_OUTPUT in wanted:
            raise UsageError("one thing at a time can be on standard output", "write the others to files")
        for name in wanted:
            if name and name != _STANDARD_OUTPUT and not Path(name).absolute().parent.is_dir():
                raise UsageError(f"cannot write {name}: there is no folder {Path(name).parent}", "make it first")

    def write(self, found: list[Regressions]) -> None:
        """Write verdicts.

        Only whole ones: half a gate would look like one that had passed.

        Raises:
            MissingError: If a file cannot be written.
        """
        from perflab.judge.gate import Gate, junit, markdown

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
        click.option("--markdown", metavar="FILE|-", help="Write the verdicts as a table for a pull request, too."),
        click.option("--junit", metavar="FILE|-", help="Write them as JUnit XML, too: a failure is a regression."),
    ]
    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(options), function)


def judge(
    output: Output, again: Iterable[Again], manifest: Manifest, files: GateFiles, facts: dict[str, Any] | None = None
) -> int:
    """Judge what was measured as it comes, show it, and write it.

    Args:
        output: Where it is shown.
        again: What is judged; taken one after another, as each may be measured only then.
        manifest: With the thresholds.
        files: Where else it is written.
        facts: What else `--json` says.

    Returns:
        The exit status: 1 if anything got worse by more than it may, 4 if something dropped out.
    """
    from perflab.judge.regression import judge_regressions
    from perflab.ui.showing import show_regressions

    found = []
    for one in again:
        found.append(judge_regressions(one, manifest))
        if _STANDARD_OUTPUT not in (files.markdown, files.junit):
            show_regressions(output, found[-1])
    files.write(found)
    regressed = any(one.regressed for one in found)
    output.result({**(facts or {}), "regressed": regressed, "scenarios": [one.to_dict() for one in found]})
    if regressed:
        return 1
    return 4 if any(one.failures for one in found) else 0


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
@click.option("--variant", "-v", "variants", multiple=True, help="Which variant to compare; repeat it where B is.")
@click.option("--baseline", help="With one run: the variant that the others are compared with.")
@click.option("--metric", help="Of runs: a metric of the scenario instead of its headline.")
@click.option("--topic", help="Of revisions: the topic. Of baselines: only this one.")
@gate_options
@measuring
@with_output
def compare_command(
    output: Output,
    names: tuple[str, ...],
    variants: tuple[str, ...],
    baseline: str | None,
    metric: str | None,
    topic: str | None,
    markdown: str | None,
    junit: str | None,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Compare the variants of one run A, or what B is with what A was.

    A and B are runs (a name, a part of it, or `latest`), saved baselines, or git revisions; `run:`, `baseline:` or
    `rev:` in front says which, where a word could be several.

    \b
    run and run             one variant, with no rounds in common; status 1 if it is slower in B
    a baseline on a side    each variant and metric against its threshold; status 1 if anything got worse by more
    revision and revision   both are built and measured now, interleaved, with the options of `measure`; status as above
    """  # noqa: D301 - click's own mark for a paragraph that is not filled
    from perflab.ui.measure import beside

    files = GateFiles(markdown, junit)
    files.check(output)
    found = [find_named(name, topic, options["scenario"]) for name in names]
    if any(options[name] for name in _MEASURING) and not all(one.commit for one in found):
        raise UsageError("options of measuring mean something with two revisions only", "leave them out")
    match found:
        case [one] if one.commit is None and not one.baseline:
            return _one(output, one, metric, baseline, files)
        case [one]:
            raise UsageError(f"{one.text} is a {one.kind}, to be compared with a second one", "./lab compare A B")
        case [before, after] if before.commit and after.commit:
            if topic is None:
                raise UsageError("two revisions are measured now, and of a topic", "add --topic")
            if metric is not None or baseline is not None:
                raise UsageError("revisions are judged by all their metrics", "leave --metric and --baseline out")
            wanted = request(topic, variants=variants, **options)
            return beside(output, wanted, before.commit, files, now=after.commit)
        case [before, after] if before.commit or after.commit:
            raise UsageError(
                f"{before.text} is a {before.kind}, {after.text} a {after.kind}: only two revisions can be compared",
                "./lab measure TOPIC --at REV compares the present tree with a revision",
            )
        case [before, after]:
            if baseline is not None:
                raise UsageError("--baseline names a variant of one run", "leave it out")
            return _two(output, before, after, variants, metric, files)
        case _:
            raise UsageError("compare takes one name or two", "./lab runs lists the runs")


def _one(output: Output, one: Named, metric: str | None, baseline: str | None, files: GateFiles) -> int:
    from perflab.run.analysis import analyse
    from perflab.ui.showing import show_analysis

    if files:
        raise UsageError("--markdown and --junit write verdicts on B against A", "name two")
    show_analysis(output, analyse(one.runs[0], metric, baseline))
    return 0


def _two(
    output: Output, before: Named, after: Named, variants: tuple[str, ...], metric: str | None, files: GateFiles
) -> int:
    from perflab.components.catalogue import find_component
    from perflab.run.analysis import compare_runs
    from perflab.run.beside import pair_runs
    from perflab.ui.showing import show_analysis

    if before.baseline or after.baseline or files:
        if metric is not None:
            raise UsageError("baselines are judged by all their metrics", "leave --metric out")
        pairs = pair_runs(before.text, before.runs, after.text, after.runs, variants)
        manifest = find_component(pairs[0].run.header.component).manifest
        return judge(output, pairs, manifest, files, {"baseline": before.text, "now": after.text})
    if len(variants) > 1:
        raise UsageError("two runs are compared by one variant", "name one, or save them as baselines")
    (first,), (second,) = before.runs, after.runs
    analysis = compare_runs(first, second, variants[0] if variants else first.header.baseline, metric)
    show_analysis(output, analysis)
    return int(any(one.verdict == "slower" for one in analysis.comparisons))


@click.command("history", epilog="Example: ./lab history mailbox --scenario burst --variant linked")
@topic_argument
@click.option("--scenario", "-s", help="The scenario; that of the newest run without it.")
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeat it. All without it.")
@click.option("--metric", help="A metric of the scenario instead of its headline.")
@click.option("--against", metavar="VARIANT", help="What they are compared with; what most runs did without it.")
@click.option("--absolute", is_flag=True, help="The values themselves, in which every drift of the machine is, too.")
@click.option("--all-machines", is_flag=True, help="Also runs of other machines, each in a series of its own.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write the charts into this folder, as pages.")
@with_output
def history_command(
    output: Output,
    topic: str,
    scenario: str | None,
    variants: tuple[str, ...],
    metric: str | None,
    against: str | None,
    absolute: bool,
    all_machines: bool,
    target: Path | None,
) -> None:
    """Show what the runs in the store say of TOPIC over time and commits, and where the level changed.

    A figure is a variant's factor over the baseline of the same run, in which drift of the machine cancels. Runs of
    different machines, parameters or lengths of a fork are never in one series. A change needs three runs on each side,
    and ten in all, before it can be told from chance.
    """
    from perflab.components.catalogue import find_component
    from perflab.judge.history import Wanted, collect
    from perflab.machine.machine import this_machine
    from perflab.view.chart import bundle
    from perflab.view.run_charts import write_html

    if absolute and against is not None:
        raise UsageError("absolute values are compared with nothing", "leave --against out")
    find_component(topic)
    found = collect(Wanted(topic, scenario, variants, metric, against, absolute))
    here = [one for one in found if all_machines or one.machine.id == this_machine().id]
    if len(here) < len(found):
        output.note(f"{len(found) - len(here)} series of other machines are left out: --all-machines")
    if not here:
        raise UsageError("no run in the store is of this machine", "--all-machines shows those of others")
    for number, series in enumerate(here, start=1):
        chart = _chart(series)
        output.print(chart.text, "")
        output.display(bundle(chart))
        _say(output, series)
        if target is not None:
            path = write_html(chart, target / f"history-{topic}-{series.scenario}-{series.variant}-{number}.html")
            output.say(str(path))
    output.result({"topic": topic, "series": [one.to_dict() for one in here]})


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


def _chart(series: Series) -> Chart:
    from perflab.view.history import HistoryPoint, Segment, Step, history_chart

    settings = ", ".join(f"{name}={value}" for name, value in series.settings.items())
    over = f" over {series.baseline}" if series.baseline else ""
    return history_chart(
        [HistoryPoint(one.revision, one.created[:16].replace("T", " "), one.estimate) for one in series.points],
        levels=[Segment(*level) for level in series.levels],
        steps=[
            Step(one.index, f"{one.step.columns[0]} at {one.commits or one.after.revision}") for one in series.changes
        ],
        metric=series.metric.name,
        better=series.metric.better,
        baseline=series.baseline,
        title=f"{series.component} {series.scenario}: {series.metric.name} of {series.variant}{over}, by run",
        notes=[f"{settings}; on {series.machine.title}" if settings else f"on {series.machine.title}"],
    )
