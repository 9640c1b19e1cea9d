"""What Binder would make of this checkout, found out by repo2docker without Docker."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"

# What conda-forge calls otherwise than PyPI.
CONDA_NAMES = {"kaleido": "python-kaleido"}


@pytest.fixture(scope="module")
def dockerfile() -> str:
    """The Dockerfile that repo2docker prints for the checkout."""
    repo2docker = Path(sys.executable).with_name("jupyter-repo2docker")
    if not repo2docker.exists():
        pytest.skip("repo2docker is not in this environment")
    command = [str(repo2docker), "--no-build", "--debug", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def split(requirement: str) -> tuple[str, str]:
    """Divide `name>=1.2` into name and specifier."""
    match = re.fullmatch(r"([A-Za-z0-9_.-]+?)\s*([<>=!~].*)?", requirement)
    assert match, requirement
    return match[1].lower(), match[2] or ""


def environment() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    return loaded


def packages() -> dict[str, str]:
    """What environment.yml installs, from conda-forge and by pip: version specifiers by name."""
    dependencies = environment()["dependencies"]
    by_pip = [name for entry in dependencies if isinstance(entry, dict) for name in entry["pip"]]
    return dict(split(entry) for entry in [*dependencies, *by_pip] if isinstance(entry, str))


def test_the_environment_has_what_perflab_needs_and_every_toolchain_and_kernel() -> None:
    installed = packages()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {CONDA_NAMES.get(name, name): specifier for name, specifier in map(split, project["dependencies"])}
    assert {name: installed.get(name) for name in wanted} == wanted
    assert {"openjdk", "maven", "rust", "evcxr", "dotnet-sdk", "cxx-compiler", "cmake", "ninja"} <= installed.keys()
    assert environment()["channels"] == ["conda-forge", "nodefaults"]


def test_repo2docker_finds_the_environment_with_a_python_of_the_launchers_and_the_scripts(dockerfile: str) -> None:
    # repo2docker knows `python=3.12` and silently takes its own default for a range.
    frozen = re.search(r"Building conda environment for python=3\.(\d+)", dockerfile)
    assert frozen
    assert packages()["python"] == f"=3.{frozen[1]}"
    assert 11 <= int(frozen[1]) < 14
    assert '--file "binder/environment.yml"' in dockerfile
    assert "RUN ./binder/postBuild" in dockerfile
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in dockerfile


def test_start_becomes_the_session_with_the_labs_kernels_and_chooses_no_preset(tmp_path: Path) -> None:
    shown = 'printf "%s\\n" "$$" "$1" "$JUPYTER_PATH" "$CONDA_PREFIX" "$JAVA_HOME" "${PERFLAB_PRESET-none}"'
    process = subprocess.Popen(
        [str(BINDER / "start"), "sh", "-c", shown, "sh", "two words"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "NB_PYTHON_PREFIX": "/conda", "JUPYTER_PATH": "/theirs"},
    )
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    assert output.splitlines() == [
        str(process.pid),  # exec: the session is the process that was started, so it gets its signals
        "two words",
        f"{ROOT}/.lab/jupyter:/theirs",
        "/conda",
        "/conda/lib/jvm",
        "none",  # which a session of this size finds by itself: tests/binder/test_small_machine.py
    ]


def post_build(root: Path, setup: str) -> subprocess.CompletedProcess[str]:
    """What `binder/postBuild` does in a checkout whose `./lab setup` is this script."""
    lab = root / "lab"
    lab.write_text(f"#!/bin/sh\n{setup}\n")
    lab.chmod(0o755)
    (root / "binder").mkdir()
    shutil.copy(BINDER / "slim", root / "binder")
    for folder in ("components", "kernels", ".lab"):
        (root / folder).mkdir()
    environment = {"PATH": os.environ["PATH"], "NB_PYTHON_PREFIX": str(root), "HOME": str(root / "home")}
    return subprocess.run(
        [BINDER / "postBuild"], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def test_post_build_fails_where_setup_fails(tmp_path: Path) -> None:
    assert post_build(tmp_path, "exit 3").returncode == 3


KEPT = [
    "components/a/target/a.jar",
    "components/a/target/lib/classes/kept.jar",
    "components/a/target/release/bench/a",
    "components/a/target/release/liba.a",
    "components/a/target/release/plugin.args",
    "components/a/target/release/deps/libcrate.rlib",
    "components/a/target/release/.fingerprint/crate/x",
    "components/a/bench/target/A.dll",
    "components/a/src/classes/A.java",
    "kernels/kotlin/labkit/lab/target/lab.jar",
    ".lab/rust/target/release/deps/libcrate.rlib",
    "home/.cargo/registry/cache/crate.crate",
    "home/.cargo/registry/index/crate",
    "home/.m2/settings.xml",
]
DROPPED = [
    "components/a/target/classes/A.class",
    "components/a/target/test-classes/ATest.class",
    "components/a/target/maven-status/x",
    "components/a/target/release/CMakeFiles/a.dir/a.cpp.o",
    "components/a/bench/obj/A.dll",
    "components/a/target/debug/incremental/x",
    "kernels/kotlin/labkit/lab/target/classes/Lab.class",
    "kernels/rust/labkit/target/debug/deps/libcrate.rlib",
    "home/.cargo/registry/src/crate/lib.rs",
    "home/.m2/repository/a/a.jar",
]


def test_post_build_leaves_what_runs_and_what_variants_are_made_of(tmp_path: Path) -> None:
    made = "\n".join(f'mkdir -p "$(dirname "{name}")" && echo x > "{name}"' for name in [*KEPT, *DROPPED])
    done = post_build(tmp_path, made)
    assert done.returncode == 0, done.stderr
    assert [name for name in KEPT if not (tmp_path / name).exists()] == []
    assert [name for name in DROPPED if (tmp_path / name).exists()] == []
