"""`lab claims`, `lab table` and `lab report`: verdicts and scores from the runs in the store."""

from __future__ import annotations

import json
import os
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


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _WithCommands(click.Command):
    """`claims REPORT`, or one of the commands `claims new` and `claims check`."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401 - click's signature
    ) -> click.Context:
        inner = {"new": new_command, "check": check_command}.get(args[0]) if args else None
        if inner is None:
            return super().make_context(info_name, args, parent, **extra)
        return inner.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)


@click.command(
    "claims",
    cls=_WithCommands,
    epilog="""\b
Examples:
  ./lab claims cajun
  ./lab claims cajun --with mine.zip --with theirs.zip
  ./lab claims new README.md               draft a ledger from what a file says
  ./lab claims check                       compare README.md and the ledgers with what was measured
  ./lab claims --schema > ledger.json      for editors""",
)
@click.argument("report", required=False)
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
    """
    if schema:
        from perflab.claims.ledger import ledger_schema

        click.echo(json.dumps(ledger_schema(), indent=2))
        return 0
    return _show(output, lab, report, verdict, bundles, statements=statements)


def _names(output: Output, lab: Lab) -> list[str]:
    from perflab.claims.ledger import readable_ledgers

    names = readable_ledgers(lab.claims, output.note)
    if not names:
        raise _no_ledger(lab)
    return names


def _no_ledger(lab: Lab) -> UsageError:
    return UsageError(f"no ledger in {lab.claims}", f"{program()} claims new README.md drafts one")


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


@click.command("new", epilog="Example: ./lab claims new README.md")
@click.argument("file", type=_FILE)
@click.pass_obj
@with_output
def new_command(output: Output, lab: Lab, file: Path) -> None:
    """Draft a ledger from the tables and sentences with figures of FILE, a report in Markdown or HTML.

    It is for the only topic or bench, if there is one. What a text cannot say is left open in it.
    """
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


@click.command(
    "check",
    epilog="""\b
Examples:
  ./lab claims check                                   in CI
  ./lab claims check --write                           put what was measured into README.md
  ./lab claims check README.md docs/speed.md --strict
  ./lab claims check --with evidence.zip --badge docs/claims.svg""",
)
@click.argument("files", nargs=-1, type=_FILE)
@click.option("--write", is_flag=True, help="Renew what stands between markers.")
@click.option("--strict", is_flag=True, help="Also fail on undecided claims, and on figures that no claim covers.")
@click.option("--with", "bundle", type=_FILE, help="Judge by this evidence bundle (./lab export), not by results here.")
@click.option("--reference", is_flag=True, help="Judge by the committed results, not by this machine's.")
@click.option("--badge", type=click.Path(dir_okay=False, path_type=Path), help="Write the badge, an SVG file.")
@click.pass_obj
@with_output
def check_command(
    output: Output,
    lab: Lab,
    files: tuple[Path, ...],
    write: bool,
    strict: bool,
    bundle: Path | None,
    reference: bool,
    badge: Path | None,
) -> int:
    """Check that FILES, by default the project's README.md, and all ledgers say what was measured.

    The exit status is 1 if a figure between markers differs from the evidence, or if a claim is contradicted by the
    evidence or has none. Sentences with figures that no claim covers are listed.
    """
    from perflab.claims.check import judge_all, read_spots, renewed, uncovered
    from perflab.claims.draft import read_report
    from perflab.model.files import atomic
    from perflab.site.badges import claims_badge

    if bundle and reference:
        raise UsageError("--with and --reference name two sources of evidence", "name one")
    standings = judge_all(lab, bundle, reference=reference)
    if not standings:
        raise _no_ledger(lab)
    readmes = [path for path in sorted(lab.root.iterdir()) if path.name.lower() == "readme.md" and path.is_file()]
    texts = {Path(os.path.relpath(path)): read_report(path) for path in files or readmes[:1]}
    spots = {path: read_spots(path, text, standings) for path, text in texts.items()}
    new = {path: renewed(text, spots[path]) for path, text in texts.items() if write}
    written = [path for path, text in new.items() if text != texts[path]]
    differ = [(path, spot.what, *spot.difference) for path in spots for spot in spots[path] if spot.difference]
    loose = [(path, *one) for path, text in texts.items() for one in uncovered(text, spots[path], standings)]
    failing = {one.name: one.verdict for one in standings if one.fails or (strict and one.verdict.progress == "open")}
    for path in written:
        path.write_bytes(new[path].encode())
        output.print(f"{path}: renewed")
    if badge:
        with atomic(badge) as draft:
            draft.write_text(claims_badge([one.verdict for one in standings]), encoding="utf-8")
        output.print(f"{badge}: written")
    output.print(
        *(
            f"{path}:{line}: {marker.split()[0]}: here {stands!r}, measured {says!r}"
            for path, marker, line, stands, says in differ
        ),
        *(f"{name}: {one.word}: {one.reason}" for name, one in failing.items()),
        *(f"{path}:{line}: no claim covers: {sentence}" for path, line, sentence in loose),
    )
    held = sum(one.verdict.word == "reproduced" for one in standings)
    output.print(f"{held} of {len(standings)} claims reproduced, {len(failing)} fail")
    if differ and not write:
        output.print("next: the same with --write")
    keys = ("file", "marker", "line", "stands", "says")
    claims = [{"report": one.ledger.report, "fails": one.name in failing, **one.verdict.to_dict()} for one in standings]
    output.result(
        {
            "claims": claims,
            "differences": [dict(zip(keys, one, strict=True)) for one in differ],
            "uncovered": [dict(zip(("file", "line", "sentence"), one, strict=True)) for one in loose],
            "written": written,
        }
    )
    return int(bool(failing or (differ and not write) or (loose and strict)))


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

    from perflab.site.badges import write_badges
    from perflab.site.site import judge_reports, write_site

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
