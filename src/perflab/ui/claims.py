"""`lab claims`, `lab table` and `lab report`: verdicts and scores from the runs in the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab.model.files import place_in
from perflab.ui.options import topic_argument
from perflab.ui.output import Output, with_output

if TYPE_CHECKING:
    from perflab.model.lab import Lab


@click.command("claims", epilog="Example: ./lab claims cajun --json")
@click.argument("report", required=False)
@click.option("--statements", is_flag=True, help="Show only what the report says, without verdicts.")
@click.option("--verdict", multiple=True, help="Show only claims with this verdict; repeatable.")
@click.pass_obj
@with_output
def claims_command(output: Output, lab: Lab, report: str | None, statements: bool, verdict: tuple[str, ...]) -> int:
    """List the claims of REPORT, or of all reports, each with its verdict, interval and runs.

    A verdict rests on this machine's newest run, or, if there is none, on the committed reference run, and then says
    so. Below each report stands how many of its verdicts chance may have made wrong. The exit status is 1 if a claim
    that was expected to hold is refuted.
    """
    from perflab.components.build import is_built
    from perflab.components.catalogue import find_component
    from perflab.components.program import describe
    from perflab.judge.ledger import check_ledger, find_ledgers, read_ledger
    from perflab.judge.verdict import VERDICTS, expected_wrong, judge_ledger
    from perflab.model.errors import unknown
    from perflab.ui.showing import show_statements, show_verdicts

    for word in verdict:
        if word not in VERDICTS:
            raise unknown("verdict", word, VERDICTS)
    verdicts, chance, short = [], {}, False
    for name in [report] if report else find_ledgers(lab.claims):
        ledger = read_ledger(name, lab.claims)
        if statements:
            show_statements(output, ledger)
            continue
        judged = judge_ledger(lab, ledger)
        if any(one.word == "not run" for one in judged):
            # No run fits a name that is misspelt in the ledger. Only a topic that is built can be asked for its names.
            component = find_component(lab, ledger.component)
            if is_built(component):
                check_ledger(ledger, component, describe(component))
        short |= any(one.short for one in judged)
        shown = [one for one in judged if not verdict or one.word in verdict]
        show_verdicts(output, ledger.title, shown)
        chance[ledger.report] = expected_wrong(judged)
        output.say(str(chance[ledger.report]))
        verdicts += [(ledger.report, one) for one in shown]
    output.result(
        {
            "claims": [{"report": name, **one.to_dict()} for name, one in verdicts],
            "chance": {name: one._asdict() for name, one in chance.items()},
        }
    )
    return int(short)


@click.command("report", epilog="Examples: ./lab report --open; ./lab report cajun --out public; ./lab report --badges")
@click.argument("names", nargs=-1, metavar="[REPORT]...")
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write [default: results/report].")
@click.option("--badges", is_flag=True, help="Write only each report's badge, an SVG file.")
@click.option("--notebook/--no-notebook", default=True, help="Render the executed notebooks as well.")
@click.option("--open", "opened", is_flag=True, help="Open the site in a browser.")
@click.pass_obj
@with_output
def report_command(
    output: Output, lab: Lab, names: tuple[str, ...], out: Path | None, badges: bool, notebook: bool, opened: bool
) -> None:
    """Write the verdicts on REPORTs, or on all reports, with their evidence, as a static site.

    The site is one folder that works offline: every claim with its runs and what is true instead, the executed
    notebooks, the machine, the documents and the data. A verdict rests on this machine's newest run, or, if there is
    none, on the committed reference run.
    """
    import webbrowser

    from perflab.view.report import judge_reports, write_badges
    from perflab.view.site import write_site

    if badges:
        reports = judge_reports(lab, output, names)
        written = write_badges(reports, out or place_in(lab.results, "badges"))
        output.print(*(f"{path}: {report.score}" for path, report in zip(written, reports, strict=True)))
        output.result({"badges": [str(path) for path in written]})
        return
    site = write_site(lab, out or place_in(lab.results, "report"), output, names, notebooks=notebook)
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


@click.command("table", epilog="Examples: ./lab table queues; ./lab table queues --json")
@topic_argument
@click.pass_obj
@with_output
def table_command(output: Output, lab: Lab, topic: str) -> None:
    """Show the table of TOPIC: each variant's share of the best in each scenario, void results, and the scores.

    The table is made of this machine's runs, or, if there are none, of the committed reference runs.
    `./lab reproduce TOPIC` measures them.
    """
    from perflab.components.catalogue import find_component
    from perflab.judge.standings import find_table_runs, standings
    from perflab.ui.showing import show_standings

    component = find_component(lab, topic)
    found = standings(component, find_table_runs(component))
    show_standings(output, found)
    output.result(found.to_dict())
