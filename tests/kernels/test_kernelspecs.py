"""The kernelspecs that the lab installs; no kernel is started."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from perflab.host.jdk import Jdk
from perflab.kernels import kernel, kotlin
from perflab.kernels import kotlin as kotlin_labkit
from perflab.kernels.registry import PythonKernel, ensure, installed
from perflab.model.errors import MissingError, UsageError


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Jupyter prefix of the test's own, and a labkit that is built."""
    monkeypatch.setattr(kernel, "JUPYTER_DIR", tmp_path)
    monkeypatch.setattr(kotlin.KotlinKernel, "is_built", lambda _: True)
    return tmp_path / "kernels"


def use_jdk(monkeypatch: pytest.MonkeyPatch, jdk: Jdk) -> None:
    monkeypatch.setattr(kotlin, "find_jdk", lambda _: jdk)


def jdk_of(version: int) -> Jdk:
    return Jdk(Path(f"/opt/jdk-{version}"), version, f"{version}.0.1")


def test_kotlin_starts_on_the_jdk_without_a_debug_port() -> None:
    kernel = kotlin.distribution()
    argv = kotlin.kernelspec(kernel, jdk_of(21))["argv"]
    assert argv[0] == "/opt/jdk-21/bin/java"
    assert argv.count("{connection_file}") == 1
    assert not [word for word in argv if "jdwp" in word or "debugPort" in word]
    assert "-Xmx768m" in argv


def test_everything_the_kotlin_spec_points_at_is_there() -> None:
    kernel = kotlin.distribution()
    argv = kotlin.kernelspec(kernel, jdk_of(21))["argv"]
    (class_path,) = [word.removeprefix("-classpath=") for word in argv if word.startswith("-classpath=")]
    (log,) = [word.partition("=")[2] for word in argv if word.startswith("-Dlogback")]
    home = Path(argv[-1].removeprefix("-home="))
    paths = [
        Path(log),
        Path(argv[argv.index("-jar") + 1]),
        home / "libraries",
        *map(Path, class_path.split(os.pathsep)),
    ]
    assert [path for path in paths if not path.exists()] == []


@pytest.mark.parametrize(("version", "there"), [(21, False), (22, False), (23, True), (25, True)])
def test_an_option_that_older_jdks_do_not_know_is_left_out(version: int, there: bool) -> None:
    argv = kotlin.kernelspec(kotlin.distribution(), jdk_of(version))["argv"]
    assert ("--sun-misc-unsafe-memory-access=allow" in argv) is there


def test_ensure_writes_once_and_again_for_another_jdk(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = prefix / "kotlin" / "kernel.json"
    use_jdk(monkeypatch, jdk_of(21))
    ensure("kotlin")
    first = file.stat().st_ino
    ensure("kotlin")
    assert file.stat().st_ino == first
    use_jdk(monkeypatch, jdk_of(25))
    ensure("kotlin")
    assert json.loads(file.read_text())["argv"][0] == "/opt/jdk-25/bin/java"


def test_status_tells_what_would_mend_it(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_jdk(_: int) -> Jdk:
        raise MissingError("no JDK 21 or newer", "apt install openjdk-21-jdk")

    use_jdk(monkeypatch, jdk_of(21))
    before = {status.name: status for status in installed()}["kotlin"]
    ensure("kotlin")
    after = {status.name: status for status in installed()}["kotlin"]
    monkeypatch.setattr(kotlin, "find_jdk", no_jdk)
    without = {status.name: status for status in installed()}["kotlin"]
    assert (before.installed, before.fix) == (False, "./lab setup")
    assert (after.installed, after.fix, after.version) == (True, "", f"{kotlin.distribution().version} on JDK 21.0.1")
    assert (without.installed, without.fix) == (False, "apt install openjdk-21-jdk")
    assert (prefix / "kotlin" / "logo-64x64.png").is_file()


def test_an_unknown_kernel_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="kotlin"):
        ensure("kotln")


def test_the_python_kernel_finds_perflab(prefix: Path) -> None:
    ensure("python3")
    written = json.loads((prefix / "python3" / "kernel.json").read_text())
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | written["env"]
    code = "import ipykernel_launcher, perflab; print(perflab.__name__)"
    done = subprocess.run(
        [written["argv"][0], "-c", code], env=environment, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.stdout == "perflab\n", done.stderr
    assert PythonKernel().is_installed()


def test_the_labkit_is_stale_after_a_change_of_sources_kernel_or_jdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "lab"
    source = module / "src" / "main" / "kotlin" / "Lab.kt"
    source.parent.mkdir(parents=True)
    source.write_text("class Lab")
    for name in ("pom.xml", "lab/pom.xml"):
        (tmp_path / name).write_text("<project/>")
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / "api-1.jar").touch()
    stamp, jar = tmp_path / "stamp", tmp_path / "lab.jar"
    jar.touch()
    for name, value in {"CHECKOUT": tmp_path, "MODULE": module, "JAR": jar, "_STAMP": stamp}.items():
        monkeypatch.setattr(kotlin_labkit, name, value)
    monkeypatch.setattr(kotlin_labkit, "_JARS_LINK", tmp_path / "link")
    monkeypatch.setattr(kotlin_labkit, "expand", lambda *_: ["true"])
    kotlin_labkit.build(jars, jdk_of(21))

    assert kotlin_labkit.labkit_build(jars, jdk_of(21)).is_current()
    assert not kotlin_labkit.labkit_build(jars, jdk_of(25)).is_current()
    source.write_text("class Lab2")
    assert not kotlin_labkit.labkit_build(jars, jdk_of(21)).is_current()
    source.write_text("class Lab")
    (jars / "api-1.jar").rename(jars / "api-2.jar")
    assert not kotlin_labkit.labkit_build(jars, jdk_of(21)).is_current()
