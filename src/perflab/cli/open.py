"""`lab open`: JupyterLab with the lab's kernels."""

from __future__ import annotations

import click

from perflab.cli.output import Output, exit_status
from perflab.errors import MissingError


@click.command("open", epilog="Example: ./lab open mailbox --no-browser --port 8890")
@click.argument("topic", required=False)
@click.option("--port", type=click.IntRange(1, 65535), help="This port; a free one from 8888 on without it.")
@click.option("--browser/--no-browser", default=True, help="Open a browser window.")
@click.option(
    "--idle-minutes",
    type=click.IntRange(1),
    default=240,
    show_default=True,
    help="Stop after so long without activity.",
)
def open_command(topic: str | None, port: int | None, browser: bool, idle_minutes: int) -> None:
    """Open JupyterLab on the notebook of TOPIC, or on the overview.

    It listens on loopback with a token, asks for no news and phones nobody.
    """
    import functools
    import os

    from perflab.components import find_component, find_components
    from perflab.kernels import ensure
    from perflab.notebooks import jupyterlab_command, jupyterlab_environment, port_is_free

    output = Output("human")
    with exit_status(output):
        components = [find_component(topic)] if topic else find_components()
        for kernel in sorted({"python3", *(one.manifest.kernel for one in components)} - {""}):
            output.update(0.0, f"installing the kernel {kernel}")
            ensure(kernel, functools.partial(output.update, 0.0))
        if port is not None and not port_is_free(port):
            raise MissingError(f"port {port} is taken", "choose another with --port, or leave it out")
        notebook = components[0].manifest.notebook if topic else "notebooks/0-overview.ipynb"
        command = jupyterlab_command(notebook, port=port, browser=browser, idle_minutes=idle_minutes)
        os.execve(command[0], command, jupyterlab_environment())  # noqa: S606 - JupyterLab takes this process's place
