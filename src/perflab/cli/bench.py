"""`lab bench`: whole commands, or benchmarks of a harness, without a topic."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from perflab.cli.hyperfine import bench_fields, check_exports, command_options, export, round_limits, with_equals
from perflab.cli.options import how_long, lengths
from perflab.cli.output import Output, show_table, with_output
from perflab.model.errors import UsageError, unknown
from perflab.model.format import change_word
from perflab.model.lab import program
from perflab.model.names import is_id
from perflab.model.project import SavedBench

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.measure.analysis import Analysis
    from perflab.measure.plan import Request
    from perflab.model.lab import Lab
    from perflab.store.records import Way
    from perflab.topics.catalogue import Component

HARNESS = "harness_"
"""Prefix that keeps harness names apart from the other options."""

_EXAMPLES = """\b
Examples:
  ./lab bench 'sort -u words' 'awk !s[$0]++ words'
  ./lab bench --prepare 'make clean' 'make -j{n}' --parameter-scan n 1 4 --export-json times.json
  ./lab bench --functions search.rs linear binary
  ./lab bench './sort old' './sort new' --until 0.5%
  ./lab bench --gbench ./bench ListCache ClockCache
  ./lab bench --gbench ./bench 'ListCache/{size}' 'ClockCache/{size}' --over size=1024,131072
  ./lab bench ./bench-main ./bench-branch --gbench Get
  ./lab bench --jmh target/benchmarks.jar Old New
  ./lab bench --criterion . old new
  ./lab bench --vitest bench/sort.bench.ts old new
  ./lab bench --go ./cache Old New
  ./lab bench --go ./cache Get --at main
  ./lab bench --pytest tests/bench.py test_old test_new
  ./lab bench --jmh target/benchmarks.jar Old New --profile cpu
  ./lab bench './parse old.json' './parse new.json' --counts
  ./lab bench --pattern '([0-9.]+) ns/op' ./a './b --fast'
"""


def share(_context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Parse a half width: `1%` or `0.01`."""
    if text is None:
        return None
    with suppress(ValueError):
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0 < share <= 1:
            return share
    raise click.BadParameter("a share is written as 1% or 0.01", param=parameter)


class HarnessCommand(click.Command):
    """Add an option for each harness, including those of installed packages."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options of harnesses, then the command's own."""
        from perflab.bench.interface import harness_options

        harnesses = [
            click.Option([f"--{name}", HARNESS + name], multiple=True, metavar=target, help=f"Compare {text}.")
            for name, (target, text) in harness_options().items()
        ]
        return [*harnesses, *super().get_params(ctx)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse hyperfine's spellings, too."""
        return super().parse_args(ctx, with_equals(args))


def chosen_harnesses(options: dict[str, Any]) -> dict[str, Sequence[str]]:
    """Take the options of harnesses out of all options, and return the targets of those that are given."""
    found = {name.removeprefix(HARNESS): options.pop(name) for name in list(options) if name.startswith(HARNESS)}
    return {name: targets for name, targets in found.items() if targets}


@click.command("bench", cls=HarnessCommand, epilog=_EXAMPLES)
@click.argument("compare", nargs=-1, required=True, metavar="COMMAND...|BENCHMARK...")
@click.option("--pattern", metavar="REGEX", help="The commands print figures: the first group of this expression.")
@click.option("--unit", help="With --pattern: the figure's unit [default: what stands beside the group].")
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="With --pattern: the figures' decimal sign, where `9,569` may be both [default: as the figures tell].",
)
@click.option(
    "--better",
    type=click.Choice(["higher", "lower"]),
    help="Which figures are better, if the unit of --pattern's or --metric's does not tell.",
)
@click.option("--save", metavar="NAME", help="Keep this in the project's perflab.toml: ./lab bench NAME repeats it.")
@click.option(
    "--at", "revision", metavar="REV", help="Of sources: compare one benchmark with itself in this git revision."
)
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=VALUES",
    help="Compare commands or benchmarks at each of these values, which stand for {NAME} in their texts; repeatable.",
)
@command_options
@click.option(
    "--until",
    callback=share,
    metavar="1%",
    help="Go on until the intervals are this narrow (half width), however long it takes; says how long that will be.",
)
@click.option("--metric", help="Compare by this metric [default: time], as cpu or memory of commands.")
@click.option(
    "--pairs",
    type=click.Choice(["sliced", "parallel", "apart"]),
    help="The processes of a round share a core, run at once, or one after the other [default: what tells most here].",
)
@click.option("--counts", is_flag=True, help="Also count instructions, memory accesses and branches, with valgrind.")
@click.option(
    "--profile",
    "mode",
    metavar="MODE",
    help="Show where the time goes, and measure nothing: cpu, wall, lock or alloc; or instructions: counts.",
)
@how_long
@click.pass_obj
@with_output
def bench_command(
    output: Output,
    lab: Lab,
    compare: tuple[str, ...],
    pattern: str | None,
    unit: str | None,
    decimal: Any,  # noqa: ANN401 - click's
    better: Any,  # noqa: ANN401 - click's
    save: str | None,
    revision: str | None,
    metric: str | None,
    pairs: Any,  # noqa: ANN401 - click's
    until: float | None,
    counts: bool,
    mode: str | None,
    preset: str | None,
    seed: int,
    **options: Any,  # noqa: ANN401 - the lengths, and the targets of each harness
) -> int:
    """Compare commands, or benchmarks of a harness, in fresh processes, interleaved in random order.

    Without the option of a harness each argument is a command: its time, CPU time and peak memory are measured, in your
    folder, with no input. If one of them needs a shell, as for a pipe, all run in /bin/sh. Each runs once before, or
    --warmup times, which does not count. Options of hyperfine do here what they do there; docs/bench.md has a table.

    With the option of a harness each argument is the name of a benchmark of it, which perflab runs for a short time in
    each process. Of several builds one benchmark is compared: name them as arguments, and it behind the option. The
    first is the baseline.

    With --at, a benchmark in the working tree takes turns with the same one as it was in a git revision, which is built
    in a work tree of its own.

    A bench that a project's perflab.toml has is repeated by its name alone, as ./lab measure NAME does, in one history
    with it. Claims of a ledger rest on what ./lab reproduce NAME measures.
    """
    from perflab.bench.interface import metric_id
    from perflab.cli.profile import profile_and_show
    from perflab.cli.project import add_bench, check_new_bench, within
    from perflab.measure.harnessed import describe_bench
    from perflab.measure.plan import Request
    from perflab.measure.presets import MOST_ROUNDS, UNTIL_S
    from perflab.measure.profiled import FORKS
    from perflab.topics.catalogue import bench_component

    chosen = chosen_harnesses(options)
    if len(chosen) + (pattern is not None) > 1:
        raise UsageError("one harness at a time", "name one of them")
    harness, of = next(iter(chosen.items()), ("", ()))
    metric = metric and metric_id(metric)
    typed = SavedBench(
        list(compare),
        harness,
        list(of),
        pattern=pattern,
        unit=unit,
        better=better,
        decimal=decimal,
        metric=metric,
        **bench_fields(options),
    )
    if save is not None:
        file = check_new_bench(lab, save)
        if revision is not None:
            raise UsageError("a bench is saved without the revision that it is compared with", "leave one of them out")
        typed, name = msgspec.structs.replace(typed, folder=within(lab)), save
        component, bench = bench_component(lab, save, typed), typed
    else:
        name = _saved(lab, typed)
        component, bench = _component(output, lab, lab.benches[name] if name else typed, name, revision)
    exports = check_exports(options, bench.harness)
    alone = not bench.over and len(describe_bench(bench, component.name, component.folder).variants) == 1
    if alone and mode is None:
        output.note("only one benchmark, so nothing to compare: name a second one, or for sources use --at REV")
    metric = metric or bench.metric
    limits = lengths(options) | round_limits(options)
    if until is not None:
        # What the user limits stays limited.
        limits = {"half_width": until, "budget_s": UNTIL_S, "max_rounds": MOST_ROUNDS} | limits
    # Typed, not saved under a name: this makes the run's kind "bench" (see `plan`), and arms keep the typed labels.
    request = Request(component, preset=preset, overrides=limits, seed=seed, metric=metric, over=bench.over)
    request = replace(request, typed=component.name != name, ways=_ways(pairs, exports))
    if mode is not None:
        profile_and_show(output, lab, request, mode, forks=FORKS)
        return 0
    found, failed = _measured(output, lab, request, exports, counts=counts)
    if save is not None:
        add_bench(file, save, typed)
        output.say(f"saved in {file.name}: {program()} bench {save} repeats it")
    output.result(found)
    return 4 if failed else 0


def _measured(
    output: Output, lab: Lab, request: Request, exports: dict[str, str], *, counts: bool
) -> tuple[dict[str, Any], bool]:
    """Time what is asked for, count it, or both; return the JSON of `--json`, and whether anything dropped out."""
    from perflab.cli.profile import show_profile
    from perflab.measure.analysis import analyse
    from perflab.measure.measure import measure
    from perflab.measure.profiled import check_counts
    from perflab.profile.callgrind import COUNTS

    if request.metric in COUNTS:
        if exports:
            raise UsageError("counts have no exports of hyperfine's", "leave --metric out: --counts")
        found = show_profile(output, lab, request, "counts", forks=1)
        return found, bool(found["failures"])
    if counts:
        check_counts(replace(request, overrides={}), output)
    run = measure(request, output)
    export(run, exports)
    analysis = analyse(run, request.metric)
    found = _show(output, lab, analysis, request.over)
    if counts:
        found["counted"] = _count(output, lab, request, analysis)
    return found, bool(analysis.broken)


def _count(output: Output, lab: Lab, request: Request, timed: Analysis) -> dict[str, Any]:
    """Count what was timed, and say where counts and times disagree."""
    from perflab.cli.counts import compare_with_time
    from perflab.cli.profile import show_profile

    found = show_profile(output, lab, replace(request, overrides={}), "counts", forks=1)
    compare_with_time(output, found["counts"], timed)
    return found


def _ways(pairs: Way | None, exports: object) -> list[Way]:
    """Return how the processes of a round may run; hyperfine's files have wall times."""
    from perflab.measure.pairs import WAYS

    if exports and pairs == "sliced":
        raise UsageError("processes that share a core have no wall time to export", "leave --pairs out")
    return [way for way in WAYS if pairs in {None, way} and not (exports and way == "sliced")]


def _saved(lab: Lab, typed: SavedBench) -> str:
    """Return the name of the saved bench if nothing but that name was typed, else an empty string."""
    name = typed.compare[0]
    if not lab.benches or typed != SavedBench([name], metric=typed.metric):
        return ""
    if name not in lab.benches and is_id(name) and not shutil.which(name):
        raise unknown("command, and no bench", name, lab.benches)
    return name if name in lab.benches else ""


def _component(
    output: Output, lab: Lab, bench: SavedBench, name: str, revision: str | None
) -> tuple[Component, SavedBench]:
    """Return the saved bench, or the one typed; with a revision, compared against that revision."""
    from perflab.cli.project import beside_revision
    from perflab.measure.harnessed import name_of
    from perflab.topics.catalogue import bench_component, find_component

    folder = lab.root / (bench.folder or "") if name else Path.cwd()
    if revision is not None:
        bench = beside_revision(lab, bench, folder, revision)
    elif name:
        return find_component(lab, name), bench
    if not folder.resolve().is_relative_to(lab.root.resolve()):
        output.note(f"results go to {lab.results}; {program()} init makes this folder a project that keeps its own")
    # Record the commit of this folder, wherever the results go.
    bare = msgspec.structs.replace(bench, folder=None)
    return bench_component(replace(lab, root=folder), name_of(bare, folder), bare), bench


def _show(output: Output, lab: Lab, analysis: Analysis, over: Sequence[str]) -> dict[str, Any]:
    """Show all metrics, with `--over` at each value, and return the output of `--json`."""
    from perflab.cli.showing import show_figures
    from perflab.measure.harnessed import COMMAND

    at_each = _at_each(analysis, [text.partition("=")[0] for text in over])
    told = [(one, _others(one)) for one in (analysis, *at_each)]
    shown = told[1:] or told
    show_figures(output, lab, *(one for one, _ in shown))
    for one, others in shown:
        _show_others(output, one, others)
    for arm in analysis.run.header.arms:
        if "..." in arm.label:
            output.say(f"{arm.label} is {arm.params.get(COMMAND) or ', '.join(map(str, arm.params.values()))}")
    whole, *points = (
        {**one.to_dict(), "others": {other.metric.name: other.to_dict() for other in others}} for one, others in told
    )
    return {**whole, "points": points} if points else whole


def _at_each(analysis: Analysis, names: Sequence[str]) -> list[Analysis]:
    """Compare the benchmarks at each value of these parameters; return nothing if a value has only one benchmark."""
    from perflab.measure.analysis import analyse

    points: dict[str, list[str]] = {}
    for arm in analysis.run.header.arms:
        points.setdefault(repr([arm.params.get(name) for name in names]), []).append(arm.label)
    if len(points) == 1 or any(len(labels) == 1 for labels in points.values()):
        return []
    told = [[label for label in labels if label in analysis.summaries] for labels in points.values()]
    return [analyse(analysis.run, analysis.metric.name, labels[0], labels) for labels in told if labels]


def _others(analysis: Analysis) -> list[Analysis]:
    """Analyse the other metrics whose inputs were recorded."""
    from perflab.measure.analysis import analyse

    labels, base = list(analysis.summaries), analysis.baseline
    candidates = [label for label in labels if label != base]
    found = []
    for name in analysis.run.header.scenario.all_metrics:
        if name == analysis.metric.name:
            continue
        with suppress(UsageError):
            try:
                found.append(analyse(analysis.run, name, base, labels))
            except UsageError:  # the baseline lacks this metric
                found.append(analyse(analysis.run, name, base, candidates))
    return found


def _show_others(output: Output, analysis: Analysis, others: Sequence[Analysis]) -> None:
    rows = []
    for one in others:
        compared = {each.candidate: each for each in one.comparisons}
        for label in analysis.summaries:
            told = one.summaries[label].mean if label in one.summaries else "n/a"
            each = compared.get(label)
            ratio = f"{change_word(each.verdict, each.unit, each.better)}, {each.change}" if each else ""
            rows.append([one.metric.name, label, str(told), ratio])
    if rows:
        columns = ["metric", "variant", "mean", f"against {analysis.baseline}" if any(row[-1] for row in rows) else ""]
        show_table(output, columns, rows, title="What else was measured")
