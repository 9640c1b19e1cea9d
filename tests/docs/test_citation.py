"""CITATION.cff has what the Citation File Format 1.2.0 requires, and agrees with the package."""

from __future__ import annotations

import re
from typing import Any

import yaml

from perflab import __version__
from perflab.model.lab import CHECKOUT

REQUIRED = {"cff-version", "message", "title", "authors"}
# The format's own list: https://github.com/citation-file-format/citation-file-format/blob/1.2.0/schema-guide.md
ALLOWED = REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url",
    "version",
}  # fmt: skip


def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def test_it_has_the_required_keys_and_none_that_the_format_lacks() -> None:
    found = citation()
    assert set(found) >= REQUIRED
    assert set(found) <= ALLOWED
    assert found["cff-version"] == "1.2.0"
    assert found["type"] in {"software", "dataset"}
    assert all(isinstance(found[key], str) and found[key] for key in ("message", "title", "abstract", "license"))


def test_each_author_is_a_person_or_an_entity() -> None:
    authors = citation()["authors"]
    assert authors
    assert all("name" in one or {"family-names", "given-names"} & set(one) for one in authors)


def test_version_and_licence_are_the_packages() -> None:
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    assert citation()["version"] == __version__
    assert citation()["license"] == re.findall(r'^license = "(.+)"$', project, re.MULTILINE)[0]
