"""The glossary is one: in order, short, and each term with where it comes from."""

from __future__ import annotations

import re

import pytest

from perflab.model.lab import CHECKOUT

TEXT = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### (.+)\n\n((?:.+\n)+)", TEXT, re.MULTILINE))


def test_terms_stand_once_and_in_alphabetical_order() -> None:
    names = re.findall(r"^### (.+)$", TEXT, re.MULTILINE)
    assert names == list(ENTRIES)
    assert [name.lower() for name in names] == sorted({name.lower() for name in names})


@pytest.mark.parametrize("name", ENTRIES)
def test_a_term_is_explained_in_two_or_three_sentences_with_a_source(name: str) -> None:
    explained, _, source = ENTRIES[name].rstrip().partition("\nSource: ")
    assert 2 <= len(re.findall(r"[.](?:\s|$)", explained)) <= 3
    assert explained.endswith(".")
    assert re.search(r"\(\d{4}\)|\]\([\w./#-]+\)|documentation|\(19|\(20", source), "a year, or a document"
    assert source.endswith(".")
