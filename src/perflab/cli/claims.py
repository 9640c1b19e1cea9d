"""`lab claims`: the verdicts."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


@click.command("claims", epilog="Example: ./lab claims cajun --json")
@click.argument("report", required=False)
@click.option("--statements", is_flag=True, help="Only what the report says: to predict before looking.")
@click.option("--verdict", multiple=True, help="Only claims with this verdict; repeat it for more.")
@with_output
def claims_command(output: Output, report: str | None, statements: bool, verdict: tuple[str, ...]) -> int:
    """List the claims of REPORT, or of all, each with its verdict, interval and runs.

    Verdicts come from this machine's newest runs; without any from the committed reference runs, and then say so.
    The status is 1 if a claim that was expected to hold is refuted.
    """
    from perflab.claims import VERDICTS, check_ledger, find_ledgers, gather, judge, read_ledger
    from perflab.cli.showing import show_statements, show_verdicts
    from perflab.components import describe, find_component, is_built
    from perflab.errors import unknown

    for word in verdict:
        if word not in VERDICTS:
            raise unknown("verdict", word, VERDICTS)
    verdicts, short = [], False
    for name in [report] if report else find_ledgers():
        ledger = read_ledger(name)
        if statements:
            show_statements(output, ledger)
            continue
        evidence = gather(ledger)
        judged = [judge(claim, evidence[claim.id]) for claim in ledger.claims]
        if any(one.word == "not run" for one in judged):
            # No run fits a name that is misspelt in the ledger. Only a topic that is built can be asked for its names.
            component = find_component(ledger.component)
            if is_built(component):
                check_ledger(ledger, component, describe(component))
        short |= any(one.short for one in judged)
        shown = [one for one in judged if not verdict or one.word in verdict]
        show_verdicts(output, ledger.title, shown)
        verdicts += [(ledger.report, one) for one in shown]
    output.result({"claims": [{"report": name, **one.to_dict()} for name, one in verdicts]})
    return int(short)
