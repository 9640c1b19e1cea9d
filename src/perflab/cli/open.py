"""`lab open`: JupyterLab with the lab's kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.options import combine_options
from perflab.cli.output import Output, exit_status, with_output
from perflab.model.errors import MissingError
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from perflab.cli.options import Decorator
    from perflab.model.lab import Lab


def _server_options(first_port: int, without: str) -> Decorator:
    return combine_options(
        click.option(
            "--port", type=click.IntRange(1, 65535), help=f"The port; by default the first free one from {first_port}."
        ),
        click.option("--browser/--no-browser", default=True, help="Open a browser window."),
        click.option(
            "--idle-minutes",
            type=click.IntRange(1),
            default=240,
            show_default=True,
            help=f"Stop after this many minutes without {without}.",
        ),
    )


@click.command("open", epilog="Example: ./lab open mailbox --no-browser --port 8890")
@click.argument("topic", required=False)
@_server_options(first_port=8888, without="activity")
@click.pass_obj
def open_command(lab: Lab, topic: str | None, port: int | None, browser: bool, idle_minutes: int) -> None:
    """Open JupyterLab on the notebook of TOPIC, or on the overview.

    The server listens on loopback only and requires a token. It makes no requests to other hosts.
    """
    import functools
    import os

    from perflab.kernels.jupyter import jupyterlab_command, jupyterlab_environment, port_is_free
    from perflab.kernels.registry import ensure
    from perflab.topics.catalogue import find_component, find_components

    output = Output("human")
    with exit_status(output):
        components = [find_component(lab, topic)] if topic else find_components(lab)
        for kernel in sorted({"python3", *(one.manifest.kernel for one in components)} - {""}):
            output.update(0.0, f"installing the kernel {kernel}")
            ensure(kernel, functools.partial(output.update, 0.0))
        if port is not None and not port_is_free(port):
            raise MissingError(f"port {port} is taken", "choose another with --port, or leave it out")
        notebook = components[0].manifest.notebook if topic else "notebooks/0-overview.ipynb"
        os.chdir(CHECKOUT)  # servers read settings from their working directory, which may be untrusted
        command = jupyterlab_command(notebook, port=port, browser=browser, idle_minutes=idle_minutes)
        os.execve(command[0], command, jupyterlab_environment())  # noqa: S606 - JupyterLab takes this process's place


@click.command("tune", epilog="Example: ./lab tune --no-browser --port 8890")
@_server_options(first_port=8866, without="an open page")
def tune_command(port: int | None, browser: bool, idle_minutes: int) -> None:
    """Open the tuning console: choose, measure, sweep, search and compare without writing code.

    The console shows notebooks/9-tuning.ipynb without its cells. The server listens on loopback only, requires a token
    and makes no requests to other hosts. Each page has its own kernel: closing the page stops its measurement and
    keeps the samples taken so far.
    """
    import os

    from perflab.kernels.jupyter import dashboard_command, dashboard_environment, port_is_free
    from perflab.kernels.registry import ensure

    output = Output("human")
    with exit_status(output):
        ensure("python3")
        if port is not None and not port_is_free(port):
            raise MissingError(f"port {port} is taken", "choose another with --port, or leave it out")
        notebook = CHECKOUT / "notebooks" / "9-tuning.ipynb"
        if not notebook.is_file():
            raise MissingError("the console is a notebook of perflab's checkout", "clone it, and use its ./lab")
        # Servers read settings from their working directory, which may be untrusted.
        os.chdir(notebook.parent)
        command = dashboard_command(notebook, port=port, browser=browser, idle_minutes=idle_minutes)
        os.execve(command[0], command, dashboard_environment())  # noqa: S606 - Voilà takes this process's place


@click.command("binder-link", epilog="Examples: ./lab binder-link; ./lab binder-link --ref v1.0 --markdown")
@click.option("--ref", default="", metavar="REF", help="A branch, tag or commit; the current branch by default.")
@click.option("--markdown", is_flag=True, help="As Markdown, with Binder's badge, for a README.")
@click.pass_obj
@with_output
def binder_link_command(output: Output, lab: Lab, ref: str, markdown: bool) -> None:
    """Print links that launch the lab, or one of its notebooks, on mybinder.org.

    The links use the address of the git remote, without any password or token in it. The command makes no network
    requests and launches nothing.
    """
    from perflab.site.launch import BADGE, find_launcher

    launcher = find_launcher(lab.root, ref)
    if launcher.note:
        output.note(launcher.note)
    found = sorted(lab.root.glob(f"{lab.notebooks.name}/**/*.ipynb"))
    notebooks = [path.relative_to(lab.root).as_posix() for path in found]
    links = {"the lab": launcher.url()} | {notebook: launcher.url(notebook) for notebook in notebooks}
    if markdown:
        output.print(f"[![Launch the lab on Binder]({BADGE})]({launcher.url()})", "")
        output.print(*(f"- [{notebook}]({launcher.url(notebook)})" for notebook in notebooks))
    else:
        width = max(map(len, links))
        output.print(*(f"{name:<{width}}  {url}" for name, url in links.items()))
    output.result(
        {
            "remote": launcher.repository,
            "ref": launcher.ref,
            "lab": launcher.url(),
            "notebooks": [{"notebook": notebook, "url": launcher.url(notebook)} for notebook in notebooks],
        }
    )
