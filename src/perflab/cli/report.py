"""`lab report`: verdicts and evidence as a static site."""

from __future__ import annotations

from pathlib import Path

import click

from perflab.cli.output import Output, with_output


@click.command("report", epilog="Examples: ./lab report --open; ./lab report cajun --out public; ./lab report --badges")
@click.argument("names", nargs=-1, metavar="[REPORT]...")
@click.option("--out", type=click.Path(path_type=Path), help="The folder; results/report without it.")
@click.option("--badges", is_flag=True, help="Only each report's badge, an SVG file.")
@click.option("--notebook/--no-notebook", default=True, help="Render the executed notebooks as well.")
@click.option("--open", "opened", is_flag=True, help="Open it in a browser.")
@with_output
def report_command(
    output: Output, names: tuple[str, ...], out: Path | None, badges: bool, notebook: bool, opened: bool
) -> None:
    """Write the verdicts on REPORTs, or on all, with their evidence, as a static site.

    It is one folder that works offline and from a file: every claim with what was run and what is true instead, the
    executed notebooks, the machine, the documents and the data. Verdicts come from this machine's newest runs, without
    any from the committed reference runs.
    """
    import webbrowser

    from perflab.paths import RESULTS_DIR
    from perflab.site import judge_reports, write_badges, write_site

    if badges:
        reports = judge_reports(output, names)
        written = write_badges(reports, out or RESULTS_DIR / "badges")
        output.print(*(f"{path}: {report.score}" for path, report in zip(written, reports, strict=True)))
        output.result({"badges": [str(path) for path in written]})
        return
    site = write_site(out or RESULTS_DIR / "report", output, names, notebooks=notebook)
    output.print(*(f"{report.ledger.title}: {report.score}" for report in site.reports))
    output.say(f"report: {site.index}, {len(site.pages)} pages")
    output.result(
        {
            "index": str(site.index),
            "pages": len(site.pages),
            "badges": [str(path) for path in site.badges],
            "reports": [
                {
                    "report": report.name,
                    "claims": len(report.verdicts),
                    "reproduced": report.score.reproduced,
                    "testable": report.score.testable,
                    "verdicts": report.counts,
                }
                for report in site.reports
            ],
        }
    )
    if opened:
        webbrowser.open(site.index.resolve().as_uri())
