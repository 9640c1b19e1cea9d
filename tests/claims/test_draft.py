"""Drafting a ledger from a report, the schema of ledgers, and the document that both are told by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
import yaml
from labs import Lab

from perflab.claims.draft import OPEN, draft
from perflab.claims.ledger import Claim, read_ledger
from perflab.claims.schema import document, ledger_schema
from perflab.model.errors import UsageError
from perflab.model.lab import CHECKOUT
from perflab.model.protocol import PROTOCOL_VERSION, Description, Parameter, Runtime, Scenario, Variant

if TYPE_CHECKING:
    from pathlib import Path

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
    faster, memory, *rows = drafted(tmp_path, "README.md", MARKDOWN)
    assert (faster["kind"], faster["published"], faster["lines"]) == ("ratio", {"value": 3, "unit": "x"}, [3, 4])
    assert (faster["candidate"], faster["baseline"]) == ("Clock", "List")
    assert memory["published"] == {"low": pytest.approx(1 / 0.6, 1e-4), "high": pytest.approx(2), "unit": "x"}
    absolute = [one for one in rows if one["kind"] == "absolute"]
    assert [(one["candidate"], one["published"]) for one in absolute] == [
        ("List", {"value": 300, "unit": "ns/op"}),
        ("Clock", {"value": 100, "unit": "ns/op"}),
    ]
    ratios = [one for one in rows if one["kind"] == "ratio"]
    assert [(one["baseline"], one["candidate"], one["lines"]) for one in ratios] == [
        ("List", "Clock", [9, 9]),
        (OPEN, OPEN, [15, 15]),
    ]
    assert ratios[-1]["published"] == {"value": pytest.approx(25998336 / 5339256, 1e-4), "unit": "x"}
    assert ratios[-1]["where"] == "Queues"


def test_statements_of_html_are_those_that_people_see(tmp_path: Path) -> None:
    faster, row = drafted(tmp_path, "report.html", HTML)
    assert (faster["published"], faster["lines"]) == ({"value": 2.5, "unit": "x"}, [2, 3])
    assert (row["published"], row["statement"]) == ({"value": 2, "unit": "x"}, "get: old 100 ns, new 50 ns")


def test_large_and_small_figures_are_numbers(tmp_path: Path) -> None:
    fast, small = drafted(tmp_path, "README.md", "It does 3,000,000 ops/s.\n\nIt takes 0.00001 ms.\n")
    assert [one["published"] for one in (fast, small)] == [
        {"value": 3e6, "unit": "ops/s"},
        {"value": 1e-5, "unit": "ms"},
    ]


def test_what_is_slower_is_the_baseline_and_a_decimal_comma_makes_no_figure(tmp_path: Path) -> None:
    text = "The clock is 12,5x faster than the list.\n\nThe list is 1,250x slower than the clock.\n\n"
    for end in ("takes 2.6 times as long as the clock", "is 3x faster than the clock"):
        text += f"The list {end}.\n\n"
    found = drafted(tmp_path, "README.md", text + "| a | List | Clock |\n|---|---|---|\n| get | 12,5 ns | 8,25 ns |\n")
    assert [(one["baseline"], one["candidate"], one["published"]["value"]) for one in found] == [
        ("List", "Clock", 1250),
        ("List", "Clock", 2.6),
        ("Clock", "List", 3),
    ]


def test_a_bound_of_nothing_is_drafted(tmp_path: Path) -> None:
    (bound,) = drafted(tmp_path, "README.md", "The clock allocates nothing.\n")
    assert (bound["kind"], bound["at_most"], bound["metric"]) == ("bound", 0, OPEN)


def of_table(tmp_path: Path, table: str) -> list[dict[str, object]]:
    size = Parameter("size", "int", 1024, choices=["1024", "131072"])
    scenario = msgspec.structs.replace(KNOWN.scenarios[0], parameters=[size])
    known = msgspec.structs.replace(KNOWN, scenarios=[scenario])
    (tmp_path / "README.md").write_text(table)
    text = draft(tmp_path / "README.md", "cache", known)[1]
    assert "# Sides: List, Clock\n# Parameters of time: size\n" in text
    found: list[dict[str, object]] = yaml.safe_load(text)["claims"]
    return found


def test_rows_are_compared_that_are_about_the_same_and_what_they_are_about_is_not_dropped(tmp_path: Path) -> None:
    rows = "".join(
        f"| {one} | {size} | {time} ns | {level} |\n"
        for size, *times in (("1,024", 27, 16), ("131,072", 44, 17))
        for one, time, level in zip(("List", "Clock"), times, ("O2", "O2"), strict=True)
    )
    found = of_table(tmp_path, f"| cache | size | time | built with |\n|---|---|---|---|\n{rows}")
    ratios = [one for one in found if one["kind"] == "ratio"]
    assert [(one["baseline"], one["candidate"], one["params"]) for one in ratios] == [("List", "Clock", OPEN)] * 2
    assert [one["published"]["value"] for one in ratios] == pytest.approx([27 / 16, 44 / 17], 1e-4)
    found = of_table(tmp_path, f"| cache | size | time |\n|---|---|---|\n{rows.replace(' O2 |', '')}")
    assert [(one["kind"], one["params"]["size"]) for one in found] == [
        *(("absolute", 1024), ("absolute", 1024), ("ratio", 1024)),
        *(("absolute", 131072), ("absolute", 131072), ("ratio", 131072)),
    ]


def test_figures_about_different_things_are_compared_with_that_left_open(tmp_path: Path) -> None:
    rows = "| List | 1,024 | 27 ns |\n| List | 131,072 | 44 ns |\n| Clock | many | 17 ns |\n"
    *_, clock = of_table(tmp_path, f"| cache | size | time |\n|---|---|---|\n{rows}")
    assert (clock["baseline"], clock["candidate"], clock["params"]) == ("List", "Clock", OPEN)


def test_a_number_in_a_column_of_something_else_is_no_value_of_a_parameter(tmp_path: Path) -> None:
    (row,) = of_table(tmp_path, "| threads | List | Clock |\n|---|---|---|\n| 1,024 | 44 ns | 17 ns |\n")
    assert row["params"] == OPEN


def test_a_column_with_the_factor_beside_its_figures_is_no_system(tmp_path: Path) -> None:
    rows = "| 131,072 | 44 ns | 17 ns | 2.6x |\n| 1,024 | 27 ns | 16 ns | 1.7x |\n"
    found = of_table(tmp_path, f"| size | List | Clock | speed-up |\n|---|---|---|---|\n{rows}")
    assert [(one["baseline"], one["candidate"], one["params"]) for one in found] == [
        ("List", "Clock", {"size": 131072}),
        ("List", "Clock", {"size": 1024}),
    ]
    (lone,) = of_table(tmp_path, "| size | speed-up |\n|---|---|\n| 131,072 | 2.6x |\n")
    assert (lone["candidate"], lone["params"]) == (OPEN, {"size": 131072})


def test_the_better_figure_of_a_row_is_the_candidates_at_the_value_that_the_row_is_about(tmp_path: Path) -> None:
    rows = (
        "| 1,024 | 12.5 ns | 17.7 ns |\n| 131,072 | 85 ns | 31.5 ns |\n| many | 9 ops/s | 4 ops/s |\n| few | 9 | 4 |\n"
    )
    found = of_table(tmp_path, f"| size | List | Clock |\n|---|---|---|\n{rows}")
    assert [(one["candidate"], one["baseline"], one["params"]) for one in found] == [
        ("List", "Clock", {"size": 1024}),
        ("Clock", "List", {"size": 131072}),
        ("List", "Clock", OPEN),
        (OPEN, OPEN, OPEN),
    ]
    assert found[0]["published"]["value"] == pytest.approx(17.7 / 12.5, 1e-4)


@pytest.mark.parametrize("said", ["it is 4x or more", "at least 4x are seen", "it is 4x+"])
def test_what_the_sentence_says_of_its_figure_is_no_headline_at_any_size(tmp_path: Path, said: str) -> None:
    most, grows = drafted(tmp_path, "README.md", f"The lead grows: at 131,072 entries {said}.\n")
    assert (most["kind"], most["at_least"], most["baseline"], most["params"]) == ("bound", 4, OPEN, OPEN)
    assert (grows["kind"], grows["at_least"], grows["start"]) == ("scaling", 1, OPEN)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xfe", "no text in UTF-8"),
        (b"Nothing to see.\n", "no statement with a figure"),
        (b"3x faster. " * 200_000, "too many"),
    ],
)
def test_what_is_no_report_is_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "README.md").write_bytes(data)
    with pytest.raises(UsageError, match=says):
        draft(tmp_path / "README.md", OPEN)


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


def test_the_document_is_made_from_the_code() -> None:
    text = (CHECKOUT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert text == document(), "python -m perflab.claims.schema > docs/claims.md"


def test_every_key_is_explained() -> None:
    for name, record in ledger_schema()["$defs"].items():
        bare = [key for key, value in record["properties"].items() if "description" not in value]
        assert not bare, f"{name}: {bare}"


def test_the_schema_has_what_a_ledger_may_hold(tmp_path: Path) -> None:
    schema = Lab(tmp_path).json("claims", "--schema")
    assert set(schema["$defs"]["Claim"]["properties"]) == {one.name for one in msgspec.structs.fields(Claim)}
    assert schema["$defs"]["Claim"]["additionalProperties"] is False


def test_the_ledger_in_the_document_is_one(tmp_path: Path) -> None:
    text = document().partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "readme.yaml").write_text(text)
    assert [one.id for one in read_ledger("readme", tmp_path).claims] == ["three-times", "allocates-nothing"]
