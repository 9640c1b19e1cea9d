"""`lab binder-link`: links that launch the lab on mybinder.org."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


@click.command("binder-link", epilog="Examples: ./lab binder-link; ./lab binder-link --ref v1.0 --markdown")
@click.option("--ref", default="", metavar="REF", help="A branch, tag or commit; the present branch without it.")
@click.option("--markdown", is_flag=True, help="As Markdown, with Binder's badge, for a README.")
@with_output
def binder_link_command(output: Output, ref: str, markdown: bool) -> None:
    """Print links that launch the lab, or one of its notebooks, on mybinder.org.

    They are made from the address of the git remote; a password or token in it is never printed. Nothing is asked over
    the network, and nothing is launched.
    """
    from perflab.launch import find_launcher
    from perflab.launch.links import BADGE
    from perflab.paths import NOTEBOOKS_DIR, ROOT

    launcher = find_launcher(ref)
    if launcher.note:
        output.note(launcher.note)
    notebooks = [path.relative_to(ROOT).as_posix() for path in sorted(NOTEBOOKS_DIR.glob("*.ipynb"))]
    links = {"the lab": launcher.url()} | {notebook: launcher.url(notebook) for notebook in notebooks}
    if markdown:
        output.print(f"[![Launch the lab on Binder]({BADGE})]({launcher.url()})", "")
        output.print(*(f"- [{notebook}]({launcher.url(notebook)})" for notebook in notebooks))
    else:
        width = max(map(len, links))
        output.print(*(f"{name:<{width}}  {url}" for name, url in links.items()))
    output.result(
        {
            "remote": launcher.remote.url,
            "ref": launcher.ref,
            "lab": launcher.url(),
            "notebooks": [{"notebook": notebook, "url": launcher.url(notebook)} for notebook in notebooks],
        }
    )
