from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from perflab.charts.flame import MOST_NODES, flame_chart, flame_difference
from perflab.profile.profile import Profile
from perflab.profile.tree import difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.charts.chart import Chart


def icicle(chart: Chart) -> dict[str, Any]:
    (trace,) = chart.figure_json["data"]
    assert trace["type"] == "icicle"
    return dict(trace)


def check_sums(trace: dict[str, Any]) -> None:
    """plotly draws nothing where children exceed their parent, not even by a rounding error."""
    inner: dict[str, int] = {}
    for parent, value in zip(trace["parents"], trace["values"], strict=True):
        inner[parent] = inner.get(parent, 0) + value
    for identity, value in zip(trace["ids"], trace["values"], strict=True):
        assert isinstance(value, int)
        assert inner.get(identity, 0) <= value


def wide(deep: int) -> Profile:
    """Nine hundred paths of even weight: each is above a thousandth of the whole, and together they are too many."""
    stacks = {tuple(f"org.example.Worker{path}.step{level}" for level in range(deep)): 1.0 for path in range(900)}
    return Profile("cpu", "ns", stacks, title="wide", operations=10)


def test_the_root_is_on_top_and_holds_everything(drawn: dict[str, Chart]) -> None:
    trace = icicle(drawn["flame"])
    assert (trace["labels"][0], trace["parents"][0], trace["tiling"]["orientation"]) == ("all", "", "v")
    assert trace["branchvalues"] == "total"
    check_sums(trace)
    check_sums(icicle(drawn["difference"]))


def test_a_cell_says_its_weight_unit_share_and_price_per_operation(drawn: dict[str, Chart]) -> None:
    trace = icicle(drawn["flame"])
    said = dict(zip(trace["labels"], trace["customdata"], strict=True))
    assert said["Box.poll"] == "org.example.Box.poll<br>7.00 s, 7.00 µs/op, 76.9 % of all"


def test_a_type_parameter_is_no_markup() -> None:
    stacks = {("supervisor_bench::Bench<S>::main", "<F as Experiment>::repeat"): 1.0}
    trace = icicle(flame_chart(Profile("cpu", "ns", stacks, operations=1), title="generic"))
    texts = [text for key in ("labels", "text", "customdata") for text in trace[key]]
    assert any("&lt;S&gt;" in text for text in texts)
    assert not [text for text in texts if "<" in text.replace("<br>", "")]


def test_what_is_pruned_stays_as_a_cell(drawn: dict[str, Chart]) -> None:
    assert "(1 frame below 0.1 %)" in icicle(drawn["flame"])["labels"]


def test_the_table_charges_the_program_and_not_the_kernel(drawn: dict[str, Chart]) -> None:
    rows = [line for line in drawn["flame"].text.splitlines() if "Box.poll" in line]
    assert len(rows) == 1
    assert "68.1 %" in rows[0]
    assert "__futex_abstimed_wait_common" in rows[0]


FLAMES: list[Callable[[Profile], Chart]] = [
    lambda profile: flame_chart(profile, title="wide"),
    lambda profile: flame_difference(difference(profile, wide(15)), title="wider"),
]


@pytest.mark.parametrize("make", FLAMES)
def test_a_figure_stays_small_and_says_what_that_took(make: Callable[[Profile], Chart]) -> None:
    chart = make(wide(12))
    assert len(icicle(chart)["ids"]) <= MOST_NODES
    assert len(json.dumps(chart.figure_json, ensure_ascii=False, separators=(",", ":")).encode()) < 300_000
    assert "more than usual" in chart.figure_json["layout"]["title"]["subtitle"]["text"]
    check_sums(icicle(chart))


def test_a_mode_in_which_nothing_happens_is_said_to_be_empty() -> None:
    chart = flame_chart(Profile("lock", "ns", {}), title="lock-free")
    assert "nothing was seen" in chart.figure_json["layout"]["title"]["subtitle"]["text"]
    assert "nothing was seen" in chart.text


def test_a_change_is_a_sign_as_well_as_a_colour(drawn: dict[str, Chart]) -> None:
    trace = icicle(drawn["difference"])
    change = dict(zip(trace["labels"], trace["customdata"], strict=True))
    colour = dict(zip(trace["labels"], trace["marker"]["colors"], strict=True))
    # 7.00 µs/op before, 0.82 after, of 9.105 before in all.
    assert change["Box.poll"] == "org.example.Box.poll<br>-67.9 %<br>7.00 µs/op before, 818 ns/op after"
    assert "+4.0 %" in change["Box.spin"]
    red_less, blue_less = (int(colour["Box.poll"][at : at + 2], 16) for at in (1, 5))
    red_more, blue_more = (int(colour["Box.spin"][at : at + 2], 16) for at in (1, 5))
    assert blue_less > red_less
    assert red_more > blue_more


def test_the_changes_of_the_children_add_up() -> None:
    before = Profile("cpu", "ns", {("p.A.a",): 60.0, ("p.A.b",): 40.0}, operations=1)
    after = Profile("cpu", "ns", {("p.A.a",): 10.0, ("p.A.b",): 70.0}, operations=1)
    trace = icicle(flame_difference(difference(before, after), title="a change"))
    assert list(trace["text"]) == ["all -20.0 %", "A.a -50.0 %", "A.b +30.0 %"] or list(trace["text"]) == [
        "all -20.0 %",
        "A.b +30.0 %",
        "A.a -50.0 %",
    ]


def test_more_than_nothing_is_compared_with_the_whole_after() -> None:
    nothing = Profile("lock", "ns", {}, operations=10)
    waits = Profile("lock", "ns", {("p.A.lock",): 500.0}, operations=10)
    chart = flame_difference(difference(nothing, waits), title="more")
    assert "in % of the whole after" in chart.text
    assert "+100.0 %" in chart.text
    assert "-100.0 %" in flame_difference(difference(waits, nothing), title="less").text


def test_by_share_the_whole_does_not_change() -> None:
    one = Profile("cpu", "ns", {("p.A.a",): 1.0, ("p.A.b",): 2.0, ("p.A.c",): 4.0})
    other = Profile("cpu", "ns", {("p.A.a",): 3.0, ("p.A.b",): 3.0, ("p.A.c",): 1.0})
    assert icicle(flame_difference(difference(one, other), title="the same"))["text"][0] == "all ±0.0 %"
