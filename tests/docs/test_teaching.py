"""The lesson plans are of the notebooks as they are: their sections exist, and a lesson fits into its time."""

from __future__ import annotations

import json
import re

import pytest

from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

LAB = Lab.from_environment()

TEXT = (CHECKOUT / "docs" / "teaching.md").read_text(encoding="utf-8")
LESSONS = dict(re.findall(r"^## (Lesson \d: .+)\n((?:(?!## ).*\n)+)", TEXT, re.MULTILINE))
MINUTES = 90


def notebook_of(lesson: str) -> str:
    found = re.search(r"\(\.\./(notebooks/[\w-]+\.ipynb)\)", LESSONS[lesson])
    assert found
    return found[1]


def test_each_topic_has_a_lesson() -> None:
    assert [notebook_of(lesson) for lesson in LESSONS] == sorted(one.manifest.notebook for one in find_components(LAB))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_fits_into_its_time(lesson: str) -> None:
    assert sum(map(int, re.findall(r"^\| (\d+) \|", LESSONS[lesson], re.MULTILINE))) == MINUTES


@pytest.mark.parametrize("lesson", LESSONS)
def test_its_sections_are_in_the_notebook(lesson: str) -> None:
    (component,) = (one for one in find_components(LAB) if one.manifest.notebook == notebook_of(lesson))
    notebooks = [json.loads((CHECKOUT / notebook).read_text(encoding="utf-8")) for notebook in component.notebooks]
    cells = [cell for notebook in notebooks for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    text = "".join("".join(cell["source"]) + "\n" for cell in cells)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plan = re.findall(r"^\| \d+ \|.*\| ([^|]+) \|$", LESSONS[lesson], re.MULTILINE)
    sections = [section for row in plan for section in re.findall(r"\*([^*]+)\*", row)]
    assert len(sections) >= len(plan)
    missing = [section for section in sections if not any(section in heading for heading in headings)]
    assert missing == []
