"""The `lab` command: lists commands without loading them, so that `--help` answers at once."""

from __future__ import annotations

import importlib

import click

from perflab import __version__

COMMANDS = {
    "reproduce": "measure, explain and judge the reports' claims: the main job",
    "report": "write verdicts, evidence and notebooks as a static site",
    "test": "run the lab's own tests",
    "open": "open JupyterLab with the lab's kernels",
    "binder-link": "print links that launch the lab on Binder",
    "tune": "open the tuning console in a browser",
    "topics": "list the topics",
    "describe": "show a topic's scenarios, parameters and variants",
    "measure": "measure variants of a topic against each other",
    "sweep": "measure variants over the values of one parameter or two",
    "search": "search a variant's best setting under noise",
    "compare": "compare variants of a run, or two runs, baselines or revisions",
    "history": "show a topic's figures over commits, and where they changed",
    "profile": "show where the time goes, and the difference between two variants",
    "noise": "measure a variant against itself: this machine's noise band",
    "claims": "list the verdicts on a report's claims",
    "table": "show all variants of a topic by all its scenarios, and the scores",
    "chart": "draw a run's charts",
    "timeline": "draw what threads did when",
    "runs": "list the runs in the store",
    "revisions": "list the work trees of revisions, or remove them",
    "compile": "make a plug-in of a variant of your own",
    "check": "validate a variant of your own against a topic's contract",
    "build": "build topics",
    "setup": "install kernels and build topics ahead of time",
    "doctor": "show what is on this machine, and what is missing",
    "completion": "print the shell completion script",
}
"""The commands in the order in which a newcomer meets them.

`lab NAME` is the function `NAME_command` of `perflab.cli.NAME`, where a hyphen in the name is an underscore.
"""


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"perflab.cli.{name}")
        command: click.Command = getattr(module, name + "_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Start with: ./lab reproduce --quick",
)
@click.version_option(__version__, prog_name="perflab")
@click.pass_context
def lab(ctx: click.Context) -> None:
    """Rebuild, measure, explain and judge published performance reports."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        topics = importlib.import_module("perflab.cli.topics")
        click.echo()
        click.echo(topics.topic_lines())
