"""What is typed as a space to search, and what it means."""

from __future__ import annotations

import math

import pytest

from perflab.measure.grid import Dimension, read_space, settings_in
from perflab.model.errors import UsageError
from perflab.model.protocol import Parameter, Scenario

SCENARIO = Scenario(
    name="boil",
    operation="a cup",
    unit="ns",
    better="lower",
    parameters=[
        Parameter(name="level", type="int", default=2, min=1, max=1000),
        Parameter(name="gas", type="float", default=1.0, min=0.1, max=100),
        Parameter(name="lid", type="string", default="open", choices=["open", "closed"]),
        Parameter(name="whistle", type="bool", default=False),
    ],
)


def one(text: str) -> Dimension:
    (found,) = read_space(SCENARIO, [text])
    return found


def test_bounds_are_a_range_that_includes_both() -> None:
    level = one("level=1..16")
    assert (level.low, level.high, level.whole, level.size) == (1, 16, True, 16)
    assert level.text == "1..16"


def test_values_have_the_types_of_the_parameter() -> None:
    assert one("level=8,1,8").values == (8, 1)
    assert one("lid=open,closed").values == ("open", "closed")
    whistle = one("whistle=true,false")
    assert whistle.values == (True, False)
    assert whistle.text == "true,false"


def test_bounds_far_apart_are_searched_by_ratio() -> None:
    assert one("level=1..100").log
    assert not one("level=1..99").log
    assert one("gas=0.1..100").distribution().log


def test_a_fraction_has_no_number_of_values() -> None:
    dimensions = read_space(SCENARIO, ["lid=open,closed", "level=1..4"])
    assert settings_in(dimensions) == 8
    assert settings_in([*dimensions, one("gas=1..2")]) == math.inf


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("level", "NAME=LOW..HIGH"),
        ("=1..2", "NAME=LOW..HIGH"),
        ("levl=1..2", "did you mean 'level'"),
        ("level=0..5", "allowed: 1 to 1000"),
        ("level=5..5", "not below"),
        ("level=a..b", "expected an integer"),
        ("level=4", "one value only"),
        ("lid=open..closed", "name its values"),
        ("lid=open,ajar", "there are: closed, open"),
    ],
)
def test_what_is_wrong_is_said_with_advice(text: str, said: str) -> None:
    with pytest.raises(UsageError) as failed:
        read_space(SCENARIO, [text])
    assert said in str(failed.value)


def test_a_parameter_is_searched_once_and_not_fixed_too() -> None:
    with pytest.raises(UsageError, match="twice"):
        read_space(SCENARIO, ["level=1..2", "level=3..4"])
    with pytest.raises(UsageError, match="has a value"):
        read_space(SCENARIO, ["level=1..2"], ["level"])
    with pytest.raises(UsageError, match="nothing to search"):
        read_space(SCENARIO, [])
