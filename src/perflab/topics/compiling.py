"""Compile a reader's own variant into a plug-in, for languages whose notebooks have no compiler."""

from __future__ import annotations

import hashlib
import re
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from perflab.host.processes import run_group
from perflab.host.toolchains import expand
from perflab.model.errors import BenchError, UsageError
from perflab.topics.program import program_environment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perflab.topics.catalogue import Component


Kind = Literal["error", "warning"]

_MESSAGE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
# Instantiations: GCC's "required from here" precedes an error in a template, Clang's "in instantiation of" follows it.
_CONTEXT = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): +(?:required from|required by|recursively)")
_LINKER = re.compile(r".*(undefined reference to .*|multiple definition of .*)")


@dataclass(frozen=True)
class Place:
    """A place in a source, counted from 1, with the compiler's tab width."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Message:
    """An error or a warning; linker messages have no place.

    `asked_from` are the places that instantiated a template, innermost first.
    """

    kind: Kind
    text: str
    place: Place | None = None
    asked_from: tuple[Place, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def place_in(self, file: str) -> Place | None:
        """Return the message's place in this file: its own, or that of the instantiation."""
        places = [self.place, *self.asked_from] if self.place else []
        return next((place for place in places if place is not None and place.file == file), None)


def read_messages(lines: Iterable[str]) -> list[Message]:
    """Return the errors and warnings in a compiler's and linker's output, in order."""
    found: list[Message] = []
    asked_from: list[Place] = []
    for line in lines:
        if match := _MESSAGE.fullmatch(line):
            place = Place(match["file"], int(match["line"]), int(match["column"]))
            if match["kind"] == "note":
                # Instantiations before a note belong to the note.
                asked_from = []
                if found and found[-1].place:
                    found[-1] = replace(found[-1], notes=(*found[-1].notes, match["text"].strip()))
                continue
            kind: Kind = "warning" if match["kind"] == "warning" else "error"
            found.append(Message(kind, match["text"], place, tuple(asked_from)))
            asked_from = []
        elif match := _CONTEXT.match(line):
            asked_from.append(Place(match["file"], int(match["line"]), int(match["column"])))
        elif (match := _LINKER.fullmatch(line)) and match[1] not in {one.text for one in found}:
            found.append(Message("error", match[1]))
    return found


_TIMEOUT_S = 300
_NOTES_SHOWN = 6
_LOG_LINES_SHOWN = 15
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class ReadersSource:
    """A reader's source; `type_name` is the variant's type, `title` the path or cell name for messages."""

    text: str
    type_name: str
    title: str
    first_line: int = 1

    @property
    def variant(self) -> str:
        """The type's name in kebab case, such as `my-buffers`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.type_name).lower().replace("_", "-")


@dataclass(frozen=True)
class CompiledPlugin:
    """A plug-in, and the compiler's warnings."""

    path: Path
    warnings: list[str]


def compile_plugin(component: Component, source: ReadersSource) -> CompiledPlugin:
    """Compile a source with the `[plugin] template` and `compile` of its component, which is already built."""
    table = component.manifest.plugin
    if table is None or not table.template or not table.compile:
        raise UsageError(
            f"{component.name} takes no sources of variants",
            "its manifest has no [plugin] template and compile",
        )
    if not _IDENTIFIER.fullmatch(source.type_name):
        raise UsageError(f"{source.type_name!r} is no name of a type", "give the name of the type that is the variant")
    program = _program((component.folder / table.template).read_text(encoding="utf-8"), source)
    folder = component.lab.work / "plugins" / f"{component.name}-{source.variant}"
    folder.mkdir(parents=True, exist_ok=True)
    # Name by content: a measurement may still use an earlier plug-in.
    stem = f"{source.variant}-{hashlib.sha256(program.encode()).hexdigest()[:12]}"
    file, path = folder / f"{stem}.cpp", folder / stem
    file.write_text(program, encoding="utf-8")
    environment = program_environment(component)
    command = expand(table.compile, environment, source=str(file), plugin=str(path))
    # Messages are parsed, so they must be in English with plain quotes.
    try:
        done = run_group(command, folder=component.folder, environment=environment, timeout_s=_TIMEOUT_S, locale="C")
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the compiler did not end within {_TIMEOUT_S} s and was ended",
            "a template that instantiates itself without end takes as long",
        ) from None
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    said = read_messages(err.splitlines())
    errors = [_shown(message, source) for message in said if message.kind == "error"]
    if errors:
        raise UsageError("\n".join([f"{source.type_name} does not compile", *errors]), _HINT)
    if done.returncode != 0 or not path.is_file():
        tail = "\n".join((out + err).splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the compiler failed with status {done.returncode}:\n{tail}", "./lab doctor")
    return CompiledPlugin(path, [_shown(message, source) for message in said if message.kind == "warning"])


_HINT = "a variant is compiled on its own: it may use what its own source declares and includes, and the component"


def _program(template: str, source: ReadersSource) -> str:
    """Insert the source into the template, keeping its line numbers for the compiler's messages."""
    title = source.title.replace("\\", "\\\\").replace('"', '\\"')
    line = template[: template.index("@SOURCE@")].count("\n") + 1 if "@SOURCE@" in template else 0
    if not line:
        raise UsageError("the component's [plugin] template has no @SOURCE@", "see docs/adding-a-topic.md")
    # After the source, the template's own line numbers continue.
    text = f'#line {source.first_line} "{title}"\n{source.text}\n#line {line} "{_TEMPLATE}"'
    places = {"SOURCE": text, "TYPE": source.type_name, "NAME": source.variant}
    return re.sub(r"@(SOURCE|TYPE|NAME)@", lambda match: places[match[1]], template)


_TEMPLATE = "what the lab adds"


def _shown(message: Message, source: ReadersSource) -> str:
    """Format a message with its source line and a caret below the column."""
    lines = []
    place = message.place_in(source.title)
    elsewhere = f"{Path(message.place.file).name}, line {message.place.line}" if message.place else ""
    if place is None:
        known = message.place is not None and message.place.file != _TEMPLATE
        lines.append(f"  {elsewhere}: {message.text}" if known else f"  {message.text}")
    else:
        asked = "" if place == message.place else f" (in {elsewhere})"
        lines.append(f"  {source.title}, line {place.line}, column {place.column}: {message.text}{asked}")
        written = dict(enumerate(source.text.splitlines(), source.first_line)).get(place.line)
        # A source with its own #line may have other line numbers.
        if written is not None:
            lines += [f"    {written.expandtabs(8)}", "    " + " " * (place.column - 1) + "^"]
    return "\n".join([*lines, *(f"    {note}" for note in message.notes[:_NOTES_SHOWN])])
