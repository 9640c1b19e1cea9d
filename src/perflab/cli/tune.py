"""`lab tune`: the tuning console, alone in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.output import Output, exit_status
from perflab.errors import MissingError

if TYPE_CHECKING:
    from perflab.notebooks.dashboard import Look


@click.command("tune", epilog="Example: ./lab tune --no-browser --port 8890")
@click.option("--port", type=click.IntRange(1, 65535), help="This port; a free one from 8866 on without it.")
@click.option("--browser/--no-browser", default=True, help="Open a browser window.")
@click.option(
    "--look", type=click.Choice(["auto", "light", "dark"]), default="auto", help="Light or dark; as the browser is."
)
@click.option(
    "--idle-minutes",
    type=click.IntRange(1),
    default=240,
    show_default=True,
    help="Stop after so long without an open page.",
)
def tune_command(port: int | None, browser: bool, look: Look, idle_minutes: int) -> None:
    """Open the tuning console: choose, measure, sweep, search and compare without writing code.

    It is notebooks/9-tuning.ipynb without its cells. It listens on loopback with a token and fetches nothing from
    elsewhere. Each page has a kernel of its own; closing it stops what it measures, and keeps what was measured.
    """
    import os

    from perflab.kernels import ensure
    from perflab.notebooks import dashboard_command, dashboard_environment, port_is_free
    from perflab.paths import NOTEBOOKS_DIR

    output = Output("human")
    with exit_status(output):
        ensure("python3")
        if port is not None and not port_is_free(port):
            raise MissingError(f"port {port} is taken", "choose another with --port, or leave it out")
        command = dashboard_command(
            NOTEBOOKS_DIR / "9-tuning.ipynb", port=port, browser=browser, idle_minutes=idle_minutes, look=look
        )
        os.execve(command[0], command, dashboard_environment())  # noqa: S606 - Voilà takes this process's place
