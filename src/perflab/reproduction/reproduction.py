"""What came of a reproduction, kept on disk from its first verdict on, so that it can be resumed after any end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.errors import LabError, UsageError
from perflab.paths import RESULTS_DIR
from perflab.store import meant_by, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.analysis import Standings
    from perflab.claims import Ledger, Verdict

_FILE = "reproduction.json"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a reproduction was asked for.

    Attributes:
        topics: The topics, in the order in which they were named.
        preset: How each measurement is made.
        headlines: Whether only headline claims are judged.
        minutes: How long all measurements together may take; each as long as the preset says without it.
        notebook: Whether the topics' notebooks are executed, too.
    """

    topics: list[str]
    preset: str
    headlines: bool = False
    minutes: float | None = None
    notebook: bool = False


class _Record(msgspec.Struct, frozen=True):
    """The file's contents; `claims` are for whoever reads the file, and are judged again on resuming."""

    created: str
    settings: Settings
    ended: bool
    claims: list[dict[str, Any]]
    left_out: dict[str, str]
    problems: list[str]


@dataclass
class Reproduction:
    """A reproduction, under way or at its end.

    Attributes:
        folder: Where its record, the charts and the executed notebooks are.
        settings: What was asked for.
        created: When it was started for the first time, ISO 8601 in UTC: what was measured since is not measured again.
        ledgers: The ledgers of the topics' reports.
        expected: Per report and claim that is to be judged, the verdict on the committed reference runs.
        verdicts: Per report and claim, the verdict on this machine, in the order in which they fell.
        tables: The standings of topics that have a table.
        charts: The charts' files.
        notebooks: The executed notebooks.
        left_out: Topics that cannot be built or measured on this machine, and why.
        problems: What went wrong on the way; the rest is there all the same.
        resumed_from: The claims that had been judged when it was resumed; `None` if this is its first start.
    """

    folder: Path
    settings: Settings
    created: str
    ledgers: list[Ledger] = field(default_factory=list)
    expected: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    tables: list[Standings] = field(default_factory=list)
    charts: list[Path] = field(default_factory=list)
    notebooks: list[Path] = field(default_factory=list)
    left_out: dict[str, LabError] = field(default_factory=dict)
    problems: list[LabError] = field(default_factory=list)
    resumed_from: frozenset[tuple[str, str]] | None = None

    @classmethod
    def start(cls, settings: Settings) -> Reproduction:
        """A new one; nothing is on disk before `save`."""
        now = datetime.now(UTC).replace(microsecond=0)
        folder = RESULTS_DIR / "reproductions" / now.strftime("%Y%m%d-%H%M%S")
        return cls(folder, settings, now.isoformat())

    @classmethod
    def resume(cls) -> Reproduction:
        """The newest one, if it did not come to its end.

        Raises:
            UsageError: If there is none, or nothing is left to do.
        """
        folder = RESULTS_DIR / "reproductions"
        names = [path.parent.name for path in folder.glob(f"*/{_FILE}")]
        newest = folder / meant_by("latest", names, "reproduction", "./lab reproduce --quick")
        try:
            record = msgspec.json.decode((newest / _FILE).read_bytes(), type=_Record)
        except msgspec.MsgspecError as error:
            raise UsageError(f"cannot read {newest / _FILE}: {error}", "start anew: ./lab reproduce --quick") from None
        if record.ended:
            raise UsageError("the last reproduction came to its end", "start a new one: ./lab reproduce --quick")
        judged = frozenset((one["report"], one["id"]) for one in record.claims)
        return cls(newest, record.settings, record.created, resumed_from=judged)

    def of(self, ledger: Ledger) -> list[Verdict]:
        """The verdicts on a ledger's claims, in the ledger's order."""
        found = [self.verdicts.get((ledger.report, claim.id)) for claim in ledger.claims]
        return [one for one in found if one is not None]

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "claims": [{"report": report, **one.to_dict()} for (report, _), one in self.verdicts.items()],
            "tables": [table.to_dict() for table in self.tables],
            "folder": str(self.folder),
            "charts": [str(path) for path in self.charts],
            "notebooks": [str(path) for path in self.notebooks],
            "left_out": {topic: str(why) for topic, why in self.left_out.items()},
            "problems": [str(problem) for problem in self.problems],
        }

    def save(self, *, ended: bool = False) -> None:
        """Write the record, whole or not at all.

        Raises:
            StoreError: If it cannot be written.
        """
        found = self.to_dict()
        record = _Record(self.created, self.settings, ended, found["claims"], found["left_out"], found["problems"])
        write_whole(self.folder / _FILE, record)
