"""A verdict: a word, why, and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from perflab.judge.ledger import Claim
from perflab.model.estimate import Estimate
from perflab.model.format import quantity

if TYPE_CHECKING:
    from perflab.judge.evidence import Evidence


Word = Literal["reproduced", "direction only", "not reproduced", "refuted", "void", "untestable here", "not run"]
VERDICTS: tuple[str, ...] = get_args(Word)


class Verdict(msgspec.Struct, frozen=True):
    """What is to be said of a claim.

    Attributes:
        claim: The claim.
        word: The verdict.
        reason: One sentence.
        estimate: The measured figure with its interval, in the claim's unit.
        runs: The runs, profiles or tests that it rests on.
        origin: `local` runs, committed `reference` runs, or none.
        busy: Of these runs, those during which the machine had other work, and what was said of it.
        claimed: The claimed bound as it is read, as in `at most 1.00 µs/message`; empty without one, or if nothing was
            measured.
    """

    claim: Claim
    word: Word
    reason: str
    estimate: Estimate | None = None
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
        claim, found = self.claim, self.estimate
        return {
            "id": claim.id,
            "kind": claim.kind,
            "verdict": self.word,
            "reason": self.reason,
            "statement": claim.statement,
            "where": claim.where,
            "ours": claim.ours,
            "published": msgspec.to_builtins(claim.published),
            "measured": found.value if found else None,
            "interval": list(found.interval) if found and found.interval else None,
            "shown": str(found or ""),
            "runs": self.runs,
            "origin": self.origin,
            "busy": self.busy,
            "expected": claim.expected,
            "note": claim.note,
        }


def judge(claim: Claim, evidence: Evidence) -> Verdict:
    """Say of a claim whether it holds; of figures of a small machine the reason begins with what that was.

    Args:
        claim: The claim.
        evidence: What there is on it.
    """
    verdict = _judge(claim, evidence)
    if not evidence.small or verdict.word in {"untestable here", "not run"}:
        return verdict
    return msgspec.structs.replace(verdict, reason=f"measured on {evidence.small}: {verdict.reason}")


def _judge(claim: Claim, evidence: Evidence) -> Verdict:
    if claim.missing:
        return Verdict(claim, "untestable here", f"it would take {claim.missing}")
    if claim.kind == "mechanism":
        return _mechanism(claim, evidence)
    if evidence.void:
        return Verdict(claim, "void", evidence.why, runs=evidence.runs, origin=evidence.origin)
    found = evidence.estimate
    if found is None:
        return Verdict(claim, "not run", evidence.why or "no run of it in the store", runs=evidence.runs)
    rules = {"ratio": _ratio, "scaling": _ratio, "order": _order, "bound": _bound, "share": _share, "score": _share}
    rule = _bound if claim.bounded else rules.get(claim.kind, _absolute)
    word, reason = rule(claim, evidence, found)
    claimed = _claimed(claim, found.unit) if claim.bounded else ""
    return Verdict(claim, word, reason, found, evidence.runs, evidence.origin, evidence.busy, claimed)


def _mechanism(claim: Claim, evidence: Evidence) -> Verdict:
    if evidence.passed is None:
        return Verdict(claim, "not run", evidence.why or f"the test {claim.test} has not been run")
    word: Word = claim.shows if evidence.passed else "not reproduced"
    reason = f"the test {claim.test} " + ("shows it" if evidence.passed else f"failed: {evidence.why}")
    return Verdict(claim, word, reason, runs=evidence.runs, origin=evidence.origin)


def _ratio(claim: Claim, evidence: Evidence, found: Estimate) -> tuple[Word, str]:
    low, high = _ends(found)
    published = claim.published.range
    assert published is not None  # noqa: S101 - the ledger was checked
    up = sum(published) / len(published) >= 1
    least, most = published[0] * (1 - claim.tolerance), published[1] * (1 + claim.tolerance)
    shown = f"published {claim.published}, here {found}"
    if not found.is_factor:
        return "not reproduced", f"{shown}: a value is zero or below, so there is no factor"
    if (low > 1) if up else (high < 1):
        return ("reproduced" if least <= found.value <= most else "direction only"), shown
    if (high < 1) if up else (low > 1):
        return "refuted", f"{shown}: it goes the other way"
    if evidence.equal:
        return "refuted", f"{shown}: no difference"
    if (high < least) if up else (low > most):
        return "refuted", f"{shown}: the published factor is out of reach"
    return "not reproduced", f"{shown}: the interval holds 1"


def _order(claim: Claim, evidence: Evidence, found: Estimate) -> tuple[Word, str]:
    low, high = _ends(found)
    neutral = 1.0 if found.is_factor else 0.0
    shown = f"{claim.candidate} against {evidence.rival or claim.baseline}: {found}"
    if low > neutral:
        return "reproduced", shown
    if high < neutral:
        return "refuted", f"{shown}: it is worse"
    if evidence.equal:
        return "refuted", f"{shown}: no difference"
    return "not reproduced", f"{shown}: the interval holds both"


def _bound(claim: Claim, _evidence: Evidence, found: Estimate) -> tuple[Word, str]:
    low, high = _ends(found)
    bound = claim.at_most if claim.at_most is not None else claim.at_least
    assert bound is not None  # noqa: S101 - the ledger was checked
    holds, fails = (high <= bound, low > bound) if claim.at_most is not None else (low >= bound, high < bound)
    if _is_factor(claim) and not found.is_factor:
        return "not reproduced", f"{found}: a value is zero or below, so there is no factor"
    shown = f"{found}, claimed {_claimed(claim, found.unit)}"
    return ("reproduced" if holds else "refuted" if fails else "not reproduced"), shown


def _claimed(claim: Claim, unit: str) -> str:
    bounds = (("at most", claim.at_most), ("at least", claim.at_least))
    word, bound = next((word, bound) for word, bound in bounds if bound is not None)
    return f"{word} {f'{bound:g}x' if _is_factor(claim) else quantity(bound, unit)}"


def _is_factor(claim: Claim) -> bool:
    return bool(claim.baseline) or claim.kind == "scaling"


def _share(claim: Claim, _evidence: Evidence, found: Estimate) -> tuple[Word, str]:
    low, high = _ends(found)
    published = claim.published.range
    assert published is not None  # noqa: S101 - the ledger was checked
    least, most = published[0] * (1 - claim.tolerance), published[1] * (1 + claim.tolerance)
    shown = f"published {claim.published}, here {found}"
    if found.interval is None:
        return "not reproduced", f"{shown}: one process has no interval"
    if low <= most and high >= least:
        return ("reproduced" if least <= found.value <= most else "not reproduced"), shown
    return "refuted", shown


def _absolute(claim: Claim, _evidence: Evidence, found: Estimate) -> tuple[Word, str]:
    return "untestable here", f"another machine's figure, for scale: published {claim.published}, here {found}"


def _ends(found: Estimate) -> tuple[float, float]:
    # Without an interval nothing is certain.
    return found.interval or (float("-inf"), float("inf"))
