"""`lab profile`: where the time goes."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

import click

from perflab.cli.options import pairs, plugin_option, topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    "profile",
    epilog="Example: ./lab profile mailbox --scenario burst --variant resizable --against linked --mode lock",
)
@topic_argument
@click.option("--scenario", "-s", help="The scenario; the topic's first one without it.")
@click.option("--variant", "-v", required=True, help="The variant.")
@click.option("--against", help="A second variant: the difference view shows what changed from the first to it.")
@click.option("--mode", "-m", default="cpu", show_default=True, help="cpu, wall, lock or alloc.")
@click.option("--param", "-p", "params", multiple=True, metavar="NAME=VALUE", help="A scenario's parameter.")
@click.option("--forks", type=click.IntRange(1, 50), default=3, show_default=True, help="Processes per variant.")
@click.option("--open/--no-open", "opened", default=None, help="Open the views in a browser; on a terminal, yes.")
@plugin_option
@with_output
def profile_command(
    output: Output,
    topic: str,
    scenario: str | None,
    variant: str,
    against: str | None,
    mode: str,
    params: tuple[str, ...],
    forks: int,
    opened: bool | None,
    plugin: Path | None,
) -> None:
    """Show where the time of a variant of TOPIC goes, and what is different in another one."""
    import sys

    import msgspec

    from perflab.cli.showing import show_profiles
    from perflab.gallery import profile_charts, write_html
    from perflab.runner import ProfileRequest, profile
    from perflab.store import profile_folder

    names = [variant, *([against] if against else [])]
    plugin = plugin.resolve() if plugin else None
    profiles = profile(ProfileRequest(topic, names, mode, scenario, pairs(params), plugin, forks=forks), output)
    folder = profile_folder(profiles[-1][0].id)
    views = {name: write_html(chart, folder / f"{name}.html") for name, chart in profile_charts(profiles).items()}
    show_profiles(output, profiles)
    for path in views.values():
        output.print(f"view: {path}")
    if opened or (opened is None and output.mode == "human" and sys.stdout.isatty()):
        webbrowser.open((views.get("difference") or next(iter(views.values()))).as_uri())
    output.result(
        {
            "profiles": [msgspec.to_builtins(record) for record, _ in profiles],
            "views": {name: str(path) for name, path in views.items()},
        }
    )
