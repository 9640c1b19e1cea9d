from __future__ import annotations

import json

import pytest

from perflab.model.errors import BenchError
from perflab.model.protocol import End, Failure, Sample, Scenario, Start, read_description, read_message

DESCRIPTION = {
    "protocol": 1,
    "component": "toy",
    "runtime": {"name": "none", "version": "1"},
    "scenarios": [],
    "variants": [],
}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "start", "protocol": 1, "component": "a", "scenario": "b", "variant": "c"}, Start),
        ({"type": "sample", "i": 0, "ops": 1, "ns": 2.5}, Sample),
        ({"type": "end", "samples": 1, "ops": 1, "ns": 1, "validation": {"passed": True}}, End),
        ({"type": "error", "message": "lost"}, Failure),
    ],
)
def test_each_message_is_read_as_what_it_is(line: dict[str, object], kind: type) -> None:
    assert isinstance(read_message(json.dumps(line).encode()), kind)


@pytest.mark.parametrize(
    "line",
    [
        b"log line",
        b"{}",
        b'{"type": "sampel"}',
        b'{"type": "sample", "i": "a"}',
        b"\xff\xfe",
        b'{"type": "sample", "x": ' + b"[" * 100_000,
    ],
    ids=["text", "empty", "unknown", "type", "bytes", "nested"],
)
def test_rubbish_is_shown_in_the_error(line: bytes) -> None:
    with pytest.raises(BenchError, match="no protocol message"):
        read_message(line)


@pytest.mark.parametrize("figures", [{"ops": 0, "ns": 1}, {"ops": 1, "ns": 0}, {"ops": -1, "ns": 1}])
def test_a_sample_without_operations_or_time_is_none(figures: dict[str, int]) -> None:
    with pytest.raises(BenchError, match="above zero"):
        read_message(json.dumps({"type": "sample", "i": 3, **figures}).encode())


def test_unknown_keys_are_no_error_so_that_a_newer_labkit_may_say_more() -> None:
    line = {"type": "sample", "i": 0, "ops": 1, "ns": 1, "temperature": 40}
    assert isinstance(read_message(json.dumps(line).encode()), Sample)


def test_another_version_is_named_even_if_its_shape_is_unknown() -> None:
    with pytest.raises(BenchError, match="speaks protocol version 2, this lab version 1"):
        read_description(b'{"protocol": 2, "topics": []}')
    with pytest.raises(BenchError, match="speaks protocol version 7"):
        read_message(b'{"type": "start", "protocol": 7, "component": "a", "scenario": "b", "variant": "c"}')


def test_a_description_is_read() -> None:
    assert read_description(json.dumps(DESCRIPTION).encode()).component == "toy"


@pytest.mark.parametrize("output", [b"", b"nothing useful", b'{"protocol": 1}'])
def test_what_is_no_description_is_said_to_be_none(output: bytes) -> None:
    with pytest.raises(BenchError, match="did not print a description"):
        read_description(output)


@pytest.mark.parametrize(("better", "metric"), [("higher", "rate"), ("lower", "time")])
def test_the_headline_follows_from_the_direction(better: str, metric: str) -> None:
    assert Scenario(name="s", operation="o", unit="u", better=better).headline.of == metric  # type: ignore[arg-type]
