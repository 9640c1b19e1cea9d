"""`lab compare`: what a run says, or two runs, two saved baselines, or two revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from perflab.cli.gating import GateFiles, gate_options, judge
from perflab.cli.options import measuring, request
from perflab.cli.output import Output, with_output
from perflab.errors import UsageError

if TYPE_CHECKING:
    from perflab.cli.named import Named


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
    from perflab.cli.beside import beside
    from perflab.cli.named import find_named

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
    from perflab.analysis import analyse
    from perflab.cli.showing import show_analysis

    if files:
        raise UsageError("--markdown and --junit write verdicts on B against A", "name two")
    show_analysis(output, analyse(one.runs[0], metric, baseline))
    return 0


def _two(
    output: Output, before: Named, after: Named, variants: tuple[str, ...], metric: str | None, files: GateFiles
) -> int:
    from perflab.analysis import compare_runs
    from perflab.cli.showing import show_analysis
    from perflab.components import find_component
    from perflab.runner import pair_runs

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
