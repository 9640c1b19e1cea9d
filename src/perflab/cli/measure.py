"""`lab measure`: variants against each other, against a saved baseline, or against another revision."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.compare import GateFiles, gate_options, judge
from perflab.cli.options import measuring, pairs, plugin_option, request, topic_argument
from perflab.cli.output import Output, with_output
from perflab.cli.showing import show_analysis, show_figures
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perflab.measure.plan import BuiltVersion, Request
    from perflab.measure.versions import VersionComparison
    from perflab.model.lab import Lab
    from perflab.model.protocol import Description, Scenario
    from perflab.store.baselines import SavedBaseline
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component
    from perflab.topics.revisions import Commit


def find_baseline(
    output: Output, lab: Lab, topic: str, name: str | None, scenario: str | None, params: Sequence[str]
) -> list[SavedBaseline] | None:
    """What is saved under a name, of this scenario and these parameters if they are given.

    Returns:
        `None` if no baseline of the topic has this name, or one of its variants has it.

    Raises:
        UsageError: If the baseline does not hold what was asked for.
    """
    from perflab.store.baselines import find_baselines
    from perflab.topics.catalogue import find_component, select_scenario

    records = find_baselines(lab.results, topic, name) if name is not None else []
    if not records:
        return None
    description = _described(find_component(lab, topic), output)
    if name in {variant.name for variant in description.variants}:
        return None
    if scenario is not None:
        held = sorted({one.scenario for one in records})
        select_scenario(description, scenario)
        records = [one for one in records if one.scenario == scenario]
        if not records:
            raise UsageError(f"the baseline {name!r} holds no {scenario!r}", f"it holds: {', '.join(held)}")
    if params:
        given = pairs(params)
        records = [one for one in records if _measured_with(one, select_scenario(description, one.scenario), given)]
        if not records:
            raise UsageError(f"the baseline {name!r} was not measured with {', '.join(params)}", "leave --param out")
    return records


def _measured_with(record: SavedBaseline, scenario: Scenario, given: Mapping[str, str]) -> bool:
    from perflab.topics.catalogue import check_parameters

    if not given.keys() <= {parameter.name for parameter in scenario.parameters}:
        return False
    return check_parameters(scenario, given).items() <= record.settings.items()


def save_baselines(output: Output, request: Request, name: str, *, overwrite: bool) -> int:
    """Measure, and keep it under a name: the scenarios that the manifest has thresholds for, or the one asked for."""
    from perflab.measure.analysis import analyse
    from perflab.measure.measure import measure
    from perflab.measure.versions import check_free
    from perflab.topics.catalogue import check_parameters, select_scenario

    component = request.component
    description = _described(component, output)
    chosen = _scenarios_to_judge(component, request)
    for scenario in chosen:
        one = select_scenario(description, scenario)
        settings = one.settings(check_parameters(one, request.params))
        check_free(component, name, description, one, settings, overwrite=overwrite)
    analyses = []
    for scenario in chosen:
        run = measure(dataclasses.replace(request, scenario=scenario), output)
        analyses.append(analyse(run))
        show_figures(output, component.lab, analyses[-1])
        _keep(output, component, name, run)
    output.result({"saved_as": name, "runs": [one.to_dict() for one in analyses]})
    return 4 if any(one.broken for one in analyses) else 0


def repeat_baseline(
    output: Output,
    request: Request,
    records: Sequence[SavedBaseline],
    *,
    files: GateFiles,
    alone: bool,
    save_as: str | None,
    overwrite: bool,
) -> int:
    """Measure what is saved again, judge it, and keep it under another name if there is one."""
    from perflab.measure.versions import check_free, measure_saved, read_saved
    from perflab.topics.catalogue import select_scenario

    readable, unreadable = read_saved(records, request.component.lab.results)
    if save_as is not None:
        description = _described(request.component, output)
        for record, _ in readable:
            scenario = select_scenario(description, record.scenario)
            check_free(request.component, save_as, description, scenario, record.settings, overwrite=overwrite)

    def measured() -> Iterator[VersionComparison]:
        for record, _ in readable:
            yield (compared := measure_saved(request, record, output, alone=alone))
            if save_as is not None:
                _keep(output, request.component, save_as, compared.run)

    facts = {"baseline": records[0].name}
    return judge(output, measured(), request.component.manifest, files, facts, unreadable)


def _keep(output: Output, component: Component, name: str, run: Run) -> None:
    from perflab.measure.versions import save_baseline

    record = save_baseline(component, name, run, output)
    build = "with its build, which runs beside later ones"
    if not record.kept:
        build = "its build could not be kept, so that later ones are not measured side by side with it"
    output.say(f"saved as {name}: {run.header.component} {record.scenario}, {build}")


def _described(component: Component, output: Output) -> Description:
    """What the bench program says about itself, built first if need be."""
    from perflab.host.lock import measurement_lock
    from perflab.measure.plan import described

    with measurement_lock(component.lab.lock):
        return described(component, output)


def _scenarios_to_judge(component: Component, request: Request) -> Sequence[str | None]:
    """The one asked for, else those that the manifest has thresholds for, else the topic's first, which is `None`."""
    named = [name for one in component.manifest.threshold for name in one.scenarios]
    return list(dict.fromkeys(named)) if named and request.scenario is None else [request.scenario]


def measure_at(
    output: Output, request: Request, baseline: Commit, files: GateFiles, *, candidate: Commit | None = None
) -> int:
    """Measure what a topic was at a commit beside what it is now, or was at another commit, and judge it.

    Without a scenario, those that the manifest has thresholds for, as far as both have them.
    """
    from perflab.measure.versions import build_revisions, measure_revisions

    component = request.component
    before, after = build_revisions(component, baseline, output, candidate=candidate)
    chosen = _scenarios_to_judge(component, request)
    if request.scenario is None and chosen != [None]:
        chosen = _in_both(output, chosen, before, after)

    def measured() -> Iterator[VersionComparison]:
        for scenario in chosen:
            yield measure_revisions(before, after, dataclasses.replace(request, scenario=scenario), output)

    return judge(output, measured(), component.manifest, files, {"baseline": before.name, "now": after.name})


def _in_both(
    output: Output, wanted: Sequence[str | None], before: BuiltVersion, after: BuiltVersion
) -> Sequence[str | None]:
    from perflab.measure.versions import common_scenarios

    common = common_scenarios(before, after)
    for name in wanted:
        if name not in common:
            output.note(f"the scenario {name} is left out: it is not in both {before.name} and {after.name}")
    both = [name for name in wanted if name in common]
    if not both:
        raise UsageError(
            f"none of the scenarios with thresholds is in both {before.name} and {after.name}",
            f"--scenario with one of: {', '.join(common) or 'none'}",
        )
    return both


@click.command("noise", epilog="Example: ./lab noise mailbox --scenario burst --variant linked --quick")
@topic_argument
@click.option("--variant", "-v", help="The variant [default: the first that supports the scenario].")
@measuring
@click.pass_obj
@with_output
def noise_command(output: Output, lab: Lab, topic: str, variant: str | None, **options: object) -> None:
    """Measure a variant of TOPIC against itself, to find the noise of this machine.

    The run is kept, and charts of the scenario show the noise band.
    """
    from perflab.measure.analysis import analyse, band_of
    from perflab.measure.measure import measure_noise

    run = measure_noise(request(lab, topic, variants=[variant] if variant else [], **options), output)  # type: ignore[arg-type]
    band = band_of(run, run.header.scenario.headline.of)
    if band is not None:
        output.say(
            f"Noise band: {run.header.arms[0].variant} against itself is {band.ratio} "
            f"({band.coverage:.0%} of experiments of {band.rounds} rounds); "
            f"false alarms: {band.false_alarms:.1%}."
        )
    show_analysis(output, lab, analyse(run))


@click.command(
    "measure", epilog="Example: ./lab measure mailbox --scenario burst --variant resizable --variant linked --quick"
)
@topic_argument
@click.option(
    "--variant", "-v", "variants", multiple=True, help="A variant; repeatable [default: all that support the scenario]."
)
@click.option(
    "--baseline",
    metavar="VARIANT|NAME",
    help="Compare the others with this variant [default: the first with the role `before`]. Or the name of a saved "
    "baseline: measure its variants again; the exit status is 1 if a metric regressed beyond its threshold.",
)
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=VALUES",
    help="Let each variant take turns with itself at these values of a parameter, as in size=1,1000: drift cancels, as "
    "it does not between the runs of ./lab sweep.",
)
@click.option(
    "--at",
    "revision",
    metavar="REV",
    help="Also build this git revision, and compare the working tree, with its uncommitted changes, to it in the "
    "same rounds; the exit status is 1 if a metric regressed beyond its threshold.",
)
@click.option("--save-baseline", metavar="NAME", help="Save the run as a baseline of this name.")
@click.option("--overwrite", is_flag=True, help="Let --save-baseline replace an existing baseline.")
@click.option(
    "--saved-forks", is_flag=True, help="Compare with the saved samples instead of running the saved build again."
)
@click.option("--metric", help="Compare by this metric [default: the scenario's headline].")
@gate_options
@plugin_option
@measuring
@click.pass_obj
@with_output
def measure_command(
    output: Output,
    lab: Lab,
    topic: str,
    revision: str | None,
    metric: str | None,
    save_baseline: str | None,
    overwrite: bool,
    saved_forks: bool,
    markdown: str | None,
    junit: str | None,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Measure variants of TOPIC against each other, in fresh processes, interleaved in random order.

    With the name of a saved baseline, compare its variants with their saved state, in every scenario saved under that
    name. With --at, compare them with a git revision, which is built in a work tree of its own (./lab revisions).
    """
    from perflab.measure.analysis import analyse
    from perflab.measure.measure import measure
    from perflab.topics.revisions import find_commit

    files = GateFiles(markdown, junit)
    files.check(output)
    if overwrite and save_baseline is None:
        raise UsageError("--overwrite says what --save-baseline may do", "add --save-baseline NAME")
    if revision is not None:
        _check_at(options, metric=metric, save_baseline=save_baseline, saved_forks=saved_forks)
        return measure_at(output, request(lab, topic, **options), find_commit(lab.root, revision), files)
    records = find_baseline(output, lab, topic, options["baseline"], options["scenario"], options["params"])
    if options["over"] and (records is not None or save_baseline is not None):
        raise UsageError("a saved baseline has one value of each parameter", "leave --over out")
    if records is not None:
        if metric is not None:
            raise UsageError("a saved baseline is judged by all its metrics", "leave --metric out")
        options["baseline"] = None
        return repeat_baseline(
            output,
            request(lab, topic, **options),
            records,
            files=files,
            alone=saved_forks,
            save_as=save_baseline,
            overwrite=overwrite,
        )
    if saved_forks:
        raise UsageError("--saved-forks needs a saved baseline", "--baseline NAME")
    if files:
        raise UsageError(
            "--markdown and --junit write verdicts, and there is nothing to judge by",
            "--at REV, or --baseline with a saved baseline",
        )
    if save_baseline is not None:
        return save_baselines(output, request(lab, topic, **options), save_baseline, overwrite=overwrite)
    analysis = analyse(measure(request(lab, topic, metric=metric, **options), output), metric)
    show_analysis(output, lab, analysis)
    return 4 if analysis.broken else 0


def _check_at(options: dict[str, Any], *, metric: str | None, save_baseline: str | None, saved_forks: bool) -> None:
    """Refuse what has no meaning beside a revision."""
    if options["baseline"] is not None:
        raise UsageError("--at compares each variant with itself at that revision", "leave --baseline out")
    if options["over"]:
        raise UsageError("a revision is compared at one value of each parameter", "--param in place of --over")
    if metric is not None:
        raise UsageError("a revision is judged by all its metrics", "leave --metric out")
    if save_baseline is not None or saved_forks:
        raise UsageError("--at needs no saved baseline, and saves none", "leave --save-baseline and --saved-forks out")
    if options["plugin"] is not None:
        raise UsageError("a plug-in is no part of a revision", "leave --plugin out")
