"""The `kotlin` kernel: Kotlin Jupyter on a JDK that has what the components use."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.builds import StampedBuild, run_build
from perflab.host.jdk import Jdk, find_jdk
from perflab.host.toolchains import expand
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.model.errors import MissingError
from perflab.model.files import hash_files
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.kernels.kernel import Spec


MODULE = CHECKOUT / "kernels" / "kotlin" / "labkit" / "lab"
JAR = MODULE / "target" / "perflab-lab.jar"

# The module compiles against the kernel's own jars, which are on no registry, through this link.
_JARS_LINK = CHECKOUT / ".lab" / "kotlin" / "jars"
_STAMP = CHECKOUT / ".lab" / "builds" / "kotlin-labkit.built"


def labkit_build(kernel_jars: Path, jdk: Jdk) -> StampedBuild:
    """Return the build of the jar for this kernel by this JDK."""

    def fingerprint() -> str:
        names = sorted(jar.name for jar in kernel_jars.glob("*.jar"))
        sources = [CHECKOUT / "pom.xml", MODULE / "pom.xml", *(MODULE / "src" / "main").rglob("*.*")]
        files = [path for path in sources if path.is_file()]
        return hash_files(CHECKOUT, files, names, str(kernel_jars), jdk.full, str(jdk.home))

    return StampedBuild(_STAMP, fingerprint, [JAR])


def build(kernel_jars: Path, jdk: Jdk) -> None:
    """Build the jar with Maven, unless it is built; a `BenchError` ends with the last lines of the log."""
    stamped = labkit_build(kernel_jars, jdk)

    def work() -> None:
        environment = {**os.environ, **jdk.environment()}
        command = ["{maven}", "-B", "-q", "-f", str(MODULE / "pom.xml"), "-DskipTests", "package"]
        words = expand(command, environment)
        _link(kernel_jars)
        run_build(words, "the Kotlin labkit", stamped.log, environment, MODULE)

    stamped.run(work)


def tests(jdk: Jdk) -> LabkitTests:
    """Return Spotless with ktlint, and JUnit; they need a built labkit, whose link to the kernel's jars they share."""
    environment = jdk.environment()
    maven = expand(["{maven}", "-B", "-q", "-f", str(MODULE / "pom.xml")], environment)
    return LabkitTests(
        lint=[[*maven, "spotless:check"]],
        test=[*maven, "test"],
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


MINIMUM_JDK = 21
_FOLDER = CHECKOUT / "kernels" / "kotlin"
_UNSAFE_SWITCH_SINCE = 23


@dataclass(frozen=True)
class Distribution:
    """The kernel as its Python package carries it.

    Attributes:
        home: The package's folder; the kernel finds its library descriptors there.
        main: The jar to start.
        class_path: The jars that cells see.
        version: Version on PyPI, such as 0.19.0.944.
    """

    home: Path
    main: Path
    class_path: tuple[Path, ...]
    version: str

    @property
    def jars(self) -> Path:
        """Folder of the kernel's jars."""
        return self.main.parent


def distribution() -> Distribution:
    """Find the kernel in this Python environment."""
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
    """The Kotlin kernel, started without its package's Python launcher, which would open a debug port."""

    name = "kotlin"
    labkit = "kotlin"

    def version(self) -> str:
        """Return the kernel's version and the JDK's."""
        return f"{distribution().version} on JDK {find_jdk(MINIMUM_JDK).full}"

    def kernelspec(self) -> Spec:
        """Return how this kernel is started on this JDK."""
        return kernelspec(distribution(), find_jdk(MINIMUM_JDK))

    def is_built(self) -> bool:
        """Return whether its labkit is that of the present kernel, JDK and sources."""
        return labkit_build(distribution().jars, find_jdk(MINIMUM_JDK)).is_current()

    def build(self, say: Callable[[str], None]) -> None:  # noqa: ARG002 - seconds
        """Build the labkit, without which `%use perflab` would fail."""
        build(distribution().jars, find_jdk(MINIMUM_JDK))

    def labkit_tests(self) -> LabkitTests:
        """Return its tests with Maven."""
        self.install()
        return tests(find_jdk(MINIMUM_JDK))


def kernelspec(kernel: Distribution, jdk: Jdk) -> Spec:
    """Return how this kernel is started on this JDK."""
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
    """Return the JVM's options, which `kernels/kotlin/README.md` explains."""
    options = [
        "-Xmx768m",
        "-Djava.awt.headless=true",
        f"-Dlogback.configurationFile={_FOLDER / 'logback.xml'}",
        "--enable-native-access=ALL-UNNAMED",
    ]
    if jdk.version >= _UNSAFE_SWITCH_SINCE:
        options.append("--sun-misc-unsafe-memory-access=allow")
    return options
