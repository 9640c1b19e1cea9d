"""Two kept results side by side: what each said of the same candidate, and whether the two can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.console.rows import Row, rows
from perflab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.console.keeping import Kept


@dataclass(frozen=True)
class Pair:
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

    @property
    def rows(self) -> tuple[Row | None, Row | None]:
        """Both."""
        return self.first, self.second


def side_by_side(first: Kept, second: Kept) -> list[Pair]:
    """Each candidate of either, in the order in which they come.

    Raises:
        UsageError: If they are of different machines, or of different topics or scenarios.
    """
    machines = [_machine(one.result) for one in (first, second)]
    if None not in machines and machines[0] != machines[1]:
        raise UsageError("these were measured on different machines and are not compared", "measure one of them again")
    for what in ("topic", "scenario"):
        if _fact(first, what) != _fact(second, what):
            raise UsageError(
                f"these differ in their {what}, so their factors mean different things", "choose two of one"
            )
    tables = [{_label(row): row for row in rows(one.result)} for one in (first, second)]
    labels = dict.fromkeys([*tables[0], *tables[1]])
    return [Pair(label, one := tables[0].get(label), two := tables[1].get(label), _word(one, two)) for label in labels]


def _label(row: Row) -> str:
    over = f"{row.candidate} over {row.baseline}"
    return f"{over}, {row.setting}" if row.setting else over


def _word(one: Row | None, two: Row | None) -> str:
    """Non-overlapping intervals are a strict test; that they overlap says nothing, and so the word says no more."""
    if one is None or two is None:
        return ""
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return "not told apart"
    return "apart" if one.low > two.high or two.low > one.high else "not told apart"


def _fact(kept: Kept, what: str) -> str:
    result = kept.result
    return kept.command.topic if what == "topic" else str(result.get("scenario", ""))


def _machine(result: Mapping[str, Any]) -> str | None:
    found = result.get("machine") or next((point.get("machine") for point in result.get("points", [])), None)
    return str(found["id"]) if found else None
