"""Options that several commands share, and how they become a request."""

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


def complete_topic(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Shell completion for topics."""
    from click.shell_completion import CompletionItem

    from perflab.model.lab import Lab
    from perflab.topics.catalogue import find_components

    # Whatever is wrong, a shell shows no suggestions.
    components = []
    with suppress(LabError, OSError):
        components = find_components(Lab.from_environment())
    return [CompletionItem(one.name) for one in components if one.name.startswith(incomplete)]


topic_argument = click.argument("topic", shell_complete=complete_topic)
topics_argument = click.argument("topics", nargs=-1, shell_complete=complete_topic)
plugin_option = click.option(
    "--plugin", type=click.Path(exists=True, path_type=Path), help="A plug-in with a variant of your own."
)


def measuring(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of everything that measures a topic."""
    scenario = click.option("--scenario", "-s", help="The scenario [default: the topic's first].")
    params = click.option(
        "--param",
        "-p",
        "params",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the scenario; repeatable.",
    )
    return scenario(params(how_long(function)))


def how_long(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how long is measured, and in which order."""
    options = [
        click.option(
            "--quick", "preset", flag_value="quick", help="About ten seconds per variant: shows the direction."
        ),
        click.option("--rigorous", "preset", flag_value="rigorous", help="Half an hour per scenario: for publication."),
        click.option("--preset", "preset", hidden=True),
        click.option("--rounds", type=click.IntRange(2, 1000), help="Run at most this many rounds."),
        click.option(
            "--budget",
            type=click.FloatRange(1),
            metavar="SECONDS",
            help="Start no round after this time, except for the preset's minimum of rounds.",
        ),
        click.option(
            "--precision",
            type=click.FloatRange(0.001, 1),
            help="Stop when the intervals are this narrow: half width, 0.02 for 2 %.",
        ),
        click.option("--warmup", type=click.IntRange(0), metavar="MS", help="Warm-up per process, in milliseconds."),
        click.option("--sample", type=click.IntRange(1), metavar="MS", help="Length of a sample, in milliseconds."),
        click.option("--samples", type=click.IntRange(1), help="Samples per process."),
        click.option("--timeout", type=click.FloatRange(1), metavar="SECONDS", help="Kill a process that runs longer."),
        click.option("--seed", type=int, default=1, show_default=True, help="Seed of the order and of the scenario."),
    ]
    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(options), function)


def request(
    lab: Lab,
    topic: str,
    *,
    scenario: str | None,
    params: Sequence[str],
    preset: str | None,
    seed: int,
    variants: Sequence[str] = (),
    baseline: str | None = None,
    plugin: Path | None = None,
    metric: str | None = None,
    over: Sequence[str] = (),
    **lengths: float | None,
) -> Request:
    """What was asked for on the command line.

    Raises:
        UsageError: If there is no such topic, or a parameter is not of the form `name=value`.
    """
    from perflab.measure.plan import Request
    from perflab.topics.catalogue import find_component

    return Request(
        component=find_component(lab, topic),
        scenario=scenario,
        variants=variants,
        params=pairs(params),
        preset=preset,
        overrides=overrides(**lengths),
        baseline=baseline,
        plugin=plugin.resolve() if plugin else None,
        seed=seed,
        metric=metric,
        over=over,
    )


_FIELDS = {
    "rounds": "max_rounds",
    "budget": "budget_s",
    "precision": "half_width",
    "warmup": "warmup_ms",
    "sample": "sample_ms",
    "samples": "samples",
    "timeout": "fork_timeout_s",
}
"""The field of the preset that each option of `how_long` replaces."""


def overrides(**lengths: float | None) -> dict[str, float]:
    """The fields of the preset that these options replace."""
    return {_FIELDS[name]: value for name, value in lengths.items() if value is not None}


def pairs(texts: Sequence[str]) -> dict[str, str]:
    """Texts of the form `name=value` as a dictionary.

    Raises:
        UsageError: If one is not of this form.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"cannot read the parameter {text!r}", "write it as name=value")
        found[name] = value
    return found
