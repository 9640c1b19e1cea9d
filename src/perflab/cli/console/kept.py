"""What is kept: a list, and two of it side by side."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets
import msgspec

from perflab.cli.console import markup
from perflab.cli.console.form import Command
from perflab.cli.console.markup import Row, rows
from perflab.model.commandline import shell_line
from perflab.model.errors import LabError, UsageError, one_line
from perflab.model.files import UNREADABLE, write_json
from perflab.model.names import is_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


FILE_NAME = "console/kept.json"
"""In the results folder."""

_MOST_BYTES = 16 << 20


class Kept(msgspec.Struct, frozen=True):
    """A result, and the command that found it. `created` is ISO 8601 in UTC."""

    name: str
    command: Command
    result: dict[str, Any]
    created: str


class KeptResults:
    """What is kept, by name. Written at once; another console's entries are read again before each change.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> list[Kept]:
        """In the order in which they were kept, without entries that cannot be read; none of a damaged file."""
        found: list[Kept] = []
        with suppress(UsageError):
            for entry in self._entries():
                with suppress(*UNREADABLE):
                    found.append(msgspec.json.decode(entry, type=Kept))
        return found

    def _entries(self) -> list[msgspec.Raw]:
        """All of the file, so that a change to it keeps what cannot be read.

        Raises:
            UsageError: If it is damaged: what is left of it is not to be written over.
        """
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[msgspec.Raw])
        except FileNotFoundError:
            return []
        except (OSError, *UNREADABLE) as error:
            raise UsageError(
                f"cannot read what was kept until now: {one_line(error)}", f"move {self._path} away"
            ) from None

    def get(self, name: str) -> Kept:
        """The one of this name.

        Raises:
            UsageError: If there is none.
        """
        found = next((one for one in self.all() if one.name == name), None)
        if found is None:
            raise UsageError(f"nothing is kept as {name!r}", "choose one from the list")
        return found

    def keep(self, name: str, command: Command, result: dict[str, Any]) -> Kept:
        """Keep a result.

        Raises:
            UsageError: If the name is empty or taken, or the file is damaged.
            MissingError: If the file cannot be written.
        """
        name = name.strip()
        if not name:
            raise UsageError("a kept result needs a name", "type one, for example: before the change")
        if name in {one.name for one in self.all()}:
            raise UsageError(f"a result named {name!r} already exists", "choose another name, or delete that one first")
        new = Kept(name, command, result, datetime.now(UTC).isoformat(timespec="seconds"))
        write_json(self._path, [*self._entries(), new])
        return new

    def drop(self, name: str) -> None:
        """Delete the one of this name; the runs behind it stay in the store.

        Raises:
            UsageError: If the file is damaged.
            MissingError: If it cannot be written.
        """
        kept = []
        for entry in self._entries():
            with suppress(*UNREADABLE):
                if msgspec.json.decode(entry, type=Kept).name == name:
                    continue
            kept.append(entry)
        write_json(self._path, kept)


class Pair(NamedTuple):
    """A candidate in two results; `None` where one has not measured it.

    Attributes:
        label: The candidate, with its setting.
        first: In the first.
        second: In the second.
        word: `apart` where the intervals do not touch, else `not told apart`; empty where one is missing.
    """

    label: str
    first: Row | None
    second: Row | None
    word: str


def side_by_side(first: Kept, second: Kept) -> list[Pair]:
    """Each candidate of either, in the order in which they come.

    Raises:
        UsageError: If they are of different machines, or of different topics or scenarios.
    """
    machines = [_machine(one.result) for one in (first, second)]
    if None not in machines and machines[0] != machines[1]:
        raise UsageError("these were measured on different machines and are not compared", "measure one of them again")
    facts = [{"topic": one.command.topic, "scenario": one.result.get("scenario", "")} for one in (first, second)]
    for what in facts[0]:
        if facts[0][what] != facts[1][what]:
            raise UsageError(
                f"these are of different {what}s, so their factors mean different things", f"choose two of one {what}"
            )
    tables = [{_label(row): row for row in rows(one.result)} for one in (first, second)]
    labels = dict.fromkeys([*tables[0], *tables[1]])
    return [Pair(label, one := tables[0].get(label), two := tables[1].get(label), _word(one, two)) for label in labels]


def _label(row: Row) -> str:
    over = f"{row.comparison.candidate} over {row.comparison.baseline}"
    return f"{over}, {row.setting}" if row.setting else over


def _word(one: Row | None, two: Row | None) -> str:
    """Non-overlapping intervals are a strict test; that they overlap says nothing, and so the word says no more."""
    if one is None or two is None:
        return ""
    if one.interval is None or two.interval is None:
        return "not told apart"
    return (
        "apart" if max(one.interval[0], two.interval[0]) > min(one.interval[1], two.interval[1]) else "not told apart"
    )


def _machine(result: Mapping[str, Any]) -> str | None:
    found = result.get("machine") or next((point.get("machine") for point in result.get("points", [])), None)
    return str(found["id"]) if found else None


_NOT_INTERLEAVED = "They were not interleaved: some of the difference may be drift of the machine."


class KeptView:
    """The kept results as a widget.

    Args:
        store: What is kept.
    """

    def __init__(self, store: KeptResults) -> None:
        self._store = store
        self.first = widgets.Dropdown(options=[], description="show")
        self.second = widgets.Dropdown(options=[], description="beside")
        self.drop = widgets.Button(description="Delete", tooltip="delete the first; its runs stay in the store")
        self.text = widgets.HTML()
        self.widget = markup.card("Kept results", widgets.HBox([self.first, self.second, self.drop]), self.text)
        self.first.observe(lambda _: self._show(), "value")
        self.second.observe(lambda _: self._show(), "value")
        self.drop.on_click(lambda _: self._drop())
        self.refresh()

    def refresh(self) -> None:
        """Read again what is kept."""
        names = [one.name for one in self._store.all()]
        first, second = self.first.value, self.second.value
        self.first.options = names
        self.second.options = [("nothing", ""), *((name, name) for name in names)]
        self.first.value = first if first in names else (names[-1] if names else None)
        self.second.value = second if second in names else ""
        self.widget.layout.display = "" if names else "none"
        self._show()

    def _show(self) -> None:
        if not self.first.value:
            self.text.value = ""
            return
        try:
            self.text.value = self._text()
        except LabError as error:
            self.text.value = markup.problem(error.message, error.hint)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            self.text.value = markup.problem(f"what is kept here is no result: {error!r}", "delete it")

    def _text(self) -> str:
        one = self._store.get(self.first.value)
        if not self.second.value or self.second.value == one.name:
            return markup.command(one.command.shell, "ran") + markup.figures(rows(one.result))
        two = self._store.get(self.second.value)
        found = markup.pairs(side_by_side(one, two), (one.name, two.name))
        runs = [str(kept.result.get("run", "")) for kept in (one, two)]
        test = markup.command(shell_line("compare", *runs), "to test") if all(map(is_id, runs)) else ""
        return f'{found}{test}<p class="perflab-meta">{escape(_NOT_INTERLEAVED)}</p>'

    def _drop(self) -> None:
        if self.first.value:
            try:
                self._store.drop(self.first.value)
            except LabError as error:
                self.text.value = markup.problem(error.message, error.hint)
                return
            self.refresh()
