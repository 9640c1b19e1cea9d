"""Where each page stands in the site. Documents and notebooks keep the paths that they have in the checkout."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath

INDEX = "index.html"
NOTEBOOKS = "notebooks.html"
DOCUMENTS = "documents.html"
MACHINE = "machine.html"
DATA = "data.html"


def report_page(report: str) -> str:
    """The page of a report."""
    return f"reports/{report}.html"


def claim_page(report: str, claim: str) -> str:
    """The page of a claim."""
    return f"claims/{report}/{claim}.html"


def run_page(run: str) -> str:
    """The page of a run."""
    return f"runs/{run}.html"


def badge(report: str) -> str:
    """A report's badge."""
    return f"badges/{report}.svg"


def run_data(run: str) -> str:
    """The folder of a run's files."""
    return f"data/runs/{run}"


def profile_data(profile: str) -> str:
    """The folder of a profile's files."""
    return f"data/profiles/{profile}"


def rendered(path: str) -> str:
    """The page of a document or a notebook of the checkout."""
    return str(PurePosixPath(path).with_suffix(".html"))


def relative(target: str, page: str) -> str:
    """How a page links to another one: from a folder on disk as well as from any place on a server."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")
