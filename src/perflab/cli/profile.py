"""`lab profile`: where the time goes."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from perflab.cli.options import pairs, params_option, plugin_option, scenario_option, topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from perflab.charts.timeline import Timeline
    from perflab.measure.plan import Request
    from perflab.model.lab import Lab


@click.command(
    "profile",
    epilog="Example: ./lab profile mailbox --scenario burst --variant resizable --against linked --mode lock",
)
@topic_argument
@scenario_option
@click.option("--variant", "-v", required=True, help="The variant.")
@click.option("--against", help="A second variant, to show what changed from the first to it.")
@click.option("--mode", "-m", default="cpu", show_default=True, help="cpu, wall, lock or alloc; counts: instructions.")
@params_option
@click.option("--forks", type=click.IntRange(1, 50), default=3, show_default=True, help="Processes per variant.")
@click.option("--open/--no-open", "opened", default=None, help="Open the views in a browser [default: on a terminal].")
@plugin_option
@click.pass_obj
@with_output
def profile_command(
    output: Output,
    lab: Lab,
    topic: str,
    scenario: str | None,
    variant: str,
    against: str | None,
    mode: str,
    params: tuple[str, ...],
    forks: int,
    opened: bool | None,
    plugin: Path | None,
) -> None:
    """Show where the time of a variant of TOPIC goes, and what is different in another one."""
    from perflab.measure.plan import Request
    from perflab.topics.catalogue import find_component

    names = [variant, *([against] if against else [])]
    plugin = plugin.resolve() if plugin else None
    component = find_component(lab, topic)
    request = Request(component, scenario, names, pairs(params), plugin=plugin, baseline=variant)
    profile_and_show(output, lab, request, mode, forks=forks, opened=opened)


def profile_and_show(
    output: Output, lab: Lab, request: Request, mode: str, *, forks: int, opened: bool | None = None
) -> None:
    """Profile what is asked for; show the tables, write the views, and open one: on a terminal, unless told."""
    import sys

    found = show_profile(output, lab, request, mode, forks=forks)
    views = found["views"]
    if opened or (opened is None and output.mode == "human" and sys.stdout.isatty()):
        webbrowser.open(Path(views.get("difference") or next(iter(views.values()))).as_uri())
    output.result(found)


def show_profile(output: Output, lab: Lab, request: Request, mode: str, *, forks: int) -> dict[str, Any]:
    """Profile or count what is asked for, show the tables and write the views; return the JSON of `--json`."""
    import msgspec

    from perflab.charts.chart import write_charts
    from perflab.charts.flame import profile_charts
    from perflab.cli.counts import counts_of, show_counts
    from perflab.cli.showing import show_profiles
    from perflab.measure.profiled import count, profile
    from perflab.store.records import profile_folder

    found: dict[str, Any] = {}
    if mode == "counts":
        run, profiles = count(request, output)
        found = {"run": run.id, "counts": counts_of(run), "failures": run.failures}
        show_counts(output, found["counts"], profiles)
    else:
        profiles = profile(request, mode, output, forks=forks)
    views = write_charts(profile_charts(lab, profiles), profile_folder(profiles[-1][0].id, lab.results))
    show_profiles(output, lab, profiles)
    for path in views.values():
        output.print(f"view: {path}")
    return {
        **found,
        "profiles": [msgspec.to_builtins(record) for record, _ in profiles],
        "views": {name: str(path) for name, path in views.items()},
    }


_SHAPE = """{"title": "a stall",
  "spans": [{"thread": "consumer", "state": "waits", "start_ns": 0, "end_ns": 9000, "note": ""}],
  "moments": [{"at_ns": 4000, "label": "sent"}]}"""


@click.command("timeline", epilog="Example: ./lab timeline stall.json")
@click.argument("file", type=click.File(encoding="utf-8"))
@with_output
def timeline_command(output: Output, file: IO[str]) -> None:
    """Draw what threads did when, from FILE (- for standard input).

    FILE holds JSON: a title, spans of a thread in a state, and moments that are marked; times in nanoseconds of any
    common clock. Notebooks call this through their labkit.
    """
    from perflab.charts.timeline import timeline_chart

    read = _read(file)
    chart = timeline_chart(read.spans, moments=read.moments, title=read.title)
    output.show(chart)
    output.result({"title": chart.title, "spans": len(read.spans), "moments": len(read.moments)})


def _read(file: IO[str]) -> Timeline:
    import msgspec

    from perflab.charts.timeline import Timeline
    from perflab.model.errors import UsageError, one_line
    from perflab.model.files import UNREADABLE

    try:
        text = file.read()
        found = msgspec.json.decode(text, type=Timeline)
    except UNREADABLE as error:
        raise UsageError(f"{file.name} is no timeline: {one_line(error)}", f"it should look like {_SHAPE}") from error
    if not found.spans:
        raise UsageError(f"{file.name} holds no span", f"it should look like {_SHAPE}")
    return found


@click.command("chart", epilog="Example: ./lab chart latest --kind latency --png")
@click.argument("run", default="latest")
@click.option(
    "--kind",
    help="ratios, values, distribution, latency, parts or swaps; heat or scores of its topic's table [default: all].",
)
@click.option("--metric", help="Show this metric [default: the scenario's headline].")
@click.option("--png", "as_png", is_flag=True, help="Also draw the charts as PNG, with this machine's Chromium.")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="The folder to write [default: results/charts/RUN]."
)
@click.pass_obj
@with_output
def chart_command(
    output: Output, lab: Lab, run: str, kind: str | None, metric: str | None, as_png: bool, target: Path | None
) -> None:
    """Draw the charts of RUN as pages that open without the lab."""
    from perflab.charts.chart import write_charts
    from perflab.charts.heat import TABLE_CHARTS, table_charts
    from perflab.charts.run_charts import CHARTS, run_charts
    from perflab.claims.standings import find_table_runs, standings
    from perflab.measure.analysis import analyse
    from perflab.model.errors import unknown
    from perflab.store.runs import find_run
    from perflab.topics.catalogue import find_component

    found = find_run(run, lab.results)
    if kind is not None and kind not in {*CHARTS, *TABLE_CHARTS}:
        raise unknown("kind of chart", kind, [*CHARTS, *TABLE_CHARTS])
    if kind in TABLE_CHARTS:
        component = find_component(lab, found.header.component)
        charts = table_charts(standings(component, find_table_runs(component)))
    else:
        charts = run_charts(lab, analyse(found, metric))
    if kind is not None and kind not in charts:
        raise unknown(f"chart of {found.id}", kind, charts)
    chosen = {name: chart for name, chart in charts.items() if kind in {None, name}}
    written = write_charts(chosen, target or lab.results / "charts" / found.id, with_png=as_png).values()
    for chart in chosen.values():
        output.draw(chart, with_png=as_png)
    output.print(*map(str, written))
    output.result({"run": found.id, "charts": [str(path) for path in written]})
