"""The form: made of a description, says what is wrong, and becomes a command."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from perflab.cli.console.form import MEASURE, SEARCH, SWEEP, Form
from perflab.model.errors import UsageError
from perflab.model.protocol import Description

if TYPE_CHECKING:
    from perflab.cli.console.form import Field
    from perflab.model.lab import Lab


@pytest.fixture(scope="module")
def kettle(kettle_bench: str) -> Description:
    said = subprocess.run([sys.executable, kettle_bench, "describe"], capture_output=True, text=True, check=True).stdout
    return msgspec.convert(json.loads(said), Description)


@pytest.fixture
def form(kettle: Description, kettle_lab: Lab) -> Form:
    asked: list[str] = []
    form = Form(kettle_lab, asked.append, lambda: None)
    assert asked == ["kettle"]
    form.fill(kettle)
    return form


def field(form: Form, name: str) -> Field:
    return next(one for one in form.fields if one.parameter.name == name)


def test_before_the_topic_has_answered_there_is_nothing_to_run(kettle_lab: Lab) -> None:
    with pytest.raises(UsageError, match="not arrived yet"):
        Form(kettle_lab, lambda _: None, lambda: None).command()


def test_it_starts_with_a_comparison_against_the_variant_before(form: Form) -> None:
    assert form.command().shell == (
        "./lab measure kettle --scenario boil --variant steel --variant glass --variant copper --baseline steel --quick"
    )


def test_only_what_differs_from_the_defaults_is_on_the_line(form: Form) -> None:
    field(form, "level").input.value = "9"
    field(form, "lid").input.value = "closed"
    field(form, "whistle").input.value = True
    field(form, "gas").input.value = "1"
    form.preset.value = "normal"
    line = form.command().shell
    assert line.endswith("--param level=9 --param lid=closed --param whistle=true")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("level", "17", "out of range"),
        ("level", "a few", "no int"),
        ("gas", "", "no float"),
        ("level", "1.5", "no int"),
    ],
)
def test_a_wrong_value_is_named_and_nothing_is_corrected(form: Form, name: str, value: str, said: str) -> None:
    field(form, name).input.value = value
    with pytest.raises(UsageError, match=said) as failed:
        form.command()
    assert name in failed.value.message
    assert failed.value.hint
    assert field(form, name).input.value == value


def test_a_comparison_needs_two(form: Form) -> None:
    for box in list(form.boxes.values())[1:]:
        box.value = False
    with pytest.raises(UsageError, match="two variants"):
        form.command()


def test_the_baseline_is_one_of_those_that_take_part(form: Form) -> None:
    form.baseline.value = "glass"
    form.boxes["glass"].value = False
    assert list(form.baseline.options) == ["steel", "copper"]
    assert form.baseline.value == "steel"


def test_another_scenario_has_other_variants_and_parameters(form: Form) -> None:
    form.scenario.value = "steam"
    assert list(form.boxes) == ["steel", "copper"]
    assert [one.parameter.name for one in form.fields] == ["wait_ms"]


def test_a_sweep_takes_one_parameter_or_two(form: Form) -> None:
    form.way.value = SWEEP
    with pytest.raises(UsageError, match="needs a parameter"):
        form.command()
    first, second = form.swept
    first.name.value, first.values.value = "level", "1, 5, 9"
    second.name.value = "lid"
    with pytest.raises(UsageError, match="lid has no values yet"):
        form.command()
    second.values.value = "open,closed"
    assert form.command().shell.endswith("--quick --over level=1,5,9 --over lid=open,closed")
    assert "6 runs" in form.takes.value
    second.name.value, second.values.value = "level", "2,3"
    with pytest.raises(UsageError, match="twice"):
        form.command()


def test_a_range_is_a_way_to_say_values_and_they_are_spelled_out(form: Form) -> None:
    form.way.value = SWEEP
    one, other = form.swept
    one.name.value, one.values.value = "level", "1..16"
    assert one.spelled.value == "5 values: 1, 2, 4, 8, 16"
    assert "5 runs" in form.takes.value
    assert form.command().shell.endswith("--over level=1..16")
    one.values.value = "1..16:1"
    assert one.spelled.value == "16 values: 1, 2, 3, 4, 5, 6, …, 16"
    one.values.value = "4..32"
    assert one.spelled.value == ""
    with pytest.raises(UsageError, match="out of range"):
        form.command()
    one.values.value = "1..16:1"
    other.name.value, other.values.value = "gas", "1..50:1"
    with pytest.raises(UsageError, match="500 is the most"):
        form.command()


def test_a_search_is_of_one_variant_within_a_budget(form: Form) -> None:
    form.way.value = SEARCH
    assert form.candidate.value == "copper"
    one = form.searched[0]
    one.name.value, one.values.value = "level", "1..16"
    form.trials.value, form.minutes.value = 12, 1.5
    assert form.command().shell == (
        "./lab search kettle --scenario boil --variant copper --quick --over level=1..16 --trials 12 --minutes 1.5"
    )
    one.values.value = "16..1"
    with pytest.raises(UsageError, match="not below"):
        form.command()


def test_a_parameter_is_either_fixed_or_varied(form: Form) -> None:
    form.way.value = SWEEP
    one = form.swept[0]
    one.name.value, one.values.value = "level", "1,2"
    field(form, "level").input.value = "5"
    with pytest.raises(UsageError, match="several values"):
        form.command()
    form.way.value = MEASURE
    assert "--param level=5" in form.command().shell


def test_a_description_that_comes_too_late_is_not_taken(form: Form, kettle: Description) -> None:
    form.fill(msgspec.structs.replace(kettle, scenarios=kettle.scenarios[1:]))
    assert form.scenario.value == "boil"
