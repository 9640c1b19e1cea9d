"""Options that several commands share, and the request that they make."""

from __future__ import annotations

import functools
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.model.errors import LabError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

    from perflab.measure.plan import Request
    from perflab.model.lab import Lab

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def combine_options(*decorators: Decorator) -> Decorator:
    """Combine options into one decorator; `--help` lists them in this order."""
    return lambda function: functools.reduce(lambda wrapped, one: one(wrapped), reversed(decorators), function)


def complete_topic(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a topic in a shell."""
    from click.shell_completion import CompletionItem

    from perflab.model.lab import Lab
    from perflab.topics.catalogue import find_components

    with suppress(LabError, OSError):  # on errors the shell just shows no suggestions
        names = [one.name for one in find_components(Lab.from_environment())]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return []


topic_argument = click.argument("topic", shell_complete=complete_topic)
topics_argument = click.argument("topics", nargs=-1, shell_complete=complete_topic)
variants_option = click.option(
    "--variant", "-v", "variants", multiple=True, help="A variant; repeatable [default: all that support the scenario]."
)
metric_option = click.option("--metric", help="Compare by this metric [default: the scenario's headline].")
plugin_option = click.option(
    "--plugin", type=click.Path(exists=True, path_type=Path), help="A plug-in with a variant of your own."
)
scenario_option = click.option("--scenario", "-s", help="The scenario [default: the topic's first].")
params_option = click.option(
    "--param", "-p", "params", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the scenario; repeatable."
)

LENGTHS = ("max_rounds", "budget_s", "half_width", "warmup_ms", "sample_ms", "samples", "fork_timeout_s")
"""The fields of a preset that options replace."""

how_long = combine_options(
    click.option("--quick", "preset", flag_value="quick", help="About six seconds per variant: shows the direction."),
    click.option("--rigorous", "preset", flag_value="rigorous", help="Half an hour per scenario: for publication."),
    click.option("--preset", "preset", hidden=True),
    click.option("--rounds", "max_rounds", type=click.IntRange(2, 1000), help="Run at most this many rounds."),
    click.option(
        "--budget",
        "budget_s",
        type=click.FloatRange(1),
        metavar="SECONDS",
        help="Start no round after this time, except for the preset's minimum of rounds.",
    ),
    click.option(
        "--precision",
        "half_width",
        type=click.FloatRange(0.001, 1),
        help="Stop when the intervals are this narrow: half width, 0.02 for 2 %.",
    ),
    click.option(
        "--warmup",
        "-w",
        "warmup_ms",
        type=click.IntRange(0),
        metavar="MS|N",
        help="Warm-up per process, in milliseconds; of commands, the runs before those that count [default: 1].",
    ),
    click.option(
        "--sample", "sample_ms", type=click.IntRange(1), metavar="MS", help="Length of a sample, in milliseconds."
    ),
    click.option("--samples", type=click.IntRange(1), help="Samples per process."),
    click.option(
        "--timeout",
        "fork_timeout_s",
        type=click.FloatRange(1),
        metavar="SECONDS",
        help="Kill a process that runs longer.",
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="Seed of the order and of the scenario."),
)
measuring = combine_options(scenario_option, params_option, how_long)


def request(
    lab: Lab,
    topic: str,
    *,
    params: Sequence[str] = (),
    plugin: Path | None = None,
    **options: Any,  # noqa: ANN401 - click's
) -> Request:
    """Make a request of the options of `measuring` and of its other fields."""
    from perflab.measure.plan import Request
    from perflab.topics.catalogue import find_component

    return Request(
        find_component(lab, topic),
        params=pairs(params),
        plugin=plugin.resolve() if plugin else None,
        overrides=lengths(options),
        **{name: value for name, value in options.items() if name not in LENGTHS},
    )


def lengths(options: dict[str, Any]) -> dict[str, float]:
    """Return the preset's fields set by options."""
    return {name: options[name] for name in LENGTHS if options.get(name) is not None}


def pairs(texts: Sequence[str]) -> dict[str, str]:
    """Parse `name=value` texts into a dictionary."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"cannot read the parameter {text!r}", "write it as name=value")
        found[name] = value
    return found
