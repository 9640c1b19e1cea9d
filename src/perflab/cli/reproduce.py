"""`lab reproduce`: the main job."""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import INTERRUPTED_STATUS, Output, show_table, shown, time_left, with_output
from perflab.cli.showing import WORD_STYLES, show_doubts, show_standings, show_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.live import Live
    from rich.table import Table

    from perflab.charts.chart import Chart
    from perflab.claims.reproduce import Reproduction, TopicPlan
    from perflab.claims.standings import Standings
    from perflab.claims.verdict import Verdict
    from perflab.model.lab import Lab
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


_REDRAW_S = 0.5
"""Seconds between redraws, which take CPU time beside the measurement."""

_WIDTHS = {"published": 24, "here": 26, "verdict": 14}
"""Maximum widths of these columns in characters; the claims get the rest."""

_NARROW = 100
"""Terminals with fewer columns get no published figure; most claims name it anyway."""

_FRAME_LINES = 8
"""Lines taken by the table's header, the lines below it and the prompt above it."""


class _LiveTable:
    """Table of the claims with published and measured figures, above the current progress."""

    def __init__(self, live: Live, result: Reproduction) -> None:
        self._live, self._result = live, result
        self._narrowing: dict[tuple[str, str], Verdict] = {}
        self._doing, self._drawn = "", 0.0
        self._draw()

    def update(self, done: float, text: str, seconds_left: float | None) -> None:
        left = "" if seconds_left is None else f", {time_left(seconds_left)}"
        self._doing = f"{text} ({done:.0%}){left}" if done else f"{text}{left}"
        self._draw()

    def note(self, text: str) -> None:
        self._live.console.print(f"note: {text}", style="yellow")

    def stop(self) -> None:
        self._live.stop()

    def judged(self, report: str, verdict: Verdict) -> None:
        """Redraw after a verdict, which is in the result."""
        self._narrowing.pop((report, verdict.claim.id), None)
        self._draw(now=True)

    def narrowed(self, report: str, verdict: Verdict) -> None:
        """Redraw after the interval of the current run changed."""
        self._narrowing[report, verdict.claim.id] = verdict
        self._draw()

    def _draw(self, *, now: bool = False) -> None:
        if now or time.monotonic() - self._drawn > _REDRAW_S:
            self._drawn = time.monotonic()
            self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        width, height = self._live.console.size
        table = verdict_table(self._result, width, self._narrowing)
        if table.row_count > height - _FRAME_LINES:
            table = verdict_table(self._result, width, self._narrowing, only=self._current())
        grey = Text("grey: the verdict on the reference machine, where the committed runs were measured", style="dim")
        return Group(table, grey, Text(self._doing), Text("Ctrl-C stops; verdicts so far are kept", style="dim"))

    def _current(self) -> str:
        """Return the report whose claims are being judged, or were judged last."""
        return next(reversed(self._narrowing or self._result.verdicts or self._result.expected), ("", ""))[0]


def verdict_table(
    result: Reproduction, width: int, narrowing: dict[tuple[str, str], Verdict] | None = None, only: str = ""
) -> Table:
    """Return a row per claim: its verdict here, else its state, else its verdict on the reference machine.

    Args:
        result: The reproduction.
        width: Columns of the terminal.
        narrowing: Verdicts of runs that go on.
        only: The report whose claims are shown, and of the others only how many verdicts there are.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, expand=True)
    table.add_column("claim", ratio=1, no_wrap=True, overflow="ellipsis")
    columns = ["here", "verdict"] if width < _NARROW else ["published", "here", "verdict"]
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="ellipsis", max_width=_WIDTHS[column])
    known = {**result.expected, **result.verdicts}
    for report in dict.fromkeys(report for report, _ in known):
        rows = {key: verdict for key, verdict in known.items() if key[0] == report}
        words = Counter(result.verdicts[key].word for key in rows if key in result.verdicts)
        count = ", ".join(f"{number} {word}" for word, number in words.items())
        table.add_row(Text.assemble((report, "bold"), (f"  {count}", "dim")))
        for key, verdict in rows.items() if only in {"", report} else ():
            current = (narrowing or {}).get(key, verdict)
            final, here = key in result.verdicts, key in result.verdicts or key in (narrowing or {})
            style = WORD_STYLES[current.word] if final else "" if here else "bright_black"
            plain = "" if here else "bright_black"
            cells = {
                "published": Text(shown(current.published), style=plain),
                "here": Text(shown(str(current.evidence.estimate or "")), style=plain),
                "verdict": Text(current.word if final else "..." if here else current.word, style=style),
            }
            table.add_row(
                Text(shown(f"  {current.claim.statement}"), style=plain), *(cells[column] for column in columns)
            )
    return table


def show_page(output: Output, result: Reproduction, *, interrupted: bool = False) -> None:
    """Show verdicts and counts, what differs from the reference machine, and next steps."""
    for table in result.tables:
        show_standings(output, table)
    if output.mode != "human":
        for ledger in result.ledgers:
            found = [result.verdicts.get((ledger.report, claim.id)) for claim in ledger.claims]
            show_verdicts(output, ledger.title, [one for one in found if one is not None])
        return
    if result.verdicts:
        output.print(verdict_table(replace(result, expected={}), output.console.width))
    words = Counter(one.word for one in result.verdicts.values())
    counts = ", ".join(f"{number} {word}" for word, number in words.most_common())
    # Claims that miss something on the reference machine have no expected verdict.
    claims = result.expected.keys() | result.verdicts.keys()
    judged = sum(number for word, number in words.items() if word != "not run")
    output.print(f"{judged} of {len(claims)} claims judged: {counts or 'none yet'}")
    show_doubts(output, list(result.verdicts.values()))
    for line in _others(result):
        output.print(line)
    for topic, why in result.left_out.items():
        output.print(f"left out: {topic}: {why.message}" + (f"\n  fix: {why.hint}" if why.hint else ""))
    for problem in result.problems:
        output.print(f"failed: {problem}")
    if result.charts:
        output.print(f"charts: {result.charts[0].parent}")
    for path in result.notebooks:
        output.print(f"notebook: {path}")
    output.print("", "Next:", *_next(result, interrupted=interrupted))


def _others(result: Reproduction) -> list[str]:
    """List the claims whose verdicts differ from the reference machine's."""
    found = []
    for (report, name), here in result.verdicts.items():
        there = result.expected.get((report, name))
        if there is not None and there.word not in {here.word, "not run"}:
            words = [verdict.word.removesuffix(" here") for verdict in (here, there)]
            why = there.evidence.estimate or there.reason
            found.append(f"  {report} {name}: {words[0]} here, {words[1]} there ({why})")
    return ["different from the reference machine:", *found] if found else []


def _next(result: Reproduction, *, interrupted: bool) -> list[str]:
    from perflab.topics.catalogue import find_components

    topics = [topic for topic in dict.fromkeys(one.component for one in result.ledgers) if topic not in result.left_out]
    topic = topics[0] if topics else "TOPIC"
    has_notebook = any(one.notebooks for one in find_components(result.lab) if one.name == topic)
    steps = {
        "./lab reproduce --resume": "continue" if interrupted else "",
        f"./lab reproduce {topic}": "all claims of a topic, more precisely" if result.settings.headlines else "",
        f"./lab open {topic}": "its notebook: change a line, and watch the interval move" if has_notebook else "",
        "./lab report --open": "all claims with their evidence, as a site",
    }
    width = max(map(len, steps))
    return [f"  {command:<{width}}  {about}" for command, about in steps.items() if about]


QUICK_MINUTES = 15.0
"""Time limit for all measurements of `reproduce --quick`."""


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  ./lab reproduce --quick              judge the headline claims of all reports, in a quarter of an hour
  ./lab reproduce mailbox --quick      judge the headline claims of one topic
  ./lab reproduce mailbox              judge all claims of one topic, more precisely
  ./lab reproduce --resume             continue an interrupted reproduction""",
)
@topics_argument
@click.option("--quick", "preset", flag_value="quick", help="Judge headline claims only, with short measurements.")
@click.option("--rigorous", "preset", flag_value="rigorous", help="Measure for hours: for publication.")
@click.option("--preset", "preset", hidden=True)
@click.option("--all", "everything", is_flag=True, help="With --quick: judge all claims.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Measure for at most this long in total; builds are not counted.  [default: {QUICK_MINUTES:g} with --quick]",
)
@click.option("--notebook", is_flag=True, help="Execute the topics' notebooks afterwards.")
@click.option("--resume", is_flag=True, help="Continue the last reproduction, if it was interrupted.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without doing it.")
@click.option("--reference", is_flag=True, help="For maintainers: keep the results as the committed reference.")
@click.pass_obj
@with_output
def reproduce_command(
    output: Output,
    lab: Lab,
    topics: tuple[str, ...],
    preset: str | None,
    everything: bool,
    minutes: float | None,
    notebook: bool,
    resume: bool,
    dry_run: bool,
    reference: bool,
) -> int:
    """Measure and judge the claims of the reports of TOPICS, or of all topics, headline claims first.

    This builds what is missing, measures in fresh processes, and shows each verdict as soon as it can be given. A topic
    that cannot be built on this machine is left out. After Ctrl-C, --resume continues.

    The exit status is 1 if a claim that was expected to hold is refuted, 4 if a measurement or test failed.
    """
    import os

    from perflab.claims.reproduce import Reproduction, Settings, expected_verdicts, plan_topics, reproduce
    from perflab.cli.reference import keep_as_reference
    from perflab.measure.plan import PRESET_VARIABLE
    from perflab.measure.presets import usual_preset
    from perflab.model.errors import UsageError
    from perflab.model.lab import program

    if resume:
        if topics or preset or everything or minutes or notebook:
            raise UsageError(
                "--resume continues with the options of the interrupted reproduction", "leave the other options out"
            )
        result = Reproduction.resume(lab)
    else:
        name = os.environ.get(PRESET_VARIABLE) or preset or usual_preset()
        headlines = name == "quick" and not everything and not reference
        limit = minutes or (QUICK_MINUTES if headlines else None)
        result = Reproduction.start(lab, Settings(list(topics), name, headlines, limit, notebook or reference))
    planned = plan_topics(lab, result.settings, output.note)
    if not any(one.ledgers or one.component.manifest.table for one in planned):
        what = f"no ledger in {lab.claims}{' is on ' if topics else ''}{', '.join(topics)}"
        raise UsageError(what, f"{program()} claims new README.md drafts one")
    if dry_run:
        _show_plan(output, planned)
        return 0
    result.expected = expected_verdicts(lab, planned)
    draw = functools.partial(_draw, result)
    try:
        if output.mode == "human" and output.console.is_terminal:
            from rich.live import Live

            live = Live(console=output.console, auto_refresh=False, transient=True)
            live.start()
            table = _LiveTable(live, result)
            output.use(table)
            reproduce(result, planned, output, table.judged, on_round=table.narrowed, on_topic=draw)
        else:
            reproduce(result, planned, output, functools.partial(_say, output, result), on_topic=draw)
        _execute_notebooks(result, planned, output)
        result.save(ended=True)
    except KeyboardInterrupt:
        show_page(output, result, interrupted=True)
        return INTERRUPTED_STATUS
    show_page(output, result)
    if reference:
        for path in keep_as_reference(result):
            output.say(f"reference: {path}")
    output.result(result.to_dict())
    return _status(result)


def _draw(result: Reproduction, component: Component, runs: list[Run], table: Standings | None) -> None:
    """Draw the charts of a topic's runs, and of its table."""
    from perflab.charts.chart import write_charts
    from perflab.charts.heat import table_charts
    from perflab.charts.run_charts import run_charts
    from perflab.measure.analysis import analyse
    from perflab.model.errors import LabError

    drawn: dict[str, Chart] = {}
    for run in runs:
        # Two runs of one scenario differ in their parameters.
        params = (f"{name}{value}" for name, value in run.header.params.items())
        name = "-".join([component.name, run.header.scenario.name, *params])
        with contextlib.suppress(LabError):  # aborted before its first sample
            drawn |= {f"{name}-{kind}": chart for kind, chart in run_charts(result.lab, analyse(run)).items()}
    if table is not None:
        drawn |= {f"{component.name}-{name}": chart for name, chart in table_charts(table).items()}
    written = write_charts(drawn, result.folder / "charts").values()
    result.charts = list(dict.fromkeys([*result.charts, *written]))


def _execute_notebooks(result: Reproduction, topics: Sequence[TopicPlan], output: Output) -> None:
    """Execute the topics' notebooks, which take the runs of this reproduction as they are."""
    from perflab.kernels.notebooks import execute
    from perflab.measure.measure import REUSE_VARIABLE
    from perflab.measure.plan import PRESET_VARIABLE

    environment = {REUSE_VARIABLE: result.created, PRESET_VARIABLE: result.settings.preset}
    for topic in topics if result.settings.notebook else ():
        for notebook in topic.component.notebooks if topic.component.name not in result.left_out else ():
            source = result.lab.root / notebook
            target = result.folder / source.name
            with result.tolerate(output):
                execute(source, target, output, environment, images=True)
                result.notebooks.append(target)


def _status(result: Reproduction) -> int:
    from perflab.model.errors import UsageError

    if result.problems:
        return 2 if all(isinstance(one, UsageError) for one in result.problems) else 4
    return int(any(one.short for one in result.verdicts.values()))


def _say(output: Output, result: Reproduction, report: str, verdict: Verdict) -> None:
    """Print a line per new verdict where there is no live table."""
    if (report, verdict.claim.id) not in (result.resumed_from or ()):
        output.say(f"{verdict.word}: {report} {verdict.claim.id}: {verdict.reason}")


def _show_plan(output: Output, planned: Sequence[TopicPlan]) -> None:
    rows = []
    for one in planned:
        counts = (
            sum(len(needed.needs) for needed in one.requirements),
            sum(len(needed.measurements) for needed in one.requirements),
            sum(len(needed.profiles) + len(needed.tests) for needed in one.requirements),
        )
        state = "built" if one.built else str(one.missing) if one.missing else "to be built first"
        rows.append([one.component.name, *map(str, counts), state])
    show_table(output, ["topic", "claims", "runs", "profiles and tests", "state"], rows, title="In this order")
    output.result(
        [
            {
                "topic": one.component.name,
                "claims": [name for needed in one.requirements for name in needed.needs],
                "built": one.built,
                "missing": str(one.missing or ""),
            }
            for one in planned
        ]
    )
