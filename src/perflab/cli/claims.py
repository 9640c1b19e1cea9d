"""`lab claims`: the verdicts."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


@click.command("claims", epilog="Example: ./lab claims cajun --json")
@click.argument("report", required=False)
@click.option("--verdict", multiple=True, help="Only claims with this verdict; repeat it for more.")
@with_output
def claims_command(output: Output, report: str | None, verdict: tuple[str, ...]) -> int:
    """List the claims of REPORT, or of all, each with its verdict, interval and runs.

    Verdicts come from this machine's newest runs; without any from the committed reference runs, and then say so.
    The status is 1 if a claim that was expected to hold is refuted.
    """
    from perflab.claims import VERDICTS, find_ledgers, gather, judge, read_ledger
    from perflab.cli.showing import verdict_bundle, verdict_table
    from perflab.errors import unknown

    for word in verdict:
        if word not in VERDICTS:
            raise unknown("verdict", word, VERDICTS)
    verdicts = []
    for name in [report] if report else find_ledgers():
        ledger = read_ledger(name)
        evidence = gather(ledger)
        judged = [judge(claim, evidence[claim.id]) for claim in ledger.claims]
        shown = [one for one in judged if not verdict or one.word in verdict]
        output.print(verdict_table(ledger.title, shown))
        output.display(verdict_bundle(ledger.title, shown))
        verdicts += [(ledger.report, one) for one in shown]
    output.result({"claims": [{"report": name, **one.to_dict()} for name, one in verdicts]})
    return int(any(one.short for _, one in verdicts))
