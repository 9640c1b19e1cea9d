"""A build fetches only the libraries that its lock knows, and Maven nothing whose checksum is wrong."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from labs import ROOT

from perflab.model.errors import BenchError
from perflab.topics.build import build
from perflab.topics.catalogue import find_component
from perflab.topics.jars import LOCK, check_jars

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab

KNOWN = b"a library"
LINES = f"{hashlib.sha256(KNOWN).hexdigest()}  target/lib/library.jar\nbuilt-here  target/lib/own.jar\n"
MANIFEST = """\
name = "fetching"
title = "Fetches a library"
bottleneck = "none"
language = "python"
requires = ["python"]
[build]
command = ["{python}", "fetch.py"]
[bench]
command = ["{python}", "fetch.py"]
"""
FETCH = "import pathlib; pathlib.Path('target/lib').mkdir(parents=True, exist_ok=True)\n"


@pytest.fixture
def fetching(own_lab: Lab, tmp_path: Path) -> tuple[Lab, Path]:
    """A component whose build fetches a library."""
    folder = tmp_path / "components" / "fetching"
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text(MANIFEST)
    (folder / LOCK).write_text(LINES)
    return replace(own_lab, components=folder.parent), folder


def writes(folder: Path, **jars: bytes) -> None:
    lines = [f"pathlib.Path('target/lib/{name}.jar').write_bytes({content!r})\n" for name, content in jars.items()]
    (folder / "fetch.py").write_text(FETCH + "".join(lines))


@pytest.mark.parametrize(
    ("jars", "named"),
    [
        ({"library": b"another", "own": b"x"}, "library.jar"),
        ({"own": b"x"}, "library.jar"),
        ({"library": KNOWN, "own": b"x", "more": b"x"}, "more.jar"),
    ],
    ids=["another", "missing", "new"],
)
def test_a_build_that_has_fetched_something_else_has_failed(
    fetching: tuple[Lab, Path], jars: dict[str, bytes], named: str
) -> None:
    lab, folder = fetching
    writes(folder, **jars)
    with pytest.raises(BenchError, match=f"by its SHA-256: target/lib/{named}"):
        build(find_component(lab, "fetching"))
    subprocess.run([sys.executable, "-m", "perflab.topics.jars", str(folder)], check=True, cwd=ROOT / "src")
    assert build(find_component(lab, "fetching"))
    assert "built-here  target/lib/own.jar" in (folder / LOCK).read_text()


def test_a_lock_that_is_none_is_one_line(fetching: tuple[Lab, Path]) -> None:
    lab, folder = fetching
    writes(folder, library=KNOWN, own=b"x")
    (folder / LOCK).write_text("one-word\n")
    with pytest.raises(BenchError, match="no hash and path"):
        build(find_component(lab, "fetching"))


def test_a_build_that_has_fetched_what_is_known_is_built(fetching: tuple[Lab, Path]) -> None:
    lab, folder = fetching
    writes(folder, library=KNOWN, own=b"of the present sources")
    assert build(find_component(lab, "fetching"))


@pytest.mark.build
@pytest.mark.parametrize("lock", sorted(ROOT.glob(f"components/*/{LOCK}")), ids=lambda lock: lock.parent.name)
def test_what_is_built_here_is_what_the_lock_knows(lock: Path) -> None:
    if not (lock.parent / "target" / "lib").is_dir():
        pytest.skip("not built")
    check_jars(lock.parent)


PARENT = """<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>parent</artifactId>\
<version>1</version><packaging>pom</packaging></project>"""
CHILD = """<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>g</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>
<artifactId>child</artifactId><packaging>pom</packaging>
<repositories><repository><id>central</id><url>{address}</url></repository></repositories></project>"""


@pytest.mark.skipif(shutil.which("mvn") is None, reason="Debian: apt install maven")
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
def test_maven_takes_nothing_whose_checksum_is_wrong(tmp_path: Path, *, right: bool) -> None:
    place = tmp_path / "repository" / "g" / "parent" / "1"
    place.mkdir(parents=True)
    (place / "parent-1.pom").write_text(PARENT)
    known = PARENT if right else "another"
    (place / "parent-1.pom.sha1").write_text(hashlib.sha1(known.encode(), usedforsecurity=False).hexdigest())
    module = tmp_path / "project" / "module"
    module.mkdir(parents=True)
    shutil.copytree(ROOT / ".mvn", module.parent / ".mvn")
    (module / "pom.xml").write_text(CHILD.format(address=(tmp_path / "repository").as_uri()))
    settings = tmp_path / "settings.xml"
    settings.write_text("<settings/>")
    command = ["mvn", "-q", "-B", "-s", str(settings), "-gs", str(settings)]
    command += [f"-Dmaven.repo.local={tmp_path / 'local'}", "-f", str(module / "pom.xml"), "validate"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is right, done.stdout
    assert right or "Checksum validation failed" in done.stdout
