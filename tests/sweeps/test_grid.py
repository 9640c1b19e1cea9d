"""Which points a sweep has, and what it refuses before anything is measured."""

from __future__ import annotations

import pytest

from perflab.measure.grid import MOST_POINTS, point_text, points_of, read_axes, shuffled, texts
from perflab.model.errors import UsageError
from perflab.model.protocol import Parameter, ParameterValue, Scenario

SCENARIO = Scenario(
    "boil",
    "a litre",
    "ns",
    "lower",
    parameters=[
        Parameter("size", "int", 1, 0, 100_000),
        Parameter("heat", "float", 1.0, -5, 5),
        Parameter("lid", "bool", False),
        Parameter("kind", "string", "a..b", choices=["a..b", "c"]),
    ],
)


def values(text: str) -> list[ParameterValue]:
    (found,) = read_axes(SCENARIO, [text], {}).values()
    return found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("size=1,2,3", [1, 2, 3]),
        ("size=64..4096", [64, 128, 256, 512, 1024, 2048, 4096]),
        ("size=64..1000", [64, 128, 256, 512]),
        ("size=1..9:2", [1, 3, 5, 7, 9]),
        ("size=0..3:1", [0, 1, 2, 3]),
        ("size=7..7", [7]),
        ("size=0,1..8,100", [0, 1, 2, 4, 8, 100]),
        ("size=4,1,4,2..4", [4, 1, 2]),
        ("heat=0.1..0.3:0.1", [0.1, 0.2, 0.3]),
        ("heat=0.25..1", [0.25, 0.5, 1.0]),
        ("heat=-2..2:2", [-2.0, 0.0, 2.0]),
        ("lid=no,yes", [False, True]),
        ("kind=a..b,c", ["a..b", "c"]),
    ],
)
def test_lists_and_ranges(text: str, meant: list[ParameterValue]) -> None:
    assert values(text) == meant
    assert list(map(type, values(text))) == list(map(type, meant))


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ([], "nothing to sweep"),
        (["size"], "name=64..4096"),
        (["size="], "name=64..4096"),
        (["siz=1"], "did you mean 'size'"),
        (["size=1,,2"], "expected an integer"),
        (["size=0..8"], "say the step: 0..8:1"),
        (["size=8..1"], "has no values"),
        (["size=1..8:0"], "has no values"),
        (["size=1..8:-1"], "has no values"),
        (["size=1..many"], "cannot read the range"),
        (["size=1..inf"], "has no values"),
        (["size=nan..8"], "has no values"),
        (["size=1..8:nan"], "has no values"),
        (["size=1..1000000"], "out of range"),
        (["heat=1..3:0.5,x"], "expected a number"),
        (["size=1..100000:1"], "points or more"),
        (["size=1..30:1", "heat=1..3:0.1"], f"{MOST_POINTS} is the most"),
        (["size=1", "size=2"], "swept twice"),
        (["size=1", "heat=1", "lid=no"], "3 parameters are swept"),
        (["kind=d"], "no choice for kind 'd'"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(over: list[str], says: str) -> None:
    with pytest.raises(UsageError) as error:
        read_axes(SCENARIO, over, {})
    assert says in str(error.value)


def test_a_parameter_is_not_swept_and_fixed() -> None:
    with pytest.raises(UsageError, match="'size' is swept and fixed"):
        read_axes(SCENARIO, ["size=1,2"], {"size": "3"})


def test_each_pair_is_a_point_and_the_first_parameter_is_the_slowest() -> None:
    points = points_of({"size": [1, 2], "lid": [False, True]})
    assert list(map(point_text, points)) == [
        "size=1, lid=false",
        "size=1, lid=true",
        "size=2, lid=false",
        "size=2, lid=true",
    ]


def test_the_order_of_measuring_is_the_seeds_and_no_slope() -> None:
    points = points_of({"size": list(range(20))})
    assert shuffled(points, 1) == shuffled(points, 1)
    assert shuffled(points, 1) != shuffled(points, 2)
    assert shuffled(points, 1) not in (points, points[::-1])
    assert sorted(map(point_text, shuffled(points, 1))) == sorted(map(point_text, points))


@pytest.mark.parametrize("value", [0.1, 1e-7, 1e22, 2, True, False, "c"])
def test_a_value_reads_back_as_it_was(value: ParameterValue) -> None:
    name = {float: "heat", int: "size", bool: "lid", str: "kind"}[type(value)]
    wide = Scenario(
        "boil",
        "a",
        "ns",
        "lower",
        parameters=[Parameter(one.name, one.type, one.default) for one in SCENARIO.parameters],
    )
    assert read_axes(wide, [f"{name}={texts({name: value})[name]}"], {}) == {name: [value]}
