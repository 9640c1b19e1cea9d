"""Paths of the site's pages, and the words it uses."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

INDEX = "index.html"
NOTEBOOKS = "notebooks.html"
DOCUMENTS = "documents.html"
MACHINE = "machine.html"
DATA = "data.html"


def report_page(report: str) -> str:
    """Return the path of a report's page."""
    return f"reports/{report}.html"


def claim_page(report: str, claim: str) -> str:
    """Return the path of a claim's page."""
    return f"claims/{report}/{claim}.html"


def run_page(run: str) -> str:
    """Return the path of a run's page."""
    return f"runs/{run}.html"


def badge(report: str) -> str:
    """Return the path of a report's badge."""
    return f"badges/{report}.svg"


def run_data(run: str) -> str:
    """Return the folder of a run's files."""
    return f"data/runs/{run}"


def profile_data(profile: str) -> str:
    """Return the folder of a profile's files."""
    return f"data/profiles/{profile}"


def rendered(path: str) -> str:
    """Return the path of the page of a document or notebook."""
    return str(PurePosixPath(path).with_suffix(".html"))


def relative(target: str, page: str) -> str:
    """Return a relative link from a page to a target, valid on disk and anywhere on a server."""
    # A file's name may be any bytes, and may look like a URL.
    return quote(posixpath.relpath(target, posixpath.dirname(page) or "."), errors="surrogateescape")


class Word(NamedTuple):
    """A verdict's sign and meaning; `key` is its CSS class. Colour is never the only sign."""

    key: str
    sign: str
    meaning: str


VERDICT_WORDS = {
    "reproduced": Word("reproduced", "✓", "It holds here: by the published factor, or within the claimed bound."),
    "direction only": Word(
        "direction", "↗", "As claimed, but by another factor, or by one that is not known well enough."
    ),
    "overstated": Word(
        "overstated", "↓", "The published factor is too large; whether there is any difference is open."
    ),
    "refuted": Word("refuted", "✗", "Shown not to hold here: it goes the other way, or there is no such difference."),
    "undecided": Word("open", "?", "Too noisy to tell, measured on a busy machine, or the test behind it failed."),
    "void": Word("void", "⊘", "What is claimed breaks its contract here; its figure counts for nothing."),
    "untestable here": Word(
        "untestable", "∅", "It needs what is not here, is another machine's figure, or rests on an unfaithful rebuild."
    ),
    "not run": Word("unrun", "·", "It has not been measured yet."),
}
KIND_WORDS = {
    "ratio": "one variant is so many times better than another",
    "order": "one variant is better than another",
    "bound": "a figure stays within bounds",
    "scaling": "a figure changes by a factor when a parameter changes",
    "share": "a cause takes so much of a profile",
    "score": "a variant has such a score over all scenarios of its topic",
    "mechanism": "something works in a certain way, which a test shows",
    "absolute": "a figure of another machine, shown for scale only",
    "fidelity": "what was rebuilt performs as the original did where that was measured",
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
    "bundle": "an evidence bundle of another machine",
    "none": "nothing yet",
}
