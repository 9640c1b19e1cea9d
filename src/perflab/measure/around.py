"""What runs around measured commands: set-up, preparation, conclusion and clean-up, and where their data goes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from perflab.bench.interface import reason
from perflab.host.processes import end_group, start
from perflab.model.errors import LabError, StepError, UsageError, one_line
from perflab.model.format import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from perflab.model.project import SavedBench
    from perflab.model.protocol import ParameterValue


_SAID_BYTES = 4_000
_STDERR = 2


@dataclass(frozen=True)
class Around:
    """What runs around a command, and its streams, as the options of the same names; empty for none.

    Attributes:
        setup: Before the first run, and again after a run with another one.
        prepare: Before each run.
        conclude: After each run, also a failed one.
        cleanup: After the last run, and before a run with another set-up or clean-up.
        input: A file.
        output: `null`, `inherit`, a file, or `pipe` as without one.
    """

    setup: str = ""
    prepare: str = ""
    conclude: str = ""
    cleanup: str = ""
    input: str = ""
    output: str = ""

    @property
    def commands(self) -> list[str]:
        """The commands among them."""
        return [one for one in (self.setup, self.prepare, self.conclude, self.cleanup) if one]

    @property
    def options(self) -> dict[str, ParameterValue]:
        """Those that are given."""
        return {name: text for name, text in asdict(self).items() if text}

    def at(self, values: Mapping[str, ParameterValue]) -> Around:
        """Return it with the values of parameters."""
        return Around(**{name: filled(text, values) for name, text in asdict(self).items()})


def around_each(bench: SavedBench) -> list[Around]:
    """Return what is around each command of a bench."""

    def each(option: str) -> list[str]:
        given: list[str] = getattr(bench, option)
        if len(given) not in {0, 1, len(bench.compare)}:
            raise UsageError(
                f"--{option} is given {len(given)} times for {len(bench.compare)} commands", "once, or once for each"
            )
        return given if len(given) > 1 else (given or [""]) * len(bench.compare)

    for text in bench.output:
        if bench.pattern is not None and text != "pipe":
            raise UsageError("--pattern reads what commands print", "leave --output out")
        if text not in {"null", "pipe", "inherit"} and os.sep not in text:
            raise UsageError(f"--output {text!r} is none of null, pipe and inherit", f"a file is written as ./{text}")
    return [
        Around(bench.setup or "", prepare, conclude, bench.cleanup or "", bench.input or "", output)
        for prepare, conclude, output in zip(*map(each, ("prepare", "conclude", "output")), strict=True)
    ]


def filled(text: str, values: Mapping[str, ParameterValue]) -> str:
    """Replace `{parameters}` in a text by their values."""
    if not values:
        return text
    return re.sub(rf"\{{({'|'.join(map(re.escape, values))})\}}", lambda found: typed(values[found[1]]), text)


class Steps:
    """Runs what is around commands.

    Args:
        words: Returns the words that start a command.
        folder: Their folder.
        environment: All their variables.
    """

    def __init__(self, words: Callable[[str], list[str]], folder: Path, environment: Mapping[str, str]) -> None:
        self._words, self._folder, self._environment = words, folder, environment
        self._set_up = Around()

    @contextmanager
    def around(self, one: Around) -> Iterator[dict[int, int]]:
        """Run a block between what is around it; its value is the command's streams by number."""
        if (one.setup, one.cleanup) != (self._set_up.setup, self._set_up.cleanup):
            self.clean_up()
            self._set_up = one
            self._run("setup", one.setup)
        self._run("prepare", one.prepare)
        try:
            with ExitStack() as files:
                yield self._streams(one, files)
        finally:
            self._run("conclude", one.conclude)

    def clean_up(self) -> None:
        """Run the clean-up of what was set up, if it was not run yet."""
        done, self._set_up = self._set_up, Around()
        self._run("cleanup", done.cleanup)

    def _streams(self, one: Around, files: ExitStack) -> dict[int, int]:
        def opened(path: str, flags: int) -> int:
            try:
                number = os.open(self._folder / path, flags, 0o666)
            except OSError as error:
                raise StepError(f"cannot open {path}: {error.strerror}", "check --input and --output") from None
            files.callback(os.close, number)
            return number

        found = {}
        if one.input not in {"", "null"}:
            found[0] = opened(one.input, os.O_RDONLY)
        if one.output == "inherit":
            found |= {1: _STDERR, _STDERR: _STDERR}
        elif one.output not in {"", "pipe"}:
            path = os.devnull if one.output == "null" else one.output
            found[1] = opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        return found

    def _run(self, option: str, text: str) -> None:
        """Run a command, and leave running what it starts, as a server; raise if it fails."""
        if not text:
            return
        earlier = sys.exception()
        words = self._words(text)
        # Not a pipe, which a server would hold open, and which would end it when closed.
        with TemporaryFile() as log:
            try:
                process = start(
                    words,
                    folder=self._folder,
                    environment=self._environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    locale=None,
                )
            except OSError as error:
                raise StepError(f"cannot start {words[0]}: {error.strerror}", f"see --{option}") from None
            try:
                status = process.wait()
            except BaseException:
                end_group(process)
                raise
            if status:
                log.seek(max(log.tell() - _SAID_BYTES, 0))
                before = f"{earlier.message}; " if isinstance(earlier, LabError) else ""
                said = reason(log.read())
                raise StepError(
                    f"{before}--{option} ended with status {status}: {one_line(text)}",
                    f"log: {said}" if said else "if that may be, append || true",
                )
