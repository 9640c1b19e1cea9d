"""`lab completion`: the shell's completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from perflab.paths import ROOT


@click.command("completion", epilog='Example: eval "$(./lab completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the completion script of SHELL for `lab` and `./lab`."""
    from perflab.cli.main import lab

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101 - the choices are those that click has
    source = completion_class(lab, {}, "lab", "_LAB_COMPLETE").source()
    # click's script calls `lab` by name; here it is a file in the checkout.
    click.echo(source.replace("_LAB_COMPLETE=bash_complete $1", f"_LAB_COMPLETE=bash_complete {ROOT / 'lab'}"))
    if shell == "bash":
        click.echo("complete -o nosort -F _lab_completion ./lab")
