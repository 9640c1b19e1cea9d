"""The `kotlin` kernel: Kotlin Jupyter on a JDK that has what the components use."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.kernels import spec
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.machine.jdk import Jdk, find_jdk
from perflab.machine.processes import build_lock, run_build
from perflab.machine.toolchains import expand
from perflab.model.errors import MissingError
from perflab.model.paths import LAB_DIR, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable


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


MINIMUM_JDK = 21
_FOLDER = ROOT / "kernels" / "kotlin"
_UNSAFE_SWITCH_SINCE = 23


@dataclass(frozen=True)
class Distribution:
    """The kernel as its Python package carries it.

    Attributes:
        home: The package's folder; the kernel finds its library descriptors there.
        main: The jar to start.
        class_path: The jars that cells see.
        version: As PyPI writes it, such as 0.19.0.944.
    """

    home: Path
    main: Path
    class_path: tuple[Path, ...]
    version: str

    @property
    def jars(self) -> Path:
        """The folder of all its jars."""
        return self.main.parent


def distribution() -> Distribution:
    """Find the kernel in this Python environment.

    Raises:
        MissingError: If it is not there.
    """
    package = find_spec("run_kotlin_kernel")
    if package is None or not package.submodule_search_locations:
        raise MissingError("the Kotlin kernel is not in this Python environment", "pip install kotlin-jupyter-kernel")
    home = Path(package.submodule_search_locations[0])
    listed = json.loads((home / "config" / "jar_args.json").read_text(encoding="utf-8"))
    jars = home / "jars"
    return Distribution(
        home=home,
        main=jars / listed["mainJar"],
        class_path=tuple(jars / name for name in listed["classPath"]),
        version=version("kotlin-jupyter-kernel"),
    )


class KotlinKernel(Kernel):
    """It is started directly, without the package's Python launcher, which would open a debug port."""

    name = "kotlin"
    labkit = "kotlin"

    def version(self) -> str:
        """The kernel's version and the JDK's."""
        return f"{distribution().version} on JDK {find_jdk(MINIMUM_JDK).full}"

    def is_installed(self) -> bool:
        """Whether its kernelspec and its labkit are those of the present kernel, JDK and sources."""
        kernel, jdk = distribution(), find_jdk(MINIMUM_JDK)
        return spec.is_current(self.name, kernelspec(kernel, jdk)) and is_built(kernel.jars, jdk)

    def install(self, say: Callable[[str], None] = lambda _: None) -> None:  # noqa: ARG002 - seconds
        """Build the labkit, then write the kernelspec: no kernel is offered whose `%use perflab` would fail."""
        kernel, jdk = distribution(), find_jdk(MINIMUM_JDK)
        build(kernel.jars, jdk)
        spec.write(self.name, kernelspec(kernel, jdk))

    def labkit_tests(self) -> LabkitTests:
        """With Maven, as it is built."""
        self.install()
        return tests(find_jdk(MINIMUM_JDK))


def kernelspec(kernel: Distribution, jdk: Jdk) -> spec.Spec:
    """How this kernel is started on this JDK."""
    return {
        "display_name": "Kotlin",
        "language": "kotlin",
        # The kernel listens for a message; a SIGINT would end its JVM.
        "interrupt_mode": "message",
        "argv": [
            str(jdk.java),
            *_jvm_options(jdk),
            "-jar",
            str(kernel.main),
            "-classpath=" + os.pathsep.join(map(str, kernel.class_path)),
            "{connection_file}",
            f"-home={kernel.home}",
        ],
        "metadata": {"perflab": f"{kernel.version} on JDK {jdk.full}"},
    }


def _jvm_options(jdk: Jdk) -> list[str]:
    """What they are for, and what they cost and save, is in `kernels/kotlin/README.md`."""
    options = [
        "-Xmx768m",
        "-Djava.awt.headless=true",
        f"-Dlogback.configurationFile={_FOLDER / 'logback.xml'}",
        "--enable-native-access=ALL-UNNAMED",
    ]
    if jdk.version >= _UNSAFE_SWITCH_SINCE:
        options.append("--sun-misc-unsafe-memory-access=allow")
    return options
