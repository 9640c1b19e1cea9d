"""`lab setup`: everything ahead of time."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Literal

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.components import Component


@click.command("setup", epilog="Example: ./lab setup mailbox")
@topics_argument
@click.option("--no-kernels", is_flag=True, help="Build only.")
@click.option(
    "--csharp-kernel",
    type=click.Choice(["auto", "interactive", "lab"]),
    help="Which kernel runs C# notebooks, from now on: .NET Interactive, the lab's own, or the former if it is there.",
)
@with_output
def setup_command(
    output: Output,
    topics: tuple[str, ...],
    no_kernels: bool,
    csharp_kernel: Literal["auto", "interactive", "lab"] | None,
) -> None:
    """Install the kernels, build TOPICS or all of them, and fetch runtimes; other commands do it when they need it."""
    from perflab.components import build, find_component, find_components, provide_runtime
    from perflab.errors import MissingError
    from perflab.kernels import choose_csharp, ensure
    from perflab.toolchains import provide

    begun = time.monotonic()
    components = [find_component(name) for name in topics] or find_components()
    kernels = [] if no_kernels else sorted({"python3", *(one.manifest.kernel for one in components)} - {""})
    if csharp_kernel is not None:
        choose_csharp(csharp_kernel)
        kernels = sorted({*kernels, ".net-csharp"})
    for component in components:
        provide(component.manifest.requires, lambda what: output.update(0, what))
    runtimes = {", ".join(runtime.requires): runtime for one in components for runtime in one.manifest.runtime}
    steps = len(kernels) + len(components) + len(runtimes)
    done, missing = [], []
    for number, kernel in enumerate(kernels):
        output.update(number / steps, f"installing the kernel {kernel}")
        ensure(kernel, functools.partial(output.update, number / steps))
        done.append(f"kernel {kernel}")
    for number, component in enumerate(components, len(kernels)):
        output.update(number / steps, f"building {component.name}")
        build(component)
        if component.manifest.kernel in kernels:
            _build_for_notebook(component, functools.partial(output.update, number / steps))
        done.append(f"topic {component.name}")
    for number, (name, runtime) in enumerate(runtimes.items(), len(kernels) + len(components)):
        output.update(number / steps, f"fetching {name}")
        try:
            provide_runtime(runtime)
            done.append(f"runtime {name}")
        except MissingError as error:
            # Only some variants run on it; the others do without.
            missing.append(f"runtime {name}: {error}")
    seconds = round(time.monotonic() - begun, 1)
    for what in done:
        output.say(f"ready: {what}")
    for what in missing:
        output.say(f"left out: {what}")
    output.say(f"set up in {seconds} s")
    output.result({"ready": done, "left_out": missing, "seconds": seconds})


def _build_for_notebook(component: Component, say: Callable[[str], None]) -> None:
    from perflab.components import build_module
    from perflab.kernels import prepare
    from perflab.paths import ROOT

    if component.manifest.module is not None:
        say(f"building the module of {component.name}")
        build_module(component)
    notebook = ROOT / component.manifest.notebook
    if component.manifest.notebook and notebook.is_file():
        say(f"compiling what {notebook.name} needs")
        prepare(component.manifest.kernel, notebook)
