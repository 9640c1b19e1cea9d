"""`%%cpp`: a cell that holds a variant in C++."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, NoReturn

from perflab.labkit.lab import LabFailure

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from perflab.labkit.lab import Lab
    from perflab.labkit.plugin import Plugin

_USAGE = "%%cpp TOPIC TYPE [--as NAME], as in: %%cpp sequencer MyBuffers"
_BELOW_THE_MAGIC = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LabFailure(f"%%cpp: {message}", _USAGE, status=2)


def _parser() -> _Parser:
    parser = _Parser(prog="%%cpp", add_help=False)
    parser.add_argument("topic")
    parser.add_argument("type")
    parser.add_argument("--as", dest="name", default="yours")
    return parser


def register(shell: InteractiveShell, lab: Lab) -> None:
    """Give a notebook the magic."""

    def cpp(line: str, cell: str) -> Plugin:
        """Make a variant of TOPIC of the C++ type TYPE, which the cell declares, and check it against the contract.

        `%%cpp TOPIC TYPE [--as NAME]`: the variant is kept as `yours`, or as NAME, and is the cell's value;
        `lab.measure(TOPIC, variants=["lab", yours])` measures it.
        """
        options = _parser().parse_args(shlex.split(line))
        if not options.name.isidentifier():
            raise LabFailure(f"%%cpp: {options.name!r} is no name of a variable", _USAGE, status=2)
        title = f"Cell In[{shell.displayhook.prompt_count}]"
        plugin = lab.variant(options.topic, options.type, cell, title=title, first_line=_BELOW_THE_MAGIC)
        shell.user_ns[options.name] = plugin
        return plugin

    shell.register_magic_function(cpp, "cell", "cpp")  # type: ignore[arg-type] # IPython's annotation forgets `self`
