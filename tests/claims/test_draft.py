"""Drafting a ledger from a report, the schema of ledgers, and the document that explains both."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import msgspec
import pytest
import yaml
from labs import Lab

from perflab.claims.draft import draft
from perflab.claims.ledger import KINDS, OPEN, ledger_schema, read_ledger
from perflab.model.errors import UsageError
from perflab.model.lab import CHECKOUT
from perflab.model.protocol import PROTOCOL_VERSION, Description, Runtime, Scenario, Variant

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = (CHECKOUT / "docs" / "claims.md").read_text(encoding="utf-8")
MARKDOWN = """# Cache

The clock is **3x** faster than the list. It was written in 2024.
It needs 40-50 % less memory, and allocates nothing.

| cache | ns/op | allocs |
|---|---|---|
| list | 300 | 2 |
| clock | 100 | 0 |

## Queues

|  | ABQ | Disruptor |
|---|---|---|
| Unicast: 1P \N{EN DASH} 1C | 5,339,256 | 25,998,336 |
"""
HTML = """<html><head><style>p { width: 50% } 3x</style></head><body><h1>Cache</h1>
<p>The clock is 2.5&times;
faster.</p><script>4x</script>
<table><tr><th>what</th><th>old</th><th>new</th></tr>
<tr><td><p>get</p></td><td>100 ns</td><td>50 ns</td></tr></table></body></html>
"""
KNOWN = Description(
    PROTOCOL_VERSION,
    "cache",
    Runtime("any", ""),
    [Scenario("time", "an iteration", "ns/op", "lower")],
    [Variant("List", "yours", scenarios=["time"]), Variant("Clock", "yours", scenarios=["time"])],
)


def drafted(tmp_path: Path, name: str, text: str) -> list[dict[str, object]]:
    (tmp_path / name).write_text(text)
    found: list[dict[str, object]] = yaml.safe_load(draft(tmp_path / name, "cache", KNOWN)[1])["claims"]
    return found


def test_statements_of_markdown_have_their_figures_and_lines(tmp_path: Path) -> None:
    faster, memory, slow, fast, unicast = drafted(tmp_path, "README.md", MARKDOWN)
    assert (faster["kind"], faster["published"], faster["lines"]) == ("ratio", {"value": 3, "unit": "x"}, [3, 4])
    assert (faster["candidate"], faster["baseline"]) == (OPEN, OPEN)
    assert (memory["kind"], memory["published"], memory["scenario"]) == (OPEN, OPEN, "time")
    assert (slow["statement"], slow["lines"]) == ("list: ns/op 300, allocs 2", [8, 8])
    assert fast["statement"] == "clock: ns/op 100, allocs 0"
    assert (unicast["where"], unicast["lines"]) == ("Queues", [15, 15])


def test_statements_of_html_are_those_that_people_see(tmp_path: Path) -> None:
    faster, row = drafted(tmp_path, "report.html", HTML)
    assert (faster["published"], faster["lines"]) == ({"value": 2.5, "unit": "x"}, [2, 3])
    assert (row["statement"], row["lines"]) == ("get: old 100 ns, new 50 ns", [5, 5])


def test_large_and_small_figures_are_numbers(tmp_path: Path) -> None:
    fast, small = drafted(tmp_path, "README.md", "It does 3,000,000 ops/s.\n\nIt takes 0.00001 ms.\n")
    assert [one["published"] for one in (fast, small)] == [
        {"value": 3e6, "unit": "ops/s"},
        {"value": 1e-5, "unit": "ms"},
    ]


def test_a_comma_stands_between_thousands_and_a_decimal_comma_makes_no_figure(tmp_path: Path) -> None:
    (found,) = drafted(tmp_path, "README.md", "It is 12,5x faster than the list.\n\nThe list is 1,250x slower.\n")
    assert found["published"] == {"value": 1250, "unit": "x"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xfe", "no text in UTF-8"),
        (b"Nothing to see.\n", "no statement with a figure"),
        (b"3x faster. " * 200_000, "more than 1 MiB"),
    ],
)
def test_what_is_no_report_is_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "README.md").write_bytes(data)
    with pytest.raises(UsageError, match=says):
        draft(tmp_path / "README.md", OPEN)


def test_a_report_whose_name_is_no_unicode_gives_a_ledger_that_is(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.md")
    path.write_text("It is 3x faster.\n")
    name, text, number = draft(path, "mine")
    assert (name, number) == ("report", 1)
    assert text.encode()


def test_claims_new_writes_a_ledger_whose_open_ends_are_named(tmp_path: Path) -> None:
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = tmp_path
    (tmp_path / "perflab.toml").write_text('[bench.cache]\ncompare = ["true", "true #"]\n')
    (tmp_path / "README.md").write_text(MARKDOWN)
    found = lab.json("claims", "new", "README.md")
    assert found["claims"] > 4
    said = lab("claims", "readme", status=2).stderr
    assert "perflab/claims/readme.yaml:" in said
    assert "docs/claims.md" in said
    assert "there is a ledger readme already" in lab("claims", "new", "README.md", status=2).stderr
    assert "one report at a time" in lab("claims", "readme", "README.md", status=2).stderr
    assert "does not exist" in lab("claims", "new", "nothing.md", status=2).stderr


def test_the_document_explains_every_kind_and_key() -> None:
    for kind, struct in KINDS.items():
        assert f"| `{kind}` |" in DOCUMENT
        assert f"| {(struct.__doc__ or '').partition(chr(10))[0]} |" in DOCUMENT
    for record in ledger_schema()["$defs"].values():
        for key, value in record["properties"].items():
            assert re.search(rf"^\| `{key}` \| .* \| {re.escape(value['description'])} \|$", DOCUMENT, re.MULTILINE), (
                key
            )


def test_the_schema_has_what_a_ledger_may_hold(tmp_path: Path) -> None:
    schema = Lab(tmp_path).json("claims", "--schema")
    for kind, struct in KINDS.items():
        definition = schema["$defs"][struct.__name__]
        keys = {one.name for one in msgspec.structs.fields(struct)}
        assert set(definition["properties"]) == keys | {"kind"}
        assert definition["properties"]["kind"]["enum"] == [kind]
        assert definition["additionalProperties"] is False


def test_the_ledger_in_the_document_is_one(tmp_path: Path) -> None:
    text = DOCUMENT.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "readme.yaml").write_text(text)
    assert [one.id for one in read_ledger("readme", tmp_path).claims] == ["three-times", "allocates-nothing"]
