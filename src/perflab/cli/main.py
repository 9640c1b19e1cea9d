"""The `lab` command: lists commands without loading them, so that `--help` answers at once."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab import __version__
from perflab.model.errors import MissingError
from perflab.model.lab import is_installed

if TYPE_CHECKING:
    from perflab.model.lab import Lab

COMMANDS = {
    "reproduce": ("reproduce", "measure, explain and judge the reports' claims: the main job"),
    "report": ("claims", "write verdicts, evidence and notebooks as a static site"),
    "init": ("project", "make a project of your own: results and benches stay in it"),
    "bench": ("bench", "compare commands, or benchmarks of your own: nothing to write"),
    "gate": ("gate", "compare all benchmarks of a project with those at a git revision"),
    "test": ("test", "run the lab's own tests"),
    "open": ("open", "open JupyterLab with the lab's kernels"),
    "binder-link": ("open", "print links that launch the lab on Binder"),
    "tune": ("open", "open the tuning console in a browser"),
    "topics": ("topics", "list the topics"),
    "describe": ("topics", "show a topic's scenarios, parameters and variants"),
    "measure": ("measure", "measure variants of a topic against each other"),
    "sweep": ("sweep", "measure variants over the values of one parameter or two"),
    "search": ("sweep", "search a variant's best setting under noise"),
    "compare": ("compare", "compare variants of a run, or two runs, baselines or revisions"),
    "history": ("compare", "show a topic's figures over commits, and where they changed"),
    "profile": ("profile", "show where the time goes, and the difference between two variants"),
    "noise": ("measure", "measure a variant against itself: this machine's noise band"),
    "claims": ("claims", "list the verdicts on a report's claims"),
    "export": ("claims", "write what verdicts rest on to a bundle for others"),
    "table": ("claims", "show all variants of a topic by all its scenarios, and the scores"),
    "chart": ("profile", "draw a run's charts"),
    "timeline": ("profile", "draw what threads did when"),
    "runs": ("runs", "list the runs in the store"),
    "revisions": ("runs", "list the work trees of revisions, or remove them"),
    "compile": ("topics", "make a plug-in of a variant of your own"),
    "check": ("topics", "validate a variant of your own against a topic's contract"),
    "build": ("topics", "build topics"),
    "setup": ("setup", "install kernels and build topics ahead of time"),
    "doctor": ("setup", "show what is on this machine, and what is missing"),
    "completion": ("setup", "print the shell completion script"),
}
"""Commands in the order in which newcomers meet them.

`lab NAME` is the function `NAME_command` of the module of `perflab.cli` that stands before its text; a hyphen in the
name is an underscore.
"""


_OF_THE_CHECKOUT = {"test", "open", "binder-link", "tune", "setup", "doctor"}
"""Commands for the lab's own kernels, notebooks and tests."""


class _Formatter(click.HelpFormatter):
    def getvalue(self) -> str:
        from perflab.cli.output import as_called

        return as_called(super().getvalue())


click.Context.formatter_class = _Formatter


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name in COMMANDS if name not in _OF_THE_CHECKOUT or not is_installed()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in _OF_THE_CHECKOUT and is_installed():
            raise MissingError(f"{cmd_name} is for perflab's checkout, and this is the package alone", "clone it")
        module = importlib.import_module(f"perflab.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_") + "_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


def _lab() -> Lab:
    """Find the lab from the environment, with a note if the cache is not in its usual place.

    Without a home, this process and what it starts get one: Jupyter and Maven, among others, end without it.
    """
    from perflab.model.lab import NO_HOME, Lab, can_make, has_usual_cache, temporary_folder, user_cache, user_home

    usual, home = has_usual_cache(), user_home()
    if home == NO_HOME or (home == Path("/") and not can_make(home)):
        os.environ["HOME"] = str(temporary_folder())
    if not usual:
        click.echo(
            f"note: your home cannot be written; downloads go to {user_cache()}, or where XDG_CACHE_HOME says", err=True
        )
    return Lab.from_environment()


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
    if ctx.obj is None:  # a test brings its own
        ctx.obj = _lab()
    if ctx.invoked_subcommand is None:
        from perflab.cli.output import shown

        click.echo(ctx.get_help())
        topics = importlib.import_module("perflab.cli.topics")
        click.echo()
        click.echo(shown(topics.topic_lines(ctx.obj)))
