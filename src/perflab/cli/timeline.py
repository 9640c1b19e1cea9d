"""`lab timeline`: a picture of what threads did when."""

from __future__ import annotations

from typing import IO, Any

import click

from perflab.cli.output import Output, with_output

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
    from perflab.charts import bundle, timeline

    title, spans, moments = _read(file)
    chart = timeline(spans, moments=moments, title=title)
    output.display(bundle(chart))
    output.print(chart.text)
    output.result({"title": chart.title, "spans": len(spans), "moments": len(moments)})


def _read(file: IO[str]) -> tuple[str, list[Any], list[Any]]:
    import json

    from perflab.charts import Moment, Span
    from perflab.errors import UsageError

    try:
        data = json.load(file)
        spans = [Span(**span) for span in data["spans"]]
        moments = [Moment(**moment) for moment in data.get("moments", [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file.name} is no timeline: {error}", f"it should look like {_SHAPE}") from error
    if not spans:
        raise UsageError(f"{file.name} holds no span", f"it should look like {_SHAPE}")
    return data.get("title", ""), spans, moments
