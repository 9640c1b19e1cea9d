"""The `kotlin` kernel: Kotlin Jupyter on a JDK that has what the components use."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.errors import MissingError
from perflab.kernels import kotlin_labkit, spec
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.paths import ROOT
from perflab.toolchains import Jdk, find_jdk

if TYPE_CHECKING:
    from collections.abc import Callable

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
        return spec.is_current(self.name, kernelspec(kernel, jdk)) and kotlin_labkit.is_built(kernel.jars, jdk)

    def install(self, say: Callable[[str], None] = lambda _: None) -> None:  # noqa: ARG002 - seconds
        """Build the labkit, then write the kernelspec: no kernel is offered whose `%use perflab` would fail."""
        kernel, jdk = distribution(), find_jdk(MINIMUM_JDK)
        kotlin_labkit.build(kernel.jars, jdk)
        spec.write(self.name, kernelspec(kernel, jdk))

    def labkit_tests(self) -> LabkitTests:
        """With Maven, as it is built."""
        self.install()
        return kotlin_labkit.tests(find_jdk(MINIMUM_JDK))


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
