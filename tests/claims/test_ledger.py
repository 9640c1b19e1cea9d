from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from claiming import make_claim

from perflab.claims.ledger import Needs, check_ledger, read_ledger
from perflab.claims.requirements import required_by
from perflab.model.errors import UsageError
from perflab.topics.catalogue import Component, find_component
from perflab.topics.program import describe

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab

GOOD = """
report: toys
title: Toys
component: toy
claims:
  - id: faster
    kind: ratio
    statement: Plain sums are faster.
    published: {value: 1.3, unit: x}
    baseline: wasteful
    candidate: plain
    scenario: sum
  - id: smaller
    kind: bound
    statement: A sum is quick.
    candidate: plain
    scenario: sum
    at_most: 1000000
  - id: shown
    kind: mechanism
    statement: It adds.
    test: SumTest#adds
"""


@pytest.fixture
def own_lab(own_lab: Lab, tmp_path: Path) -> Lab:
    return replace(own_lab, claims=tmp_path)


@pytest.fixture
def ledgers(own_lab: Lab) -> Path:
    return own_lab.claims


def write(folder: Path, text: str) -> Path:
    path = folder / "toys.yaml"
    path.write_text(textwrap.dedent(text))
    return path


def test_claims_over_one_scenario_share_a_run(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD + "beside: [wrong, plain]\n")
    wanted = required_by(read_ledger("toys", ledgers), describe(toy))
    assert wanted.measurements == [("sum", {}, ["wasteful", "plain", "wrong"], (), True, False)]
    assert wanted.tests == ["SumTest#adds"]
    assert wanted.profiles == []


SCALING = """
report: toys
title: Toys
component: toy
beside: [wrong]
claims:
  - {id: grows, kind: scaling, statement: It grows., candidate: plain, scenario: sum, parameter: size, start: 1,
     stop: 9, at_most: 20}
  - {id: too, kind: scaling, statement: So does this., candidate: wasteful, scenario: sum, parameter: size, start: 1,
     stop: 9, at_most: 20}
  - {id: further, kind: scaling, statement: And on., candidate: plain, scenario: sum, parameter: size, start: 1,
     stop: 8, at_most: 20}
"""


def test_the_ends_of_a_scale_take_turns_in_one_run(ledgers: Path, toy: Component) -> None:
    write(ledgers, SCALING)
    wanted = required_by(read_ledger("toys", ledgers), describe(toy))
    both, one = wanted.measurements
    assert both.labels == ["plain size=1", "plain size=9", "wasteful size=1", "wasteful size=9"]
    assert (both.over, one.over, one.variants) == (["size=1,9"], ["size=1,8"], ["plain"])
    assert wanted.needs == {"grows": [both], "too": [both], "further": [one]}


RANKED = """
report: toys
title: Toys
component: cups
claims:
  - id: best
    kind: order
    statement: A mug is the best cup.
    candidate: mug
    over: [glass, sieve]
    {where}
"""


def ranked(folder: Path, where: str) -> None:
    write(folder, RANKED.replace("{where}", where))


def test_a_ranking_takes_all_whom_it_ranks_into_its_run(ledgers: Path, own_lab: Lab) -> None:
    ranked(ledgers, "scenario: rim")
    wanted = required_by(read_ledger("toys", ledgers), describe(find_component(own_lab, "cups")))
    assert wanted.measurements == [("rim", {}, ["mug", "glass", "sieve"], (), True, False)]


def test_a_score_rests_on_the_tables_runs_and_the_table_on_everybody(ledgers: Path, own_lab: Lab) -> None:
    cups = find_component(own_lab, "cups")
    ranked(ledgers, "score: worst")
    ledger = read_ledger("toys", ledgers)
    check_ledger(ledger, cups, describe(cups))
    assert required_by(ledger, describe(cups)).measurements == []
    everybody = ["mug", "glass", "sieve"]
    assert required_by(ledger, describe(cups), cups.manifest.table).measurements == [
        ("pour", {}, everybody, (), True, False),
        ("rim", {}, everybody, (), True, False),
    ]


def test_a_claim_that_needs_no_score_has_a_run_of_its_own_after_the_tables(ledgers: Path, own_lab: Lab) -> None:
    cups = find_component(own_lab, "cups")
    ranked(ledgers, "scenario: rim")
    wanted = required_by(read_ledger("toys", ledgers), describe(cups), cups.manifest.table)
    claimed, everybody = ["mug", "glass", "sieve"], [one.name for one in describe(cups).variants]
    assert wanted.measurements == [
        ("pour", {}, everybody, (), False, False),
        ("rim", {}, everybody, (), False, False),
        ("rim", {}, claimed, (), True, False),
    ]
    assert wanted.needs == {"best": [("rim", {}, claimed, (), True, False)]}


@pytest.mark.parametrize(
    ("good", "bad", "says"),
    [
        ("over: [glass, sieve]", "over: []", "needs 'baseline'"),
        ("kind: order", "kind: score", "missing required field `published`"),
        ("kind: order", "kind: ratio", "unknown field `over`"),
        ("score: mean", "score: median", "Invalid enum value 'median'"),
        ("    score: mean\n", "", "needs 'scenario'"),
    ],
)
def test_a_ranking_that_lacks_something_is_refused(ledgers: Path, good: str, bad: str, says: str) -> None:
    text = RANKED.replace("{where}", "score: mean")
    assert good in text
    write(ledgers, text.replace(good, bad))
    with pytest.raises(UsageError, match=says):
        read_ledger("toys", ledgers)


def test_a_score_of_a_topic_without_a_table_is_refused(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD + RANKED[RANKED.index("  - id") :].replace("{where}", "score: mean"))
    with pytest.raises(UsageError, match="toy has no table to score"):
        check_ledger(read_ledger("toys", ledgers), toy, describe(toy))


SHARE = """
  - id: summing
    kind: share
    statement: It sums most of the time.
    candidate: plain
    scenario: sum
    mode: cpu
    cause: summing
"""


def test_a_share_needs_a_published_figure_or_bounds(ledgers: Path) -> None:
    path = write(ledgers, GOOD + SHARE)
    with pytest.raises(UsageError, match="'at_most' or 'at_least'"):
        read_ledger("toys", ledgers)
    path.write_text(GOOD + SHARE + "    at_least: 50\n    at_most: 60\n")
    assert read_ledger("toys", ledgers).claims[-1].bounded


FAITHFUL = """
  - id: plain-is-faithful
    kind: fidelity
    ours: true
    statement: The rebuilt plain sum takes about as long as the original.
    published: {low: 1, high: 2, unit: us}
    candidate: plain
    rebuilds: [plain, wasteful]
    scenario: sum
"""


def test_a_fidelity_vouches_for_what_it_rebuilds_else_for_its_candidate(ledgers: Path) -> None:
    write(ledgers, GOOD + FAITHFUL)
    faithful, other = read_ledger("toys", ledgers).claims[-1], make_claim("order", baseline="wasteful", candidate="x")
    assert faithful.vouches_for(other) == "wasteful"
    write(ledgers, GOOD + FAITHFUL.replace("    rebuilds: [plain, wasteful]\n", ""))
    faithful = read_ledger("toys", ledgers).claims[-1]
    assert (faithful.vouches_for(other), faithful.vouches_for(make_claim("order", candidate="plain"))) == ("", "plain")


def test_a_rebuild_that_does_not_exist_is_found_before_anything_is_measured(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD + FAITHFUL.replace("[plain, wasteful]", "[plan]"))
    with pytest.raises(UsageError, match=r"in 'rebuilds': no variant 'plan'.*did you mean 'plain'"):
        check_ledger(read_ledger("toys", ledgers), toy, describe(toy))


def test_what_vouches_for_a_rebuild_is_measured_before_what_depends_on_it(ledgers: Path, toy: Component) -> None:
    vouched = FAITHFUL.replace("scenario: sum", "scenario: sum\n    params: {size: 2}")
    write(
        ledgers, GOOD.replace("kind: ratio", "kind: ratio\n    headline: true") + SHARE + "    at_least: 50\n" + vouched
    )
    ledger, description = read_ledger("toys", ledgers), describe(toy)
    assert list(required_by(ledger, description).needs) == [
        "plain-is-faithful",
        "faster",
        "smaller",
        "shown",
        "summing",
    ]
    assert list(required_by(ledger, description, headlines=True).needs) == ["plain-is-faithful", "faster"]


def test_what_the_machine_cannot_test_is_not_measured(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD.replace("kind: ratio", "kind: ratio\n    needs: {cores: 4}"))
    ledger, description = read_ledger("toys", ledgers), describe(toy)
    assert list(required_by(ledger, description, cores=4).needs) == ["faster", "smaller", "shown"]
    wanted = required_by(ledger, description, cores=2)
    assert list(wanted.needs) == ["smaller", "shown"]
    assert wanted.measurements == [("sum", {}, ["plain"], (), True, False)]


def test_a_fidelity_is_of_a_metric_in_the_published_unit(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD + FAITHFUL.replace("unit: us", "unit: bytes"))
    with pytest.raises(UsageError, match="published in 'bytes', measured in 'ns"):
        check_ledger(read_ledger("toys", ledgers), toy, describe(toy))


@pytest.mark.parametrize(
    ("needs", "cores", "lacks"),
    [
        (Needs(), 1, ""),
        (Needs(cores=4), 4, ""),
        (Needs(cores=4), 3.5, "4 cores"),
        (Needs(os="linux"), 1, ""),
        (Needs(os="windows", device="CXL"), 64, "windows and a CXL device"),
    ],
)
def test_what_a_machine_lacks_of_what_a_claim_needs(needs: Needs, cores: float, lacks: str) -> None:
    assert needs.beyond(cores) == lacks


def test_a_parameter_at_its_default_takes_no_run_of_its_own(ledgers: Path, toy: Component) -> None:
    write(ledgers, GOOD.replace("at_most: 1000000", "at_most: 1000000\n    params: {size: 1}"))
    assert len(required_by(read_ledger("toys", ledgers), describe(toy)).measurements) == 1
    write(ledgers, GOOD.replace("at_most: 1000000", "at_most: 1000000\n    params: {size: 2}"))
    assert len(required_by(read_ledger("toys", ledgers), describe(toy)).measurements) == 2


@pytest.mark.parametrize(
    ("good", "bad", "line", "says"),
    [
        ("kind: ratio", "kind: ration", 7, "no kind of claim 'ration'"),
        ("kind: ratio", "kind: ration", 7, "did you mean 'ratio'"),
        ("at_most: 1000000", "at_most: 4x", 18, "without a unit behind it"),
        ("kind: bound", "kind: bound\n    params: {size: 1,024}", 15, "write 1024, not 1,024"),
        ("    baseline: wasteful", "    basline: wasteful", 10, "did you mean 'baseline'"),
        ("    baseline: wasteful\n", "", 6, "missing required field `baseline`"),
        ("    published: {value: 1.3, unit: x}\n", "", 6, "missing required field `published`"),
        ("    at_most: 1000000\n", "", 13, "needs 'at_most' or 'at_least', or both"),
        ("at_most: 1000000", "at_most: 2\n    at_least: 3", 13, "'at_least' is above 'at_most'"),
        ("baseline: wasteful", "baseline: wasteful\n    at_most: 3", 11, "unknown field `at_most`"),
        ("{value: 1.3", "{low: 0.9, high: 1.3", 6, "is above 1, or between 0 and 1, over all its range"),
        ("{value: 1.3", "{value: -1.3", 6, "is above 1, or between 0 and 1, over all its range"),
        ("{value: 1.3", "{low: 3, high: 2", 9, "ends before it begins"),
        ("kind: ratio", "kind: fidelity", 6, "add 'ours: true'"),
        ("kind: bound", "kind: bound\n    rebuilds: [plain]", 15, "unknown field `rebuilds`"),
        ("kind: bound", "kind: bound\n    over: [wasteful]", 13, "has neither 'baseline' nor 'at_most'"),
        ("id: faster", "id: faster\n    lines: [3, 2]", 6, "its first line comes after its last one"),
        ("id: faster", "id: faster\n    lines: [0, 2]", 7, "Expected `int` >= 1"),
        ("id: faster", "id: faster\n    tolerance: 1", 7, "Expected `float` < 1"),
        ("id: faster", "id: faster\n    needs: {core: 4}", 7, "unknown field `core`"),
        ("title: Toys", "title: Toys\nsha256: 12", 4, "Expected `str`"),
        ("id: smaller", "id: faster", 13, "appears twice"),
        ("component: toy", "component: toy\nbesides: [plain]", 5, "did you mean 'beside'"),
        ("published: {value: 1.3", "published: {valu: 1.3", 9, "unknown field `valu`"),
        ("  - id: shown", "  - id: [", 21, "expected"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(ledgers: Path, good: str, bad: str, line: int, says: str) -> None:
    assert good in GOOD
    write(ledgers, GOOD.replace(good, bad, 1))
    with pytest.raises(UsageError) as caught:
        read_ledger("toys", ledgers)
    assert says in str(caught.value)
    assert f"toys.yaml:{line}:" in caught.value.message


@pytest.mark.parametrize(
    ("good", "bad", "says"),
    [
        ("scenario: sum", "scenario: summ", "did you mean 'sum'"),
        ("candidate: plain", "candidate: plan", "did you mean 'plain'"),
        ("scenario: sum\n", "scenario: sum\n    metric: p99\n", "no metric of sum 'p99'"),
        ("scenario: sum\n", "scenario: sum\n    params: {size: 1000}\n", "out of range"),
        ("scenario: sum\n", "scenario: sum\n    params: {sise: 1}\n", "did you mean 'size'"),
    ],
)
def test_names_that_do_not_exist_are_found_before_anything_is_measured(
    ledgers: Path, toy: Component, good: str, bad: str, says: str
) -> None:
    write(ledgers, GOOD.replace(good, bad, 1))
    with pytest.raises(UsageError) as caught:
        check_ledger(read_ledger("toys", ledgers), toy, describe(toy))
    assert "toys.yaml:6: claim 'faster'" in caught.value.message
    assert says in str(caught.value)


def test_a_key_with_nothing_behind_it_says_so(ledgers: Path) -> None:
    write(ledgers, GOOD[: GOOD.index("claims:")] + "claims:\n")
    with pytest.raises(UsageError, match="nothing stands behind it"):
        read_ledger("toys", ledgers)


def test_an_unknown_report_comes_with_the_nearest_one(ledgers: Path) -> None:
    write(ledgers, GOOD)
    with pytest.raises(UsageError, match="did you mean 'toys'"):
        read_ledger("toy", ledgers)
