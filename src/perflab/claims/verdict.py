"""A verdict: a word, why, and its evidence."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from perflab.claims.ledger import Claim

Word = Literal["reproduced", "direction only", "not reproduced", "refuted", "void", "untestable here", "not run"]
VERDICTS: tuple[str, ...] = get_args(Word)


class Verdict(msgspec.Struct, frozen=True):
    """What is to be said of a claim.

    Attributes:
        claim: The claim.
        word: The verdict.
        reason: One sentence.
        measured: The measured figure, in the claim's unit.
        interval: Its confidence interval.
        shown: Both of them as they are read, as in `1.10x [0.95, 1.27]`; empty where nothing was measured.
        runs: The runs, profiles or tests that it rests on.
        origin: `local` runs, committed `reference` runs, or none.
        busy: Of these runs, those during which the machine had other work, and what was said of it.
        claimed: The claimed bound as it is read, as in `at most 1.00 µs/message`; empty without one, or if nothing was
            measured.
    """

    claim: Claim
    word: Word
    reason: str
    measured: float | None = None
    interval: tuple[float, float] | None = None
    shown: str = ""
    runs: list[str] = []
    origin: Literal["local", "reference", "none"] = "none"
    busy: dict[str, list[str]] = {}
    claimed: str = ""

    @property
    def short(self) -> bool:
        """Whether the run fell short of what the ledger is sure of: a refuted claim, a mechanism whose test failed."""
        fallen = "not reproduced" if self.claim.kind == "mechanism" else "refuted"
        return self.claim.expected and self.word == fallen

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints for a claim."""
        claim = self.claim
        return {
            "id": claim.id,
            "kind": claim.kind,
            "verdict": self.word,
            "reason": self.reason,
            "statement": claim.statement,
            "where": claim.where,
            "ours": claim.ours,
            "published": msgspec.to_builtins(claim.published),
            "measured": self.measured,
            "interval": list(self.interval) if self.interval else None,
            "shown": self.shown,
            "runs": self.runs,
            "origin": self.origin,
            "busy": self.busy,
            "expected": claim.expected,
            "note": claim.note,
        }
