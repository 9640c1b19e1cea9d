"""Building the Kotlin labkit, the jar behind `%use perflab`."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from perflab.kernels.kernel import LabkitTests
from perflab.paths import LAB_DIR, ROOT
from perflab.toolchains import build_lock, expand, run_build

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.toolchains import Jdk

MODULE = ROOT / "kernels" / "kotlin" / "labkit" / "lab"
JAR = MODULE / "target" / "perflab-lab.jar"

# The module compiles against the kernel's own jars, which are on no registry, through this link.
_JARS_LINK = LAB_DIR / "kotlin" / "jars"
_STAMP = LAB_DIR / "builds" / "kotlin-labkit.built"


def is_built(kernel_jars: Path, jdk: Jdk) -> bool:
    """Whether the jar is there, from the present sources, for this kernel, by this JDK."""
    return JAR.is_file() and _STAMP.is_file() and _STAMP.read_text() == _fingerprint(kernel_jars, jdk)


def build(kernel_jars: Path, jdk: Jdk) -> None:
    """Build the jar with Maven, unless it is built.

    Raises:
        MissingError: If there is no Maven.
        BenchError: If it does not build; the message ends with the last lines of the log.
    """
    with build_lock(_STAMP):
        if is_built(kernel_jars, jdk):
            return
        sources = _fingerprint(kernel_jars, jdk)
        _STAMP.unlink(missing_ok=True)
        environment = {**os.environ, "JAVA_HOME": str(jdk.home)}
        command = ["{maven}", "-B", "-q", "-f", str(MODULE / "pom.xml"), "-DskipTests", "package"]
        words = expand(command, environment)
        _link(kernel_jars)
        run_build(words, "the Kotlin labkit", _STAMP.with_suffix(".log"), environment)
        _STAMP.write_text(sources)


def tests(jdk: Jdk) -> LabkitTests:
    """Spotless with ktlint, and JUnit; needs a built labkit, whose link to the kernel's jars they share.

    Raises:
        MissingError: If there is no Maven.
    """
    environment = {"JAVA_HOME": str(jdk.home)}
    maven = expand(["{maven}", "-B", "-q", "-f", str(MODULE / "pom.xml")], environment)
    return LabkitTests(
        lint=[[*maven, "spotless:check"]],
        test=[*maven, "test", "-Dsurefire.rerunFailingTestsCount=1"],
        environment=environment,
        folder=MODULE,
        reports="target/surefire-reports/TEST-*.xml",
    )


def _link(kernel_jars: Path) -> None:
    _JARS_LINK.parent.mkdir(parents=True, exist_ok=True)
    if _JARS_LINK.is_symlink() and _JARS_LINK.readlink() == kernel_jars:
        return
    _JARS_LINK.unlink(missing_ok=True)
    _JARS_LINK.symlink_to(kernel_jars)


def _fingerprint(kernel_jars: Path, jdk: Jdk) -> str:
    names = sorted(jar.name for jar in kernel_jars.glob("*.jar"))
    digest = hashlib.sha256(repr((names, str(kernel_jars), jdk.full, str(jdk.home))).encode())
    for path in sorted([ROOT / "pom.xml", MODULE / "pom.xml", *(MODULE / "src" / "main").rglob("*.*")]):
        if path.is_file():
            digest.update(str(path.relative_to(ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
