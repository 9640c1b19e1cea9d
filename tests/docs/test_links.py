"""Links from one document of the checkout to another lead somewhere, headings included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = sorted(path for folder in (".", "docs", "datasets") for path in (CHECKOUT / folder).glob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(document: Path) -> set[str]:
    """The names by which a forge links to a document's headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_lead_somewhere(document: Path) -> None:
    for place, heading in LINK.findall(document.read_text(encoding="utf-8")):
        target = document.parent / place if place else document
        assert target.exists(), place
        if heading:
            assert heading in anchors(target), f"{place}#{heading}"
