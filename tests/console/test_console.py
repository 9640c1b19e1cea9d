"""The console without a browser: what its form says, and what it shows of the stream of the command that it starts."""

from __future__ import annotations

import asyncio
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.cli.main import lab as commands
from perflab.console import LAUNCHER_VARIABLE, Console, results_table
from perflab.topics.catalogue import find_component
from perflab.topics.program import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from perflab.model.lab import Lab

TUNING = Path(__file__).parents[1] / "fixtures" / "tuning"

# The topic says what it does: `fine`, `slow` until it is interrupted, `broken`, `dumb`, `rubbish`.
FAKE = """#!{python}
import json, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
topic = sys.argv[2]
try:
    say(type="progress", done=0.25, text="toy: round 2, steel", seconds_left=3.0)
    if topic == "slow":
        time.sleep(60)
except KeyboardInterrupt:
    say(type="note", text="what was measured is kept")
    sys.exit(130)
if topic == "broken":
    say(type="error", message="no such <kettle>", hint="buy one", exit=2)
    sys.exit(2)
if topic == "dumb":
    sys.exit(9)
if topic == "rubbish":
    sys.stdout.buffer.write(b"this is no JSON \\xff\\n")
    sys.stdout.flush()
figure = {{"data": ["x" * 1_000_000], "layout": {{}}}}
say(type="display", data={{"application/vnd.plotly.v1+json": figure}}, metadata={{}})
say(type="result", data={{"comparisons": []}})
"""


@pytest.fixture
def console(own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    launcher = tmp_path / "lab"
    launcher.write_text(FAKE.format(python=sys.executable))
    launcher.chmod(0o755)
    monkeypatch.setenv(LAUNCHER_VARIABLE, str(launcher))
    lab = replace(own_lab, components=TUNING)
    made = Console(lab)
    made.fill(describe(find_component(lab, "kettle")))
    return made


def parsed(words: list[str]) -> dict[str, object]:
    """Parse the words as the command line does."""
    command: click.Command = commands.get_command(None, words[0])  # type: ignore[arg-type, assignment]
    return dict(command.make_context(words[0], words[1:]).params)


def test_the_form_is_a_line_that_the_lab_understands(console: Console) -> None:
    console.variants["glass"].value = False
    console.params["level"].value = "3"
    console.params["lid"].value = "closed"
    assert shlex.join(console.words()) == (
        "measure kettle --scenario boil --variant steel --variant copper --baseline steel "
        "--param level=3 --param lid=closed --quick"
    )
    assert shlex.join(console.words()) in console.line.value
    assert parsed(console.words())["variants"] == ("steel", "copper")
    console.params["level"].value = "2"
    console.way.value, console.over.value = "sweep", "level=1..4 gas=1,2"
    assert parsed(console.words())["over"] == ("level=1..4", "gas=1,2")
    console.way.value, console.trials.value, console.minutes.value = "search", 9, 2
    console.variants["steel"].value = False
    given = parsed(console.words())
    assert (given["variants"], given["trials"], given["minutes"]) == (("copper",), 9, 2)


WRONG: dict[str, tuple[Callable[[Console], None], str]] = {
    "one variant": (lambda form: [form.variants[one].set_trait("value", False) for one in ("steel", "glass")], "two"),
    "no number": (lambda form: form.params["level"].set_trait("value", "three"), "level"),
    "out of range": (lambda form: form.params["level"].set_trait("value", "17"), "1 to 16"),
    "a sweep over nothing": (lambda form: form.way.set_trait("value", "sweep"), "nothing to sweep"),
    "a search of three": (lambda form: form.way.set_trait("value", "search"), "one variant"),
}


@pytest.mark.parametrize(("change", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_with_it_is_said_and_cannot_be_started(
    console: Console, change: Callable[[Console], None], says: str
) -> None:
    assert not console.start.disabled
    change(console)
    assert says in console.line.value
    assert console.start.disabled


async def run(console: Console, topic: str) -> None:
    console._begin(["measure", topic])  # noqa: SLF001 - a command that the form cannot say
    if topic == "slow":
        running = asyncio.Event()
        console.status.observe(lambda change: "round 2" in change["new"] and running.set(), "value")
        await running.wait()
        assert console.start.disabled
        console.stop.click()
    assert console.job
    await console.job


@pytest.mark.parametrize(
    ("topic", "says"),
    [
        ("fine", "./lab measure fine"),
        ("slow", "what was measured is kept"),
        ("broken", "error: no such &lt;kettle&gt;; buy one"),
        ("dumb", "it ended with status 9"),
        ("rubbish", "this is no JSON"),
    ],
)
def test_a_job_is_shown_as_it_goes_and_ends(console: Console, topic: str, says: str) -> None:
    asyncio.run(run(console, topic))
    assert says in console.status.value + console.notes.value
    assert not console.start.disabled
    assert console.stop.disabled
    assert len(console.charts.outputs) == (topic in {"fine", "rubbish"})


def test_results_are_a_table_with_interval_and_verdict() -> None:
    one = {"candidate": "<b>", "baseline": "a", "metric": "time", "unit": "ns", "better": "lower", "scale": "ratio"}
    figures = {"rounds": 9, "estimate": 1.2, "low": 1.1, "high": 1.3, "confidence": 0.95, "verdict": "faster"}
    comparison = {**one, **figures, "cliffs_delta": None, "effect": "", "minimum_detectable_effect": 0.04, "flags": []}
    for result in (
        {"comparisons": [comparison]},
        {"trials": [], "confirmed": {"comparisons": [comparison]}},
        {"points": [{"params": {"size": 4}, "comparisons": [comparison]}]},
    ):
        shown = results_table(result)
        assert "&lt;b&gt;" in shown
        assert "[1.10, 1.30]" in shown
        assert "faster" in shown
        assert ("size=4" in shown) == ("points" in result)
