"""A verdict: a word, why, and its evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import msgspec

from perflab.claims.evidence import Evidence, gather
from perflab.claims.ledger import Bounded, Fidelity, Mechanism, Order, Ratio, Scaling, Score, Share
from perflab.model.format import factor, quantity
from perflab.model.units import units_in
from perflab.stats.comparison import EQUIVALENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perflab.claims.evidence import Results
    from perflab.claims.ledger import Claim, Ledger
    from perflab.model.estimate import Estimate
    from perflab.model.lab import Lab


VerdictWord = Literal[
    "reproduced", "direction only", "overstated", "refuted", "undecided", "void", "untestable here", "not run"
]
VERDICTS: tuple[str, ...] = get_args(VerdictWord)

_DECIDED: tuple[VerdictWord, ...] = ("reproduced", "direction only", "overstated", "refuted")


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim; with `size_undecided`, one whose direction alone holds may still be reproduced."""

    claim: Claim
    word: VerdictWord
    reason: str
    evidence: Evidence = field(default_factory=Evidence)
    size_undecided: bool = False

    @property
    def progress(self) -> Literal["decided", "open", "out of reach"]:
        """Say whether more rounds could change it."""
        if self.word in {"untestable here", "not run"}:
            return "out of reach"
        return "open" if self.size_undecided or self.word in {"undecided", "overstated"} else "decided"

    @property
    def is_disturbed(self) -> bool:
        """Say whether a quieter machine could decide it."""
        return self.word == "undecided" and self.evidence.disturbed

    @property
    def short(self) -> bool:
        """Say whether a claim that the ledger expects to hold is refuted, or an expected test failed."""
        fallen = "undecided" if isinstance(self.claim, Mechanism) else "refuted"
        return self.claim.expected and self.word == fallen

    @property
    def published(self) -> str:
        """The report's bounds, figure or direction, for a table's cell."""
        if isinstance(self.claim, Bounded) and self.claim.bounded and self.evidence.estimate:
            return _bounds_text(_bounds(self.claim, self.evidence.estimate), self.evidence.estimate)
        return str(self.claim.published) or ("" if self.claim.bounded else "better")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        claim, evidence, found = self.claim, self.evidence, self.evidence.estimate
        return {
            "id": claim.id,
            "kind": claim.kind,
            "verdict": self.word,
            "reason": self.reason,
            "statement": claim.statement,
            "where": claim.where,
            "lines": claim.lines,
            "ours": claim.ours,
            "published": msgspec.to_builtins(claim.published),
            "measured": found.value if found else None,
            "interval": list(found.interval) if found and found.interval else None,
            "shown": str(found or ""),
            "runs": evidence.runs,
            "origin": evidence.origin,
            "busy": evidence.busy,
            "unsettled": evidence.unsettled,
            "expected": claim.expected,
            "note": claim.note,
        }


class Chance(NamedTuple):
    """The number of verdicts that an interval decides, and the most of them that are expected to be wrong."""

    decided: int
    wrong: float

    def __str__(self) -> str:
        return (
            f"Of {self.decided} verdicts that an interval of 95 % decides, "
            f"at most {self.wrong:.1f} are expected to be wrong by chance."
        )


def expected_wrong(verdicts: Iterable[Verdict]) -> Chance:
    """Bound the expected number of wrong verdicts.

    A verdict is wrong only where its interval misses, so the bound holds whatever is true, and however the runs that
    several verdicts share depend on each other (Benjamini and Hochberg 1995 call the share the false discovery rate).
    """
    decided = sum(one.word in _DECIDED and one.evidence.estimate is not None for one in verdicts)
    return Chance(decided, 0.05 * decided)


def judge_ledger(
    lab: Lab, ledger: Ledger, places: Sequence[Results] | None = None, claims: Iterable[Claim] | None = None
) -> list[Verdict]:
    """Judge a ledger's claims, or some of them, by their evidence and by the fidelity of the rebuilds."""
    chosen = ledger.claims if claims is None else list(claims)
    vouching = [claim for claim in ledger.claims if isinstance(claim, Fidelity)]
    every = {claim.id: claim for claim in [*chosen, *vouching]}
    evidence = gather(lab, ledger, places, every.values())
    found = {name: judge(claim, evidence[name]) for name, claim in every.items()}
    unfaithful = [claim for claim in vouching if found[claim.id].word == "refuted"]
    return [earned(found[claim.id], unfaithful) for claim in chosen]


def earned(verdict: Verdict, unfaithful: Sequence[Fidelity]) -> Verdict:
    """Return the verdict, unless a rebuild that is not faithful would refute a claim about the original."""
    claim = verdict.claim
    by = next((one for one in unfaithful if one.vouches_for(claim)), None)
    if claim.ours or by is None or verdict.word not in {"overstated", "refuted"}:
        return verdict
    why = f"the rebuild {by.vouches_for(claim)} is not faithful: {by.id}; {verdict.reason}"
    return replace(verdict, word="untestable here", reason=why)


def judge(claim: Claim, evidence: Evidence) -> Verdict:
    """Judge a claim by its evidence; the reason names a small machine that the figures come from."""
    if claim.missing:
        return Verdict(claim, "untestable here", f"it would need {claim.missing}")
    if lacking := claim.needs.beyond(evidence.cores):
        return Verdict(claim, "untestable here", f"it needs {lacking}", evidence)
    word, reason, size_undecided = _judge(claim, evidence)
    if word == "not run":
        return Verdict(claim, word, reason, Evidence(runs=evidence.runs, origin=evidence.origin))
    if evidence.disturbed and word in {*_DECIDED, "undecided"}:
        word, reason, size_undecided = "undecided", f"{_BUSY}: {reason}", False
    if evidence.small and word != "untestable here":
        reason = f"measured on {evidence.small}: {reason}"
    if evidence.counted:
        reason += f"; by instructions {evidence.counted}"
    return Verdict(claim, word, reason, evidence, size_undecided)


_BUSY = "the machine was busy"


class _Answer(NamedTuple):
    word: VerdictWord
    reason: str
    size_undecided: bool = False


_Range = tuple[float, float]


def _judge(claim: Claim, evidence: Evidence) -> _Answer:  # noqa: PLR0911 - one a kind
    if isinstance(claim, Mechanism):
        return _mechanism(claim, evidence)
    found = evidence.estimate
    if found is None:
        return _Answer("void" if evidence.void else "not run", evidence.why or "no reproduction has measured it")
    match claim:
        case Order():
            return _order(f"{claim.candidate} against {evidence.rival or claim.baseline}", found)
        case Bounded() if claim.bounded:
            answer = _bounded(claim, found)
            return answer._replace(reason=f"against {evidence.rival}: {answer.reason}") if evidence.rival else answer
        case Ratio() | Scaling():
            return _ratio(claim, found)
        case Share() | Score():
            return _share(claim, found)
        case Fidelity():
            return _fidelity(claim, found)
        case _:
            return _absolute(claim, found)


def _mechanism(claim: Mechanism, evidence: Evidence) -> _Answer:
    if evidence.passed is None:
        return _Answer("not run", evidence.why or f"the test {claim.test} has not been run")
    if evidence.passed:
        return _Answer(claim.shows, f"the test {claim.test} shows it")
    return _Answer("undecided", f"the test {claim.test} failed: {evidence.why}")


# Two questions, each answered from one interval. Their regions do not overlap, so that a wider interval can only lose
# an answer, and a longer run, while its intervals hold, can only find one.

Magnitude = Literal["inside", "below", "above", "undecided"]
Direction = Literal["as claimed", "opposite", "no difference", "undecided"]


def _magnitude(ends: _Range, band: _Range) -> Magnitude:
    """Compare an interval with a band on the same scale."""
    (low, high), (least, most) = ends, band
    if least <= low and high <= most:
        return "inside"
    return "below" if high < least else "above" if low > most else "undecided"


def _direction(ends: _Range, margin: float) -> Direction:
    """Return the direction of an effect: zero means equal, and what is claimed lies above."""
    low, high = ends
    if low > margin:
        return "as claimed"
    if high <= margin:
        return "opposite" if high < 0 else "no difference"
    return "undecided"


_WHY_REFUTED = {"opposite": "it goes the other way", "no difference": "there is no such difference"}
_BY_BAND: dict[Magnitude, VerdictWord] = {
    "inside": "reproduced",
    "below": "refuted",
    "above": "refuted",
    "undecided": "undecided",
}


def _ratio(claim: Ratio | Scaling, found: Estimate) -> _Answer:
    shown = _beside(claim, found)
    if not found.is_factor:
        return _Answer("undecided", f"{shown}: {_NO_FACTOR}")
    published = _published(claim)
    up = published[0] > 1
    least, most = _logs(published, up=up)
    band = least * (1 - claim.tolerance), most * (1 + claim.tolerance)
    ends = _logs(_ends(found), up=up)
    # An interval that ends on the band's edge is not below it, so it refutes nothing.
    margin = min(math.log1p(EQUIVALENCE), math.nextafter(band[0], -math.inf))
    size, way = _magnitude(ends, band), _direction(ends, margin)
    if size == "inside":
        return _Answer("reproduced", shown)
    if why := _WHY_REFUTED.get(way):
        return _Answer("refuted", f"{shown}: {why}")
    near, far = (factor(_exp(end if up else -end)) for end in band)
    outside = f"its size is outside {near} to {far}"
    if way == "as claimed":
        undecided = size == "undecided"
        return _Answer("direction only", f"{shown}: {'its size is undecided' if undecided else outside}", undecided)
    if size == "below":
        return _Answer("overstated", f"{shown}: {outside}, its direction undecided")
    return _Answer("undecided", f"{shown}: {_TOO_NOISY}")


_NO_FACTOR = "a value is zero or below, so there is no factor"
_TOO_NOISY = "too noisy to tell"


def _order(who: str, found: Estimate) -> _Answer:
    shown = f"{who}: {found}"
    # Differences have no margin: how much of a count matters, nobody has said.
    ends, margin = (_logs(_ends(found)), math.log1p(EQUIVALENCE)) if found.is_factor else (_ends(found), 0.0)
    way = _direction(ends, margin)
    if way == "as claimed":
        return _Answer("reproduced", shown)
    if why := _WHY_REFUTED.get(way):
        return _Answer("refuted", f"{shown}: {why}")
    return _Answer("undecided", f"{shown}: {_TOO_NOISY}")


def _bounded(claim: Bounded, found: Estimate) -> _Answer:
    if claim.factor and not found.is_factor:
        return _Answer("undecided", f"{found}: {_NO_FACTOR}")
    bounds = _bounds(claim, found)
    word = _BY_BAND[_magnitude(_ends(found), bounds)]
    if claim.factor and all(0 < end < 1 or math.isinf(end) for end in bounds):
        # As an author says it: not that it is at least 0.8 times as good, but that it takes at most 1.25 times as much.
        turned = _turned(bounds)
        return _Answer(word, f"takes {found.reverse} as much, claimed {_bounds_text(turned, found)}")
    none = "none, which is " if claim.at_most == 0 < bounds[1] else ""
    return _Answer(word, f"{found}, claimed {none}{_bounds_text(bounds, found)}")


def _share(claim: Share | Score, found: Estimate) -> _Answer:
    low, high = _published(claim)
    word = _BY_BAND[_magnitude(_ends(found), (low * (1 - claim.tolerance), high * (1 + claim.tolerance)))]
    return _Answer(word, _beside(claim, found))


def _fidelity(claim: Fidelity, found: Estimate) -> _Answer:
    shown = _beside(claim, found)
    if claim.factor and not found.is_factor:
        return _Answer("undecided", f"{shown}: {_NO_FACTOR}")
    word = _BY_BAND[_within(claim, found, claim.within) or "undecided"]
    return _Answer(word, f"{shown}, where a factor of {claim.within:g} is faithful")


_IMPLAUSIBLE = 10.0
"""A factor by which figures of two machines do not differ."""


def _absolute(claim: Claim, found: Estimate) -> _Answer:
    shown = _beside(claim, found)
    if _within(claim, found, _IMPLAUSIBLE) in {"below", "above"}:
        return _Answer("refuted", f"{shown}: more than a factor of {_IMPLAUSIBLE:g} apart")
    return _Answer("untestable here", f"another machine's figure, for scale: {shown}")


def _within(claim: Claim, found: Estimate, times: float) -> Magnitude | None:
    """Compare a figure with the published one, within a factor; `None` if their units have nothing in common."""
    size = units_in(claim.published.unit, found.unit)
    if size is None:
        return None
    low, high = _published(claim)
    return _magnitude(_ends(found), (size * low / times, size * high * times))


def _beside(claim: Claim, found: Estimate) -> str:
    return f"published {claim.published}, here {found}"


def _published(claim: Claim) -> _Range:
    assert claim.published.range is not None  # noqa: S101 - the ledger was checked
    return claim.published.range


_NONE = 0.01
"""The most that counts as none per operation: a mean over operations includes what a process does once."""
_OBJECT_BYTES = 16  # the smallest object of the JVM


def _bounds(claim: Bounded, found: Estimate) -> _Range:
    least, most = claim.at_least, claim.at_most
    if most == 0 and not found.is_factor and units_in(found.unit, "ns") is None:
        most = _NONE * (_OBJECT_BYTES if units_in(found.unit, "B") else 1)
    return -math.inf if least is None else least, math.inf if most is None else most


def _bounds_text(bounds: _Range, found: Estimate) -> str:
    """Format bounds, as in `at most 1.00 µs/message` or `1.5x to 2x`."""
    least, most = (f"{end:.4g}x" if found.is_factor else quantity(end, found.unit) for end in bounds)
    if math.isinf(bounds[0]):
        return f"at most {most}"
    return f"at least {least}" if math.isinf(bounds[1]) else f"{least} to {most}"


def _turned(factors: _Range) -> _Range:
    low, high = factors
    return (-math.inf if math.isinf(high) else 1 / high), (math.inf if math.isinf(low) else 1 / low)


def _ends(found: Estimate) -> _Range:
    # Without an interval nothing is certain.
    return found.interval or (-math.inf, math.inf)


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _logs(factors: _Range, *, up: bool = True) -> _Range:
    """Return logarithms of factors, negated for a claimed factor below one, so that what is claimed is above zero."""
    low, high = (math.log(one) if one > 0 else -math.inf for one in factors)
    return (low, high) if up else (-high, -low)
