"""Drafting a ledger from a report, the schema of ledgers, and the document that explains both."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

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
    faster, memory, three, two, none, unicast = drafted(tmp_path, "README.md", MARKDOWN)
    assert (faster["kind"], faster["published"], faster["lines"]) == ("ratio", {"value": 3, "unit": "x"}, [3, 4])
    assert (faster["candidate"], faster["baseline"]) == (OPEN, OPEN)
    assert (memory["kind"], memory["published"], memory["scenario"]) == (OPEN, OPEN, "time")
    assert (three["statement"], three["lines"]) == ("clock: 100 ns/op against 300 ns/op of list", [8, 9])
    assert (three["candidate"], three["baseline"], three["published"]) == ("Clock", "List", {"value": 3, "unit": "x"})
    assert (two["statement"], two["metric"]) == ("list: 2 allocs", OPEN)
    assert (none["statement"], none["kind"], none["at_most"]) == ("clock: 0 allocs", "bound", 0)
    assert (unicast["kind"], unicast["where"], unicast["lines"]) == (OPEN, "Queues", [15, 15])


def test_statements_of_html_are_those_that_people_see(tmp_path: Path) -> None:
    for name in ("report.html", "report.md"):
        faster, row = drafted(tmp_path, name, HTML)
        assert (faster["published"], faster["lines"][0]) == ({"value": 2.5, "unit": "x"}, 2)  # type: ignore[index]
        assert (row["statement"], row["lines"]) == ("new (get): 50 ns against 100 ns of old", [5, 5])


@pytest.mark.parametrize("text", ["```\nold  9 ms\nnew  3 ms\n```\n", "\n    old  9 ms\n    new  3 ms\n"])
def test_printed_lines_are_counted_from_the_files_first(tmp_path: Path, text: str) -> None:
    assert [one["lines"] for one in drafted(tmp_path, "README.md", text)] == [[2, 3]]


def table(*lines: str) -> str:
    head, *rows = lines
    return "\n".join(["# fastmap, a map", "", head, "|" + "---|" * (head.count("|") - 1), *rows, ""])


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        # One unit before any ratio: units in cells, in heads, factors and prefixes in heads.
        (table("| benchmark | time |", "| old | 900 us |", "| new | 1.2 ms |"), ["0.75x"]),
        (table("| impl | throughput |", "| old | 800 MB/s |", "| new | 1.5 GB/s |"), ["1.875x"]),
        (table("| queue | Throughput (M ops/s) |", "| old | 34.9 |", "| new | 70.2 |"), ["2.011x"]),
        (table("| queue | Time (seconds) | Time, msec |", "| old | 12 | 120 |", "| new | 6 | 60 |"), ["2x", "2x"]),
        (table("| queue | K req/s |", "| old | 1.2K |", "| new | 2.4K |"), ["2x"]),
        (table("| queue | Requests per second |", "| old | 12,000 |", "| new | 24,000 |"), ["2x"]),
        (table("| queue | time |", "| old | 12,5 ms |", "| new | 6,25 ms |"), ["2x"]),
        (table("| run | time |", "| old | 1m30s |", "| new | 45 s |"), ["2x"]),
        (table("| impl | value |", "| old | 3 ms |", "| new | 2 MB |"), ["3ms", "2MB"]),
        (table("| lib | score, higher is better (ops) |", "| old | 5 |", "| new | 10 |"), ["2x"]),
        # The whole key agrees, and statistics of one system are no systems.
        (
            table("| Method | N | Mean | Error |", "| old | 10 | 2 ms | 1 ms |", "| old | 20 | 4 ms | 1 ms |",
                  "| new | 10 | 1 ms | 1 ms |", "| new | 20 | 1 ms | 1 ms |"),
            ["2x", "4x"],
        ),
        (table("| lib | p50 | p99 |", "| old | 10 us | 90 us |"), ["10us", "90us"]),
        (
            table("| Benchmark | Mode | Cnt | Score | Error | Units |", "| old | thrpt | 5 | 10 | 1 | ops/ms |",
                  "| new | thrpt | 5 | 20 | 1 | ops/ms |"),
            ["2x"],
        ),
        (table("| Solution | ms | Memory (MB) |", "| old | 0.2 | -0.06 |", "| new | 0.1 | 0.02 |"), ["2x", "0.02MB"]),
        (table("| Method | Mean | Ratio |", "| A | 4 ms | 1.00 |", "| B | 2 ms | 0.50 |"), ["2x"]),
        (table("| tool | flags | time |", "| fastmap | | 2 s (1.00x) |", "| grep | -a | 1m30s (45x) |",
               "| grep | -b | 4 s (2x) |"), ["45x", "2x"]),
        (table("| lib | mean of speed ratios |", "| fastmap | 1.03 |", "| b | 6.5 |"), []),
        (table("| lib | time/op |", "| fastmap | 20 |", "| b | 1,200 |"), ["60x"]),
        (table("| Benchmark | (1) | (2) | (3) |", "| Map_Std | 43551 | 30 ns/op | 8 B/op |",
               "| Map_Fast | 57621 | 20 ns/op | 4 B/op |"), ["30ns/op", "8B/op", "20ns/op", "4B/op"]),
        (table("| codec | Speed | Decode |", "| fastmap | 9 MB/s | 8 MB/s |", "| b | 3 MB/s | 2 MB/s |"), ["3x", "4x"]),
        (table("| type | time |", "| int | 4 ns |", "| text | 8 ns |"), ["4ns", "8ns"]),
        (table("| test | Linux | Windows |", "| get | 4 ns | 8 ns |"), ["?"]),
        (table("| input size | a | b |", "| 4 KB | 2 GB/s | 1 GB/s |"), ["2x"]),
        (table("| Metric | fastmap | b |", "| Rate | 3 M ops/s | 1 M ops/s |", "| Latency | 9 ns | 3 ns |"),
         ["3x", "0.3333x"]),
        (table("| case | before (ms) | after (ms) |", "| get | 9 | 3 |"), ["3x"]),
        (table("| case | old MB/s | new MB/s | delta |", "| get | 9 | 3 | -66% |"), ["0.3333x"]),
        (table("| fastmap | 5 ns |", "| std | 10 ns |"), ["2x"]),
        (table("| option | value |", "| timeout | 5 s |"), []),
        (table("| lib | size | time |", "| ![](a) | 1 KB | 5 ns |", "| b | 1 KB | <1 ns |", "| c | 2 KB | -1 ns |"),
         ["?", "?", "?"]),
        # The project's own against the others, the best of systems, and no pairs of operations.
        (table("| lib | time |", "| b | 4 ms |", "| fastmap | 2 ms |", "| c | 1 ms |"), ["2x", "0.5x"]),
        (table("| crate | time |", "| b | 4 ms |", "| a | 2 ms |"), ["2x"]),
        (table("| Operation | Time (ns) |", "| push | 20 |", "| pop | 10 |"), ["20ns", "10ns"]),
        (table("| test | b | fastmap |", "| get | 4 ms | 2 ms |", "| put | 9 ms | 3 ms |"), ["2x", "3x"]),
        (table("| test | small | large |", "| get | 4 ms | 20 ms |"), ["?"]),
        (table("| test | speedup |", "| get | 3.2x |"), ["3.2x"]),
        (table("| lib | threads | time |", "| a | 1 | 4 ms |", "| b | 2 | 2 ms |"), ["4ms", "2ms"]),
        # Printed output.
        (("```\nBenchmark  Mode  Cnt  Score   Error  Units\nM.old  thrpt  5  10.0 \N{PLUS-MINUS SIGN} 0.1  ops/ms\n"
         "M.new  thrpt  5  20.0 \N{PLUS-MINUS SIGN} 0.1  ops/ms\n```\n"), ["2x"]),
        (("```\nBenchmarkOld-8  9  400 ns/op  8 B/op\nBenchmarkNew-8  9  200 ns/op  2 B/op\n"
          "PASS\nok  x  5 s\n```\n"), ["2x", "4x"]),
        ("# fastmap\n```\nstd map   9 ns \N{PLUS-MINUS SIGN} 1%\nfast map  3 ns \N{PLUS-MINUS SIGN} 1%\n```\n", ["3x"]),
        (("# fastmap\n```\nBenchmarkGetFastMap-8  100  5 ns/op\nBenchmarkGetStdMap-8  100  9 ns/op\n"
          "BenchmarkPutFastMap-8  100  8 ns/op\nBenchmarkPutStdMap-8  100  4 ns/op\n```\n"), ["1.8x", "0.5x"]),
        ("# fastmap\n```\nfastmap  time:   [1 us 1.2 us 1.4 us]\nstdmap   time:   [2 us 2.4 us 2.8 us]\n```\n", ["2x"]),
        ("```\nbin 1:   75.3 KiB  1 MiB\nbin 2:   31.0 KiB  2 MiB\nbin 3:   31.0 KiB  2 MiB\n```\n", []),
        ("# fastmap\n```\nfastmap x 2,000 ops/sec ±0.5% (9 runs)\nstd x 1,000 ops/sec ±1.2% (8 runs)\n```\n", ["2x"]),
        ("# fastmap\n```\n│ Name    │ Time │\n├─────────┼──────┤\n│ fastmap │ 2 ms │\n│ b       │ 4 ms │\n```", ["2x"]),
        ("```\nBenchmark 1: b -x\n  Time (mean):  2.1 s ±  0.1 s\n  Range (min … max):  2 s … 3 s\n```\n", ["2.1s"]),
        (("```\nname   old time/op    new time/op    delta\n"
          "Get/a  6.40ms ± 2%    1.6 ms ± 1%   -75%  (p=0.008 n=5+5)\n```\n"), ["4x"]),
        ("```yaml\nfast:  5 ms\nslow:  6 ms\n```\n", []),
        # Sentences.
        ("fastmap is faster and uses 50% less memory than stdmap.", ["2x"]),
        ("Lookups take 40% of the time that stdmap needs.", ["2.5x"]),
        ("Inserts are up to 3x faster.", ["<=3x"]),
        ("Inserts are at least 3 times as fast.", [">=3x"]),
        ("It is 2x slower than stdmap.", ["0.5x"]),
        ("It is more than 2x slower than stdmap.", ["<=0.5x"]),
        ("Latency drops from 120 ms to 40 ms.", ["3x"]),
        ("Throughput rises from 1.2 to 3.6 million operations per second.", ["3x"]),
        ("Version 2.3 is 1.5x to 2x as fast on a 16-core machine with 64 GB.", ["1.5..2x"]),
        ("Parsing runs at 2.5 GB/s, twice as fast as stdjson.", ["2x", "2.5GB/s"]),
        ("It allocates at most 24 bytes per entry.", ["<=24"]),
        ("It has 8 shards by default, and gets x3 ~ x5 faster and 1.5-2x faster for puts.", ["3..5x", "1.5..2x"]),
        ("It is 4x faster than stdmap and 25x faster than oldmap.", ["4x", "25x"]),
        ("It copies at 6 GB/s or more, and we can exceed 3 GB/s for hashes of 2 GB.", [">=6", ">=3"]),
        ("Latency is 1-3 us.", ["1..3us"]),
        ("It needs only 1 byte of overhead per entry.", ["1byte"]),
        ("It allocates in increasing chunks from 128 to 32768 bytes, uses 64 bit words, and reads 4 KiB pages.", []),
        ("The corpus is a file of 13 GB in memory, and its name is 50% shorter.", []),
        ("Where 1.2 means that it took 1.2x longer.", ["?"]),
        ("It runs at 10⁶ ops/s.", ["1e+06ops/s"]),
        ("Scans take 1.2 ± 0.1 ms.", ["1.2ms"]),
        ("- Gets are 2x faster\n  - puts are 3x faster\n", ["2x", "3x"]),
        ("It is not 3x faster, and puts aren't 4x faster.", ["?"]),
        ("There is no 3x speedup, and the pool grows from 4 MB to 16 MB.", []),
        ("It costs 0 allocations per op.", ["<=0"]),
        ("Up to 10x throughput, at 3x performance per watt.", ["<=10x"]),
        ("Java 17 - 3x faster than Java 8.", ["3x"]),
        ("It was new in 2 and 3x faster; gets are between 2 and 4 times faster.", ["3x", "2..4x"]),
        ("It parses nine times faster, with (3h/2) comparisons.", ["9x"]),
        ("It is 30% faster than stdmap and 2x smaller.", ["?"]),
        ("There is less than 5% overhead.", ["?"]),
        ("A 3x improvement over stdmap.", ["?"]),
        ("Nothing became more than 3 % slower.", ["?"]),
        ("p99 latency is below 250 us at 10 million requests per second.", ["?"]),
        ("Measured on a 3.4 GHz machine with 64 GB of RAM on 2024-01-15.", []),
        ("The timeout is 30 s by default, as of version 2.5.", []),
        ("Download 25 MB of data.", []),
    ],
)  # fmt: skip
def test_a_draft_says_what_the_report_says_and_no_more(tmp_path: Path, text: str, claims: list[str]) -> None:
    (tmp_path / "README.md").write_text(text if claims else f"{text}\n\nIt is 7x faster.\n")
    found = yaml.safe_load(draft(tmp_path / "README.md", OPEN)[1])["claims"]
    assert [_short(one) for one in found] == (claims or ["7x"])


def _short(claim: dict[str, Any]) -> str:
    published, bounds = claim.get("published"), [("<=", claim.get("at_most")), (">=", claim.get("at_least"))]
    if isinstance(published, dict):
        ends = [f"{published[one]:g}" for one in ("value", "low", "high") if one in published]
        return f"{'..'.join(ends)}{published['unit']}"
    factor = "x" if "baseline" in claim else ""
    return next((f"{sign}{end:g}{factor}" for sign, end in bounds if end is not None), claim["kind"])


def test_large_and_small_figures_are_numbers(tmp_path: Path) -> None:
    fast, small = drafted(tmp_path, "README.md", "It does 3,000,000 ops/s.\n\nIt takes 0.00001 ms.\n")
    assert [one["published"] for one in (fast, small)] == [
        {"value": 3e6, "unit": "ops/s"},
        {"value": 1e-5, "unit": "ms"},
    ]


def test_a_comma_is_decimal_where_other_figures_tell(tmp_path: Path) -> None:
    for text, value in (("It is 12,5x faster than the list.", 12.5), ("It takes 1,250 ms.", 1250)):
        assert drafted(tmp_path, "README.md", text)[0]["published"]["value"] == value  # type: ignore[index]
    (_, found) = drafted(tmp_path, "README.md", "It takes 12,5 ms.\n\nThe list takes 1,250 ms.\n")
    assert found["published"] == {"value": 1.25, "unit": "ms"}


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
