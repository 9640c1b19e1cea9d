from __future__ import annotations

import pytest

from perflab.model.errors import UsageError
from perflab.model.protocol import Parameter, Scenario
from perflab.topics.catalogue import Component, check_parameters, find_component, select_scenario, select_variants
from perflab.topics.program import describe

SCENARIO = Scenario(
    name="s",
    operation="o",
    unit="u",
    better="higher",
    parameters=[
        Parameter(name="threads", type="int", default=2, min=1, max=8),
        Parameter(name="bytes", type="int", default=16, min=1, max=1048576),
        Parameter(name="rate", type="float", default=0.5, min=0),
        Parameter(name="kind", type="string", default="virtual", choices=["virtual", "platform"]),
        Parameter(name="yield", type="bool", default=True),
        Parameter(name="url", type="string", default=""),
    ],
)


def test_values_get_their_types() -> None:
    given = {"threads": "4", "rate": "1.5", "kind": "platform", "yield": "off"}
    assert check_parameters(SCENARIO, given) == {"threads": 4, "rate": 1.5, "kind": "platform", "yield": False}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("thread", "4", "did you mean 'threads'"),
        ("threads", "0", "allowed: 1 to 8"),
        ("threads", "9", "allowed: 1 to 8"),
        ("bytes", "9999999", "allowed: 1 to 1048576"),
        ("threads", "4.5", "expected an integer, got '4.5'"),
        ("rate", "-1", "allowed: 0 up"),
        ("rate", "fast", "expected a number"),
        ("kind", "virtul", "did you mean 'virtual'"),
        ("yield", "maybe", "expected yes or no"),
    ],
)
def test_what_is_wrong_with_a_value_is_said(name: str, value: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_parameters(SCENARIO, {name: value})
    assert says in str(caught.value)


def test_unknown_names_come_with_the_nearest_one(toy: Component) -> None:
    description = describe(toy)
    with pytest.raises(UsageError, match="did you mean 'sum'"):
        select_scenario(description, "sums")
    with pytest.raises(UsageError, match="did you mean 'plain'"):
        select_variants(description, description.scenarios[0], ["plane"])
    with pytest.raises(UsageError, match="did you mean 'toy'"):
        find_component(toy.lab, "tay")


def test_without_names_all_variants_that_can_take_part(toy: Component) -> None:
    description = describe(toy)
    chosen = select_variants(description, select_scenario(description, None), [])
    assert [variant.name for variant in chosen] == ["plain", "wasteful", "wrong"]
