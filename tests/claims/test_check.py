"""`claims check`: what a README says between markers and elsewhere, against the ledgers and the evidence."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from claiming import make_claim, make_ledger
from click.testing import CliRunner
from evidence_by_hand import ARMS, RUN, SUM, lay_out
from labs import Lab as Outside
from runs import HEADER, MACHINE, write_run

from perflab.claims.bundled import export
from perflab.claims.check import Standing
from perflab.claims.verdict import Verdict
from perflab.cli.main import lab as command
from perflab.model.lab import Lab
from perflab.site.badges import claims_badge

LEDGER = """
report: toys
title: Sums
component: toy
claims:
  - {id: twice, kind: ratio, statement: Twice as fast., published: {value: 2, unit: x},
     baseline: wasteful, candidate: plain, scenario: sum}
  - {id: quick, kind: bound, statement: 'Quick | <small>, and 30 % smaller.', candidate: plain,
     scenario: sum, at_most: 1000}
"""
UNRUN = "  - {id: unrun, kind: mechanism, statement: Nobody looked., test: 'SumTest#never'}\n"
FIGURE = "2.01x [2.00, 2.02]"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A project in the current folder, with committed results."""
    for place in ("perflab.claims.evidence", "perflab.claims.bundled"):
        monkeypatch.setattr(f"{place}.this_machine", lambda: MACHINE)
    places = lay_out(tmp_path)
    (places["claims"] / "toys.yaml").write_text(LEDGER)
    root = tmp_path / "mine"
    root.mkdir()
    lab = replace(Lab.from_environment(), root=root, results=root / "results", inner=(), **places)
    monkeypatch.chdir(root)
    return lab


def check(project: Lab, *words: str, status: int = 0) -> str:
    done = CliRunner().invoke(command, ["claims", "check", *words], obj=project)
    assert done.exit_code == status, done.output
    return done.output


def data(project: Lab, *words: str, status: int = 0) -> Any:  # noqa: ANN401 - JSON
    return json.loads(check(project, "--json", *words, status=status))


def write(text: str, name: str = "README.md") -> Path:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def between(path: Path) -> list[str]:
    return re.findall(r"perflab:[^>]*-->(.*?)<!-- ?/perflab", path.read_bytes().decode(), re.DOTALL)


def test_a_figure_between_markers_is_compared_and_renewed(project: Lab) -> None:
    readme = write(
        "# Sums\n\nIt is <!-- perflab: twice -->7x<!-- /perflab --> as fast.\n\n"
        "| a | b |\n|---|---|\n"
        "| <!-- perflab: toys/twice value --><!-- /perflab --> | <!--perflab:twice verdict-->?<!--/perflab--> |\n"
    )
    said = check(project, status=1)
    assert f"README.md:3: twice: here '7x', measured '{FIGURE}'" in said
    assert "README.md:7: toys/twice: here ''" in said
    assert readme.read_text().count("7x") == 1
    assert "README.md: renewed" in check(project, "--write")
    assert between(readme) == [FIGURE, "2.01x", "reproduced"]
    assert "2 of 2 claims reproduced" in check(project, "--strict")
    assert "renewed" not in check(project, "--write")


def test_a_table_has_the_claims_and_says_when_and_where_they_were_measured(project: Lab) -> None:
    readme = write("Text.\n\n<!-- perflab: table -->\n<!-- /perflab -->\n")
    check(project, "--write")
    (table,) = between(readme)
    head, line, twice, quick, blank, measured = table.strip("\n").split("\n")
    assert (head, line, blank) == ("| claim | verdict | why |", "|---|---|---|", "")
    assert twice.startswith("| Twice as fast. | **reproduced** | published 2 x, here 2.0")
    assert quick.startswith(r"| Quick \| &lt;small>, and 30 % smaller. | **reproduced** | ")
    assert measured.startswith("Measured on 2026-01-01")
    assert measured.endswith(" on a processor, 2 cores, 16 GiB, Debian.")
    readme.write_text(readme.read_text().replace("2 x, here", "3 x, here"))
    assert re.search(r"README\.md:6: table: here '\| Twice.*3 x", check(project, status=1))
    readme.write_text("<!-- perflab: table quick -->\n<!-- /perflab -->\n")
    check(project, "--write")
    assert "Twice" not in readme.read_text()


def test_a_table_of_several_ledgers_names_them_and_takes_their_headlines(project: Lab) -> None:
    other = LEDGER.replace("toys", "apes").replace("id: twice,", "id: twice, headline: true,")
    (project.claims / "apes.yaml").write_text(other)
    readme = write("<!-- perflab: table toys/quick apes -->\n<!-- /perflab -->\n")
    check(project, "--write")
    rows = [line[:17] for line in between(readme)[0].split("\n") if line.startswith("| `")]
    assert rows == ["| `toys` | Quick ", "| `apes` | Twice "]


def test_the_newest_evidence_of_this_machine_comes_before_the_committed_one(project: Lab, tmp_path: Path) -> None:
    readme = write(
        "It is <!-- perflab: twice value -->?<!-- /perflab --> as fast; <!-- perflab: measured --><!-- /perflab -->\n"
    )
    check(project, "--write")
    header = msgspec.structs.replace(
        HEADER, scenario=SUM, arms=ARMS, baseline="wasteful", created="2026-02-03T00:00:00+00:00", reproduction=True
    )
    times = {"wasteful": [100.0, 102, 104, 101, 103, 99], "plain": [45.0, 46, 47, 45, 46, 44]}
    write_run(project.results, name=RUN, header=header, values=times, rounds=6)
    export(project, ["toys"], tmp_path / "mine.zip")
    assert "measured '2.2" in check(project, status=1)
    check(project, "--reference")
    check(project, "--write", "--with", str(tmp_path / "mine.zip"))
    value, measured = between(readme)
    assert value.startswith("2.2")
    assert measured.startswith("Measured on 2026-02-03")
    assert "one" in check(project, "--reference", "--with", str(tmp_path / "mine.zip"), status=2)


def test_line_ends_are_kept(project: Lab) -> None:
    readme = write(
        "<!-- perflab: table -->\r\n<!-- /perflab -->\r\n\r\nTwo <!-- perflab: twice --><!-- /perflab -->.\r\n"
    )
    check(project, "--write")
    assert b"\n" not in readme.read_bytes().replace(b"\r\n", b"")
    assert b"reproduced** | published 2 x" in readme.read_bytes()
    check(project)


@pytest.mark.parametrize(
    "code",
    [
        "```md\nIt is <!-- perflab: nothing -->7x<!-- /perflab --> faster.\n```\n",
        "- An item\n\n  ~~~\n  <!-- perflab: table -->\n  ~~~\n",
        "    It is <!-- perflab: twice -->\n",
        "Write `<!-- perflab: CLAIM -->`, then ``<!-- /perflab -->``.\n",
        "<!-- ignore --> <!-- perflab's own -->\n",
    ],
)
def test_what_is_code_is_no_marker(project: Lab, code: str) -> None:
    readme = write(f"Text.\n\n{code}")
    check(project, "--write")
    assert readme.read_text() == f"Text.\n\n{code}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<!-- perflab: twice -->2x", "README.md:2: a marker is not closed"),
        ("<!-- perflab: twice -->2x <!-- perflab: quick -->", "README.md:2: a marker is not closed"),
        ("2x<!-- /perflab -->", "README.md:2: this marker closes none"),
        ("<!-- perflab: twise -->2x<!-- /perflab -->", "README.md:2: no claim 'twise'\n  fix: did you mean 'twice'?"),
        ("<!-- perflab: -->2x<!-- /perflab -->", "README.md:2: no claim ''"),
        ("<!-- perflab twise -->2x<!-- /perflab -->", "no claim 'twise'"),
        ("<!-- perflab: twice size -->2x<!-- /perflab -->", "not 'size'"),
        ("<!-- perflab: table twise -->2x<!-- /perflab -->", "no claim 'twise'"),
        ("<!-- perflab: same -->2x<!-- /perflab -->", "write apes/same or dogs/same"),
    ],
)
def test_a_marker_that_cannot_be_filled_is_one_line_and_nothing_is_written(project: Lab, text: str, says: str) -> None:
    for name in ("apes", "dogs"):
        (project.claims / f"{name}.yaml").write_text(
            LEDGER.replace("toys", name).replace("id: twice", "id: same").replace("id: quick", f"id: {name}")
        )
    other = write("<!-- perflab: toys/twice -->?<!-- /perflab -->", "docs/other.md")
    write(f"One.\n{text}\n")
    assert says in check(project, "docs/other.md", "README.md", "--write", status=2)
    assert "?" in other.read_text()


def test_a_claim_without_evidence_fails_and_its_figure_is_left_alone(project: Lab) -> None:
    (project.claims / "toys.yaml").write_text(LEDGER + UNRUN)
    so = "".join(
        f"It is <!-- perflab: {one} -->so<!-- /perflab -->.\n" for one in ("unrun", "table unrun", "measured unrun")
    )
    readme = write(so)
    said = check(project, "--write", status=1)
    assert said.count("unrun") == 1
    assert "toys/unrun: not run: " in said
    assert readme.read_text() == so


@pytest.mark.parametrize(
    ("word", "expected", "fails"),
    [
        ("reproduced", None, False),
        ("undecided", None, False),
        ("untestable here", None, False),
        ("overstated", None, True),
        ("refuted", None, True),
        ("void", None, True),
        ("not run", None, True),
        ("direction only", None, True),
        ("refuted", "another", False),
        ("void", "another", False),
        ("not run", "another", True),
        ("refuted", "this", True),
        ("void", "this", True),
        ("direction only", "this", False),
    ],
)
def test_a_word_fails_if_the_ledger_does_not_expect_it(word: Any, expected: str | None, fails: bool) -> None:  # noqa: ANN401
    claim = make_claim("order", "this", expected=expected == "this")
    ledger = make_ledger(claim, make_claim("order", "another", expected=expected == "another"))
    assert Standing(ledger, Verdict(claim, word, ""), []).fails is fails
    assert not Standing(ledger, Verdict(claim, "direction only", "", size_undecided=True), []).fails


def test_what_is_undecided_fails_only_if_strict(project: Lab) -> None:
    (project.claims / "toys.yaml").write_text(
        LEDGER.replace("value: 2", "value: 2.38").replace("scenario: sum}", "scenario: sum, tolerance: 0.2}")
    )
    found = data(project)["claims"]
    assert [(one["verdict"], one["fails"]) for one in found] == [("direction only", False), ("reproduced", False)]
    assert "toys/twice: direction only" in check(project, "--strict", status=1)


LOOSE = """# Sums

It is 3x faster. It is twice as fast.
It takes 12 ms to start. It is 30% smaller. It is 40 % faster.

It runs in <!-- perflab: twice -->2x<!-- /perflab --> faster time, with
<!-- perflab: ignore -->a pause of 70 ms<!-- /perflab --> of its own.

```
It is 9x faster.
```
"""


def test_figures_that_no_claim_covers_are_listed(project: Lab) -> None:
    write(LOOSE)
    found = data(project, "--write")
    assert [(one["line"], one["sentence"]) for one in found["uncovered"]] == [
        (3, "It is 3x faster."),
        (3, "It takes 12 ms to start."),
        (3, "It is 40 % faster."),
    ]
    assert "README.md:3: no claim covers: It is 3x faster." in check(project)
    check(project, "--strict", status=1)
    ledger = LEDGER.replace("at_most: 1000}", "published: {value: 0.012, unit: s}, at_most: 1000}")
    (project.claims / "toys.yaml").write_text(ledger)
    assert "12 ms" not in check(project)


def test_other_files_are_named_and_the_readme_may_be_missing(project: Lab) -> None:
    assert "2 of 2 claims reproduced" in check(project)
    page = write("<!-- perflab: twice -->?<!-- /perflab -->", "docs/speed.md")
    write("<!-- perflab: wrong -->", "readme.MD")
    assert data(project, "docs/speed.md", "--write")["written"] == ["docs/speed.md"]
    assert between(page) == [FIGURE]
    assert "readme.MD:1: a marker is not closed" in check(project, status=2)
    Path("README.md").write_bytes(b"\xff")
    assert "no text in UTF-8" in check(project, "README.md", status=2)


def test_a_badge_says_how_many_claims_hold(project: Lab) -> None:
    check(project, "--badge", "docs/claims.svg")
    root = ET.fromstring(Path("docs/claims.svg").read_text())  # noqa: S314 - our own
    assert [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")] == ["claims", "2 of 2 hold"]
    assert root.attrib["aria-label"] == "claims: 2 of 2 hold"


def test_a_badge_has_the_colour_of_the_worst_word() -> None:
    def colour(*words: Any) -> str:  # noqa: ANN401
        text = claims_badge([Verdict(make_claim("order"), word, "") for word in words])
        return re.findall(r'fill="(#\w+)"', text)[1]

    good = colour("reproduced", "untestable here")
    open_, bad = colour("reproduced", "undecided"), colour("reproduced", "undecided", "refuted")
    assert len({good, open_, bad, colour("untestable here")}) == 4
    assert colour("reproduced", "not run") == colour("direction only") == open_
    assert colour("void") == colour("overstated", "not run") == bad


def test_it_works_in_a_project_of_ones_own(tmp_path: Path) -> None:
    lab = Outside(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = tmp_path / "mine" / "inner"
    lab.place.mkdir(parents=True)
    (tmp_path / "mine" / "perflab.toml").write_text('[bench.toy]\ncompare = ["true", "true #"]\n')
    assert "claims new README.md" in lab("claims", "check", status=2).stderr
    (tmp_path / "mine" / "perflab" / "claims").mkdir(parents=True)
    (tmp_path / "mine" / "perflab" / "claims" / "toys.yaml").write_text(LEDGER)
    (tmp_path / "mine" / "README.md").write_text("It is 3x faster.\n")
    said = lab("claims", "check", status=1).stdout
    assert "../README.md:1: no claim covers: It is 3x faster." in said
    assert "toys/twice: not run: " in said
