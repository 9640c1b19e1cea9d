"""What the site calls things, in one place: verdicts with their signs, kinds of claims, modes of profiles."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A verdict's sign and meaning; `key` is its class in the style sheet. Colour is never the only sign."""

    key: str
    sign: str
    meaning: str


VERDICT_WORDS = {
    "reproduced": Word("reproduced", "✓", "It holds here: by the published factor, or within the claimed bound."),
    "direction only": Word("direction", "↗", "Better as claimed, but by another factor."),
    "not reproduced": Word("open", "?", "This run cannot tell: the interval holds both."),
    "refuted": Word("refuted", "✗", "Shown not to hold here."),
    "void": Word("void", "⊘", "What the claim speaks of breaks its contract here; its figure counts for nothing."),
    "untestable here": Word(
        "untestable", "∅", "It needs something that this machine has not, or is another machine's absolute time."
    ),
    "not run": Word("unrun", "·", "Nobody has measured it yet."),
}

KIND_WORDS = {
    "ratio": "one variant is so many times better than another",
    "order": "one variant is better than another",
    "bound": "a figure stays within a bound",
    "scaling": "a figure changes by a factor when a parameter changes",
    "share": "a cause takes so much of a profile",
    "score": "a variant has such a score over all scenarios of its topic",
    "mechanism": "something works in a certain way, which a test shows",
    "absolute": "a figure of another machine, shown for scale only",
}

PROFILE_WORDS = {
    "cpu": "Where CPU time goes",
    "wall": "Where threads spend their time",
    "lock": "Where threads wait for locks",
    "alloc": "Where memory is allocated",
}

ORIGIN_WORDS = {
    "local": "runs on the machine that wrote this report",
    "reference": "the committed reference runs",
    "none": "nothing yet",
}
