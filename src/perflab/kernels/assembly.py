"""A function's machine code beside its source, by binutils and the program's debug information."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Instruction:
    """One of a function.

    Attributes:
        address: Address in the program.
        text: Disassembled text.
    """

    address: int
    text: str


_FUNCTION = re.compile(r"([0-9a-f]+) <(.+)>:")
_INSTRUCTION = re.compile(r" *([0-9a-f]+):\t(.+)")
_TARGET = re.compile(r"\b([0-9a-f]+) <(.+)>")
_PLACE = re.compile(r"(/.+):([1-9]\d*)(?: \(discriminator \d+\))?")
_PADDING = re.compile(r"(?:cs |data16 )*nop|xchg +%ax,%ax")
_LONGEST_NAME = 40
_LONGEST_LINE = 80


def function_in(lines: Sequence[str], pattern: str) -> list[Instruction]:
    """Return the instructions of the only function in a disassembly that matches a regular expression."""
    found = {}
    for start, line in enumerate(lines):
        if (match := _FUNCTION.fullmatch(line)) and "[clone" not in match[2] and re.search(pattern, match[2]):
            found[match[2]] = int(match[1], 16), start + 1
    if len(found) != 1:
        raise UsageError(f"{len(found) or 'no'} functions match {pattern!r}", "one must: " + "; ".join(found))
    ((name, (begin, start)),) = found.items()

    def named(target: re.Match[str]) -> str:
        if target[2].partition("+0x")[0] == name:
            return f"+{int(target[1], 16) - begin:x}"
        return f"<{target[2].partition('(')[0][-_LONGEST_NAME:]}>"

    instructions = []
    for line in lines[start:]:
        if not (match := _INSTRUCTION.fullmatch(line)):
            break
        instructions.append(Instruction(int(match[1], 16), _TARGET.sub(named, match[2].strip())))
    return instructions


def places_in(lines: Sequence[str], folder: Path) -> Iterator[tuple[Path, int] | None]:
    """Yield the innermost source line in this folder for each address in `addr2line --inlines --addresses` output."""
    for is_address, group in groupby(lines, lambda line: line.startswith("0x")):
        if not is_address:
            matches = [match for line in group if (match := _PLACE.match(line))]
            own = (match for match in matches if Path(match[1]).is_relative_to(folder))
            yield next(((Path(match[1]), int(match[2])) for match in own), None)


def beside_source(instructions: Sequence[Instruction], places: Sequence[tuple[Path, int] | None]) -> str:
    """Format source lines, file by file, with their instructions to the right, without padding."""
    begin = instructions[0].address
    of_line: dict[tuple[Path, int] | None, list[str]] = {}
    for one, place in zip(instructions, places, strict=True):
        if not _PADDING.match(one.text):
            of_line.setdefault(place, []).append(f"{one.address - begin:4x}  {one.text}")
    rows = [("", line) for line in of_line.pop(None, [])]
    for path, group in groupby(sorted(filter(None, of_line)), lambda place: place[0]):
        rows.append((path.name, ""))
        source = path.read_text(encoding="utf-8").splitlines()
        for place in group:
            written = shorten(source[place[1] - 1], _LONGEST_LINE, placeholder=" …")
            first, *others = of_line[place]
            rows += [(f"{place[1]:4}  {written}", first), *(("", one) for one in others)]
    width = max(len(written) for written, _ in rows)
    return "\n".join(f"{written:<{width}}  {code}".rstrip() for written, code in rows)


def assembly_of(program: Path, pattern: str, folder: Path) -> str:
    """Show a function's instructions beside its source, from a program with debug information.

    Args:
        program: Path of the program.
        pattern: A regular expression that the function's name matches, and no other's.
        folder: Source folder; code inlined from elsewhere is attributed to the calling line in it.
    """
    code = _said("objdump", "--disassemble", "--demangle", "--no-show-raw-insn", program)
    instructions = function_in(code, pattern)
    addresses = [f"{one.address:#x}" for one in instructions]
    lines = _said("addr2line", "--inlines", "--addresses", f"--exe={program}", *addresses)
    return beside_source(instructions, list(places_in(lines, folder)))


def _said(tool: str, *arguments: str | Path) -> list[str]:
    path = shutil.which(tool)
    if path is None:
        raise UsageError(f"there is no {tool}", "install binutils")
    # Not by `processes.start`: they read one file, and of all the megabytes that they print each line may be wanted.
    return subprocess.run([path, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
