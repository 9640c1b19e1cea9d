"""What a word given to `compare` stands for: a saved baseline, a run, or a revision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perflab.errors import UsageError

if TYPE_CHECKING:
    from perflab.revisions import Commit
    from perflab.store import Run

_KINDS = ("baseline", "run", "rev")


@dataclass(frozen=True)
class Named:
    """What was found under a word.

    Attributes:
        text: The word.
        runs: The runs that it stands for; several for a baseline.
        baseline: Whether it is one.
        commit: The commit, of a revision.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    baseline: bool = False
    commit: Commit | None = None

    @property
    def kind(self) -> str:
        """In a word."""
        return "revision" if self.commit else "baseline" if self.baseline else "run"


def find_named(text: str, topic: str | None, scenario: str | None) -> Named:
    """A saved baseline of this name, else a run, else a revision; `baseline:`, `run:` or `rev:` in front decides.

    Args:
        text: The word.
        topic: Only baselines of this topic.
        scenario: Only of this scenario.

    Raises:
        UsageError: If it is none of these.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in _KINDS:
        kind, name = "", text
    problems: dict[str, UsageError] = {}
    for one, find in (("baseline", _baseline), ("run", _run), ("rev", _revision)):
        if kind not in {"", one}:
            continue
        try:
            return find(name, topic, scenario)
        except UsageError as error:
            problems[one] = error
    if kind:
        raise problems[kind]
    if name == "latest" or problems["run"].message.startswith("more than one"):
        raise problems["run"]
    raise UsageError(
        f"{text!r} is no saved baseline, no run and no revision",
        f"{problems['run'].hint}; ./lab runs lists runs and baselines, git log revisions",
    )


def _baseline(name: str, topic: str | None, scenario: str | None) -> Named:
    from perflab.store import find_baselines

    records = [one for one in find_baselines(topic, name) if scenario in {None, one.scenario}]
    if not records:
        raise UsageError(f"no saved baseline {name!r}", "./lab runs shows what was saved")
    return Named(name, [one.read_run() for one in records], baseline=True)


def _run(name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.store import find_run

    return Named(name, [find_run(name)])


def _revision(name: str, _topic: str | None, _scenario: str | None) -> Named:
    from perflab.revisions import find_commit

    return Named(name, commit=find_commit(name))
