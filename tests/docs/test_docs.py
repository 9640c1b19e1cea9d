"""What the documents say of the code, of its figures and of each other holds."""

from __future__ import annotations

import re
import types
import typing
from pathlib import Path

import bias
import busy
import decisive
import msgspec
import neighbours
import plan
import pytest
import spread
import summary
from click.testing import CliRunner

from perflab.claims.ledger import find_ledgers
from perflab.cli.main import lab as command
from perflab.measure.presets import PRESETS
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics import manifest

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


def keys(kind: type[msgspec.Struct], prefix: str = "") -> set[str]:
    found = set()
    for name, hint in typing.get_type_hints(kind, vars(manifest)).items():
        inner = [part for part in _parts(hint) if isinstance(part, type) and issubclass(part, msgspec.Struct)]
        found |= keys(inner[0], f"{name}.") if inner else {prefix + name}
    return found


def _parts(hint: object) -> tuple[object, ...]:
    """A hint's own type, or those inside `list[T]` and `T | None`."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is list:
        return typing.get_args(hint)
    return (hint,)


def test_each_key_of_the_manifest_is_explained_and_nothing_else() -> None:
    text = (CHECKOUT / "docs" / "adding-a-topic.md").read_text(encoding="utf-8")
    table = text[text.index("| key | meaning |") : text.index("## Done when")]
    assert set(re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)) == keys(manifest.Manifest)


def test_tables_say_what_was_measured() -> None:
    for program in (summary, bias, busy, neighbours, spread, decisive):
        name = "power" if program is summary else program.__name__
        assert plan.shown(f"{name} table") == program.table(), f"again: {program.__file__} --write"


def test_the_table_has_the_figures_of_the_presets() -> None:
    page = (CHECKOUT / "docs" / "measuring.md").read_text(encoding="utf-8")
    for name, shown in (("quick", "`--quick`"), ("normal", "none"), ("rigorous", "`--rigorous`")):
        preset = PRESETS[name]
        seconds = preset.budget_s
        cells = [
            shown,
            f"{preset.warmup_ms / 1000:g} s, {preset.samples} of {preset.sample_ms / 1000:g} s",
            f"{preset.min_rounds} to {preset.max_rounds}",
            f"{100 * preset.half_width:g} %",
            f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min",
        ]
        assert f"| {' | '.join(cells)} |" in page


def test_readme_and_results_say_what_the_reference_runs_say() -> None:
    pages = [str(CHECKOUT / name) for name in ("README.md", "docs/results.md")]
    done = CliRunner().invoke(command, ["claims", "check", "--reference", *pages], obj=Lab.from_environment())
    assert done.exit_code == 0, done.output
    for report in find_ledgers(CHECKOUT / "datasets" / "claims"):
        assert all(f"\n| `{report}` | " in Path(page).read_text(encoding="utf-8") for page in pages), report
