"""`lab chart`: a run's charts."""

from __future__ import annotations

from pathlib import Path

import click

from perflab.cli.output import Output, with_output


@click.command("chart", epilog="Example: ./lab chart latest --kind latency --png")
@click.argument("run", default="latest")
@click.option(
    "--kind",
    help="ratios, values, distribution, latency, parts, swaps, or of its topic's table heat or scores; all without it.",
)
@click.option("--metric", help="A metric of the scenario instead of its headline.")
@click.option("--png", "as_png", is_flag=True, help="Also as PNG, drawn by this machine's Chromium.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="The folder; results/charts/RUN without it.")
@with_output
def chart_command(
    output: Output, run: str, kind: str | None, metric: str | None, as_png: bool, target: Path | None
) -> None:
    """Draw the charts of RUN as pages that open without the lab."""
    from perflab.analysis import analyse, find_table_runs, standings
    from perflab.charts import bundle, png
    from perflab.components import find_component
    from perflab.errors import unknown
    from perflab.gallery import CHARTS, TABLE_CHARTS, run_charts, table_charts, write_html
    from perflab.paths import RESULTS_DIR
    from perflab.store import find_run

    found = find_run(run)
    if kind is not None and kind not in CHARTS | TABLE_CHARTS:
        raise unknown("kind of chart", kind, CHARTS | TABLE_CHARTS)
    if kind in TABLE_CHARTS:
        component = find_component(found.header.component)
        charts = table_charts(standings(component, find_table_runs(component)))
    else:
        charts = run_charts(analyse(found, metric))
    if kind is not None and kind not in charts:
        raise unknown(f"chart of {found.id}", kind, charts)
    chosen = {name: chart for name, chart in charts.items() if kind in {None, name}}
    folder = target or RESULTS_DIR / "charts" / found.id
    written = [write_html(chart, folder / f"{name}.html") for name, chart in chosen.items()]
    if as_png:
        for name, image in zip(chosen, png(list(chosen.values())), strict=True):
            written.append(folder / f"{name}.png")
            written[-1].write_bytes(image)
    for chart in chosen.values():
        output.display(bundle(chart, with_png=as_png))
    output.print(*map(str, written))
    output.result({"run": found.id, "charts": [str(path) for path in written]})
