"""A ledger with a claim of each kind, and evidence on them that is made by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
from runs import HEADER, MACHINE, write_run

from perflab.host.git import Revision
from perflab.model.protocol import Parameter, Scenario
from perflab.store.records import Arm, ProfileRecord, TestRecord

FIXTURES = Path(__file__).parents[1] / "fixtures"
SIZE = Parameter(name="size", type="int", default=1, min=1, max=100)
SUM = Scenario(name="sum", operation="a sum", unit="ns", better="lower", parameters=[SIZE])
ARMS = [Arm("wasteful", "wasteful", "before"), Arm("plain", "plain", "after")]
RUN, LARGE = "20260101-000000-toy-sum-0001", "20260101-000000-toy-sum-0002"
PROFILE = "20260101-000000-toy-sum-wasteful-cpu-0003"
HOSTILE = '<script>alert("&amp;")</script>'

LEDGER = f"""
report: toys
title: Sums & differences
component: toy
claims:
  - {{id: third, kind: ratio, statement: A third faster., where: Abstract, published: {{value: 2, unit: x}},
     baseline: wasteful, candidate: plain, scenario: sum, note: As quick-sum has it.}}
  - {{id: quick-sum, kind: bound, statement: Quick., where: Abstract, candidate: plain, scenario: sum, at_most: 1000}}
  - {{id: grows, kind: scaling, statement: It grows., where: Text, candidate: plain, scenario: sum, parameter: size,
     start: 1, stop: 10, at_most: 20}}
  - {{id: wastes, kind: share, statement: It wastes., where: Text, candidate: wasteful, scenario: sum, mode: cpu,
     cause: adding too much, at_least: 10}}
  - {{id: adds-twice, kind: mechanism, statement: It adds twice., where: Text, test: "SumTest#twice"}}
  - {{id: elsewhere, kind: absolute, statement: 50 ns., where: Text, published: {{value: 50, unit: ns}},
     candidate: plain, scenario: sum, ours: true}}
  - {{id: far-away, kind: order, statement: '{HOSTILE}', where: '{HOSTILE}', note: '{HOSTILE}',
     missing: 'a cluster {HOSTILE}'}}
  - {{id: unrun, kind: mechanism, statement: Nobody looked., where: Text, test: "SumTest#never"}}
"""


def lay_out(folder: Path) -> dict[str, Path]:
    """The ledger and its evidence."""
    claims, reference = folder / "claims", folder / "reference"
    claims.mkdir()
    (claims / "toys.yaml").write_text(LEDGER)
    header = msgspec.structs.replace(HEADER, scenario=SUM, arms=ARMS, baseline="wasteful")
    times = {"wasteful": [100.0, 102, 104, 101, 103, 99], "plain": [50.0, 51, 52, 50, 51, 49]}
    write_run(reference, name=RUN, header=header, values=times, rounds=6)
    ends = [Arm(f"plain size={size}", "plain", "after", params={"size": size}) for size in (1, 10)]
    turns = msgspec.structs.replace(header, kind="scaling", arms=ends, baseline=ends[0].label)
    grown = {ends[0].label: times["plain"], ends[1].label: [10 * one for one in times["plain"]]}
    write_run(reference, name=LARGE, header=turns, values=grown, rounds=6)
    shares = {"adding too much": [0.3, 0.31, 0.32], "everything else": [0.7, 0.69, 0.68]}
    profile = ProfileRecord(
        PROFILE,
        HEADER.created,
        "toy",
        "sum",
        "wasteful",
        {},
        "cpu",
        "ns",
        1e9,
        1e6,
        shares,
        {},
        ["one & two"],
        MACHINE,
        Revision("abc"),
        reproduction=True,
    )
    target = reference / "profiles" / PROFILE / "profile-record.json"
    target.parent.mkdir(parents=True)
    target.write_bytes(msgspec.json.encode(profile))
    test = TestRecord("toy", "SumTest#twice", True, "", HEADER.created, Revision("abc"), MACHINE.id)
    (reference / "tests.jsonl").write_bytes(msgspec.json.encode(test) + b"\n")
    return {"claims": claims, "reference": reference, "components": FIXTURES / "components"}
