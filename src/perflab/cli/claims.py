"""`lab claims`, `lab table` and `lab report`: verdicts and scores from the runs in the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output
from perflab.model.errors import StoreError, UsageError
from perflab.model.lab import program

if TYPE_CHECKING:
    from perflab.model.lab import Lab


_WITH = click.option(
    "--with",
    "bundles",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Show the verdicts of this evidence bundle (./lab export) beside those here; repeatable.",
)


@click.command(
    "claims",
    epilog="""\b
Examples:
  ./lab claims cajun
  ./lab claims cajun --with mine.zip --with theirs.zip
  ./lab claims new README.md               draft a ledger from what a file says
  ./lab claims --schema > ledger.json      for editors""",
)
@click.argument("report", required=False)
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--schema", is_flag=True, help="Print the JSON Schema of ledgers.")
@click.option("--statements", is_flag=True, help="Show only what the report says, without verdicts.")
@click.option("--verdict", multiple=True, help="Show only claims with this verdict; repeatable.")
@_WITH
@click.pass_obj
@with_output
def claims_command(
    output: Output,
    lab: Lab,
    report: str | None,
    file: Path | None,
    schema: bool,
    statements: bool,
    verdict: tuple[str, ...],
    bundles: tuple[Path, ...],
) -> int:
    """List the claims of REPORT, or of all reports, each with its verdict, interval and runs.

    A verdict rests on this machine's newest reproduction, or, if there is none, on the committed reference run, and
    then says so; on what `measure` explored only if the claim names that run. Below each report stands how many of its
    verdicts chance may have made wrong. The exit status is 1 if a claim that was expected to hold is refuted.

    With bundles, each machine has a column of its own: figures of different machines are never pooled.

    `new FILE` drafts a ledger from the tables and sentences with figures of a report in Markdown or HTML. What a text
    cannot say is left open in it.
    """
    if schema:
        from perflab.claims.ledger import ledger_schema

        click.echo(json.dumps(ledger_schema(), indent=2))
        return 0
    if file is not None:
        if report != "new":
            raise UsageError(f"one report at a time, not {file} besides", "./lab claims new FILE drafts a ledger")
        _draft(output, lab, file)
        return 0
    if report == "new":
        raise UsageError("claims new drafts a ledger of a file, and none is named", "./lab claims new README.md")
    return _show(output, lab, report, verdict, bundles, statements=statements)


def _names(output: Output, lab: Lab) -> list[str]:
    from perflab.claims.ledger import readable_ledgers

    names = readable_ledgers(lab.claims, output.note)
    if not names:
        raise UsageError(f"no ledger in {lab.claims}", f"{program()} claims new README.md drafts one")
    return names


def _show(
    output: Output,
    lab: Lab,
    report: str | None,
    verdict: tuple[str, ...],
    bundles: tuple[Path, ...],
    *,
    statements: bool,
) -> int:
    from perflab.claims.bundled import side_by_side
    from perflab.claims.ledger import check_ledger, read_ledger, topic_of
    from perflab.claims.verdict import VERDICTS, expected_wrong, judge_ledger
    from perflab.cli.showing import show_machines, show_statements, show_verdicts
    from perflab.model.errors import LabError, unknown
    from perflab.topics.build import is_own_build

    for word in verdict:
        if word not in VERDICTS:
            raise unknown("verdict", word, VERDICTS)
    verdicts, chance, short = [], {}, False
    beside: list[dict[str, Any]] = []
    wrong: list[LabError] = []
    names = [report] if report else _names(output, lab)
    for name in names:
        ledger = read_ledger(name, lab.claims)
        if statements:
            show_statements(output, ledger)
            continue
        try:
            judged = judge_ledger(lab, ledger)
            if any(one.word == "not run" for one in judged):
                # A misspelt name matches no run. Only a built topic can list its names.
                component = topic_of(ledger, lab)
                if is_own_build(component):
                    from perflab.measure.plan import described

                    check_ledger(ledger, component, described(component, output))
        except LabError as error:
            wrong.append(error)
            if len(wrong) == len(names):
                raise
            output.note(f"{name} is left out: {error}")
            continue
        short |= any(one.short for one in judged)
        shown = [one for one in judged if not verdict or one.word in verdict]
        if bundles:
            machines = side_by_side(lab, ledger, bundles)
            show_machines(output, ledger, machines, [one.claim.id for one in shown])
            beside += [{"report": ledger.report, **one.to_dict()} for one in machines]
        else:
            show_verdicts(output, ledger.title, shown)
            output.say(str(expected_wrong(judged)))
        chance[ledger.report] = expected_wrong(judged)._asdict()
        verdicts += [(ledger.report, one) for one in shown]
    found = {"claims": [{"report": name, **one.to_dict()} for name, one in verdicts], "chance": chance}
    output.result({**found, "machines": beside} if bundles else found)
    return int(short)


def _draft(output: Output, lab: Lab, file: Path) -> None:
    """Write a draft of a ledger, for the only topic or bench if there is one."""
    from perflab.claims.draft import draft
    from perflab.claims.ledger import OPEN, find_ledgers
    from perflab.measure.plan import described
    from perflab.topics.build import is_own_build
    from perflab.topics.catalogue import find_components

    components = find_components(lab)
    one = components[0] if len(components) == 1 else None
    # Drafting a ledger of foreign sources builds none of them.
    description = described(one, output) if one and is_own_build(one) else None
    name, text, number = draft(file, one.name if one else OPEN, description)
    path = lab.claims / f"{name}.yaml"
    if name in find_ledgers(lab.claims):
        raise UsageError(f"there is a ledger {name} already: {path}", "rename one of them")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", "make its folder writable") from None
    output.print(f"{path}: {number} drafted")
    output.print(f"next: fill in each {OPEN}, take out what is no claim, then {program()} claims {name}")
    output.result({"ledger": str(path), "claims": number})


@click.command("export", epilog="Example: ./lab export cajun -o mine.zip")
@click.argument("names", nargs=-1, metavar="[REPORT]...")
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("evidence.zip"), show_default=True)
@click.pass_obj
@with_output
def export_command(output: Output, lab: Lab, names: tuple[str, ...], out: Path) -> None:
    """Write what this machine's verdicts on REPORTs, or on all reports, rest on to one file, a bundle.

    It holds runs, profiles' shares, tests' outcomes, the machine and the revision; your home folder, user name, host
    name and known secrets are replaced. Others see your verdicts beside theirs with ./lab claims --with.
    """
    from perflab.claims.bundled import export
    from perflab.claims.ledger import readable_ledgers

    bundle, replaced = export(lab, names or readable_ledgers(lab.claims, output.note), out)
    output.print(f"{out}: {len(bundle.files)} files of {', '.join(bundle.reports)}, measured on {bundle.machine.title}")
    output.print(f"replaced: {replaced or 'nothing'}")
    output.print(f"next: ./lab claims {bundle.reports[0]} --with {out}")
    output.result({"bundle": str(out), "reports": bundle.reports, "files": bundle.files, "replaced": replaced})


@click.command("report", epilog="Examples: ./lab report --open; ./lab report cajun --out public; ./lab report --badges")
@click.argument("names", nargs=-1, metavar="[REPORT]...")
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write [default: results/report].")
@click.option("--badges", is_flag=True, help="Write only each report's badge, an SVG file.")
@click.option("--notebook/--no-notebook", default=True, help="Render the executed notebooks as well.")
@click.option("--open", "opened", is_flag=True, help="Open the site in a browser.")
@_WITH
@click.pass_obj
@with_output
def report_command(
    output: Output,
    lab: Lab,
    names: tuple[str, ...],
    out: Path | None,
    badges: bool,
    notebook: bool,
    opened: bool,
    bundles: tuple[Path, ...],
) -> None:
    """Write the verdicts on REPORTs, or on all reports, with their evidence, as a static site.

    The site is one folder that works offline: every claim with its runs and what is true instead, the executed
    notebooks, the machine, the documents and the data. A verdict rests on this machine's newest reproduction, or, if
    there is none, on the committed reference run.
    """
    import webbrowser

    from perflab.site.site import judge_reports, write_badges, write_site

    if badges:
        reports = judge_reports(lab, output, names)
        written = write_badges(reports, out or lab.results / "badges")
        output.print(
            *(f"{path}: {report.score}{report.disturbance}" for path, report in zip(written, reports, strict=True))
        )
        output.result({"badges": [str(path) for path in written]})
        return
    site = write_site(lab, out or lab.results / "report", output, names, notebooks=notebook, bundles=bundles)
    output.print(*(f"{report.ledger.title}: {report.score}{report.disturbance}" for report in site.reports))
    output.print(f"replaced: {site.replaced or 'nothing'}")
    output.say(f"report: {site.index}, {len(site.pages)} pages")
    output.result(
        {
            "index": str(site.index),
            "pages": len(site.pages),
            "replaced": site.replaced,
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
    from perflab.claims.standings import find_table_runs, standings
    from perflab.cli.showing import show_standings
    from perflab.topics.catalogue import find_component

    component = find_component(lab, topic)
    found = standings(component, find_table_runs(component))
    show_standings(output, found)
    output.result(found.to_dict())
