"""A verdict: a word, why, and its evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from perflab.judge.evidence import Evidence, gather
from perflab.model.format import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perflab.judge.evidence import Shelf
    from perflab.judge.ledger import Claim, Ledger
    from perflab.model.estimate import Estimate
    from perflab.model.lab import Lab


VerdictWord = Literal["reproduced", "direction only", "not reproduced", "refuted", "void", "untestable here", "not run"]
VERDICTS: tuple[str, ...] = get_args(VerdictWord)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Attributes:
        claim: The claim.
        word: The verdict.
        reason: One sentence.
        evidence: What it rests on.
    """

    claim: Claim
    word: VerdictWord
    reason: str
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def short(self) -> bool:
        """Whether the run fell short of what the ledger is sure of: a refuted claim, a mechanism whose test failed."""
        fallen = "not reproduced" if self.claim.kind == "mechanism" else "refuted"
        return self.claim.expected and self.word == fallen

    @property
    def published(self) -> str:
        """What the report says, as short as a cell of a table: a bound, a figure, or a direction."""
        if self.claim.bounded and self.evidence.estimate:
            return _bound_of(self.claim, self.evidence.estimate)
        return str(self.claim.published) or ("" if self.claim.bounded else "better")

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints for a claim."""
        claim, evidence, found = self.claim, self.evidence, self.evidence.estimate
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
            "runs": evidence.runs,
            "origin": evidence.origin,
            "busy": evidence.busy,
            "expected": claim.expected,
            "note": claim.note,
        }


def judge_ledger(
    lab: Lab, ledger: Ledger, shelves: Sequence[Shelf] | None = None, claims: Iterable[Claim] | None = None
) -> list[Verdict]:
    """Judge a ledger's claims, or only some of them, by what `gather` finds for them."""
    chosen = ledger.claims if claims is None else list(claims)
    evidence = gather(lab, ledger, shelves, chosen)
    return [judge(claim, evidence[claim.id]) for claim in chosen]


def judge(claim: Claim, evidence: Evidence) -> Verdict:
    """Judge a claim by its evidence; the reason names a small machine that the figures come from."""
    if claim.missing:
        return Verdict(claim, "untestable here", f"it would need {claim.missing}")
    word, reason = _judge(claim, evidence)
    if word == "not run":
        return Verdict(claim, word, reason, Evidence(runs=evidence.runs))
    if evidence.small and word != "untestable here":
        reason = f"measured on {evidence.small}: {reason}"
    return Verdict(claim, word, reason, evidence)


def _judge(claim: Claim, evidence: Evidence) -> tuple[VerdictWord, str]:
    if claim.kind == "mechanism":
        return _mechanism(claim, evidence)
    if evidence.estimate is None:
        return "void" if evidence.void else "not run", evidence.why or "no run in the store"
    if claim.bounded:
        return _bound(claim, evidence.estimate)
    if claim.kind == "order":
        return _order(claim, evidence, evidence.estimate)
    shown = f"published {claim.published}, here {evidence.estimate}"
    if claim.kind in {"ratio", "scaling"}:
        word, why = _ratio(claim, evidence.estimate, equal=evidence.equal)
    elif claim.kind in {"share", "score"}:
        word, why = _share(claim, evidence.estimate)
    else:
        return "untestable here", f"another machine's figure, for scale: {shown}"
    return word, f"{shown}: {why}" if why else shown


def _mechanism(claim: Claim, evidence: Evidence) -> tuple[VerdictWord, str]:
    if evidence.passed is None:
        return "not run", evidence.why or f"the test {claim.test} has not been run"
    if evidence.passed:
        return claim.shows, f"the test {claim.test} shows it"
    return "not reproduced", f"the test {claim.test} failed: {evidence.why}"


def _ratio(claim: Claim, found: Estimate, *, equal: bool) -> tuple[VerdictWord, str]:
    low, high = _ends(found)
    (first, last), (least, most) = _published(claim)
    if not found.is_factor:
        return "not reproduced", "a value is zero or below, so there is no factor"
    up = (first + last) / 2 >= 1
    if (low > 1) if up else (high < 1):
        return ("reproduced" if least <= found.value <= most else "direction only"), ""
    if (high < 1) if up else (low > 1):
        return "refuted", "it goes the other way"
    if equal:
        return "refuted", "no difference"
    if (high < least) if up else (low > most):
        return "refuted", "the published factor is out of reach"
    return "not reproduced", "the interval contains 1"


def _share(claim: Claim, found: Estimate) -> tuple[VerdictWord, str]:
    low, high = _ends(found)
    _, (least, most) = _published(claim)
    if found.interval is None:
        return "not reproduced", "one process gives no interval"
    if low <= most and high >= least:
        return ("reproduced" if least <= found.value <= most else "not reproduced"), ""
    return "refuted", ""


def _published(claim: Claim) -> tuple[tuple[float, float], tuple[float, float]]:
    """The published range, and what is within the tolerance of it."""
    assert claim.published.range is not None  # noqa: S101 - the ledger was checked
    low, high = claim.published.range
    return (low, high), (low * (1 - claim.tolerance), high * (1 + claim.tolerance))


def _order(claim: Claim, evidence: Evidence, found: Estimate) -> tuple[VerdictWord, str]:
    low, high = _ends(found)
    neutral = 1.0 if found.is_factor else 0.0
    shown = f"{claim.candidate} against {evidence.rival or claim.baseline}: {found}"
    if low > neutral:
        return "reproduced", shown
    if high < neutral:
        return "refuted", f"{shown}: it is worse"
    if evidence.equal:
        return "refuted", f"{shown}: no difference"
    return "not reproduced", f"{shown}: the interval contains both"


def _bound(claim: Claim, found: Estimate) -> tuple[VerdictWord, str]:
    low, high = _ends(found)
    if _is_factor(claim) and not found.is_factor:
        return "not reproduced", f"{found}: a value is zero or below, so there is no factor"
    shown = f"{found}, claimed {_bound_of(claim, found)}"
    if claim.at_most is not None:
        holds, fails = high <= claim.at_most, low > claim.at_most
    else:
        assert claim.at_least is not None  # noqa: S101 - it is bounded
        holds, fails = low >= claim.at_least, high < claim.at_least
    return ("reproduced" if holds else "refuted" if fails else "not reproduced"), shown


def _bound_of(claim: Claim, found: Estimate) -> str:
    """The claimed bound, as in `at most 1.00 µs/message`."""
    word, bound = ("at most", claim.at_most) if claim.at_most is not None else ("at least", claim.at_least)
    assert bound is not None  # noqa: S101 - it is bounded
    return f"{word} {f'{bound:g}x' if _is_factor(claim) else quantity(bound, found.unit)}"


def _is_factor(claim: Claim) -> bool:
    return bool(claim.baseline) or claim.kind == "scaling"


def _ends(found: Estimate) -> tuple[float, float]:
    # Without an interval nothing is certain.
    return found.interval or (-math.inf, math.inf)
