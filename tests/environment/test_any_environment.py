"""The lab where nothing is as usual: without a home or a name, in another user's or a read-only checkout, in ASCII."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab
from strangers import STRANGER, run_as_stranger

from perflab.host.git import RefusedError, Revision, run_git, this_revision
from perflab.model.errors import MissingError
from perflab.model.lab import CHECKOUT, NO_HOME, user_cache, user_home
from perflab.topics.revisions import find_commit

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder as /tmp is, and in it: pytest's own are closed to others."""
    with TemporaryDirectory(prefix="perflab-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o1777)
        yield Path(folder)


@pytest.fixture
def stranger(tmp_path: Path, open_to_all: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The lab as a user without a name, in this checkout, which he may only read; `TMPDIR` is all that he may write."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(CHECKOUT / "src"),
        "TMPDIR": str(open_to_all),
        "PERFLAB_COMPONENTS": str(FIXTURES / "components"),
        "PERFLAB_RESULTS": str(tmp_path / "results"),
    }

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        done = run_as_stranger([sys.executable, "-m", "perflab", *arguments], {**environment, **more}, tmp_path)
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.mark.parametrize("home", [{}, {"HOME": "/"}, {"HOME": "/root"}], ids=["none", "root", "closed"])
def test_without_a_home_there_is_a_temporary_cache_and_one_line_says_so(
    home: dict[str, str], stranger: Callable[..., subprocess.CompletedProcess[str]], open_to_all: Path
) -> None:
    done = stranger("topics", "--json", **home)
    assert done.returncode == 0, done.stderr
    assert "toy" in [one["name"] for one in json.loads(done.stdout)]
    folder = open_to_all / f"perflab-{STRANGER}"
    (line,) = done.stderr.splitlines()
    assert str(folder / ".cache" / "perflab") in line
    found = folder.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o700, STRANGER)


def test_the_doctor_works_without_home_and_name(stranger: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = stranger("doctor", "--json")
    assert done.returncode in {0, 3}, done.stderr
    states = {one["name"]: one["state"] for one in json.loads(done.stdout)}
    assert (states["results"], states["perflab"]) == ("missing", "found")


def test_the_cache_is_the_one_that_the_user_names_and_none_that_others_may_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "named"))
    assert user_cache() == tmp_path / "named" / "perflab"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = user_cache().parent.parent
    assert folder.parent == tmp_path
    folder.chmod(0o770)
    with pytest.raises(MissingError, match="not a folder of yours alone"):
        user_cache()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(MissingError, match="not a folder of yours alone"):
        user_cache()
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    assert user_home() == NO_HOME


def test_a_read_only_checkout_without_an_environment_says_that_it_cannot_be_written(tmp_path: Path) -> None:
    checkout, programs = tmp_path / "checkout", tmp_path / "bin"
    (checkout / "src" / "perflab").mkdir(parents=True)
    programs.mkdir()
    for name in ("lab", "requirements.lock"):
        shutil.copy(CHECKOUT / name, checkout / name)
    for name in ("python3.13", "python3.12", "python3.11"):
        (programs / name).symlink_to(Path(sys.executable).resolve())
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": "/", "TMPDIR": str(tmp_path)}
    done = run_as_stranger([checkout / "lab", "topics"], environment, tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    error, fix = done.stderr.splitlines()
    assert f"the checkout {checkout} has no Python environment yet, and cannot be written" in error
    assert "copy it" in fix


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_git_that_refuses_anothers_checkout_is_not_taken_for_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):  # these may trust everybody
        monkeypatch.setenv(name, os.devnull)
    foreign = tmp_path / "checkout"
    foreign.mkdir()
    run_git(foreign, "init", "--quiet")
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    run_git(foreign, *who, "commit", "--quiet", "--allow-empty", "--message=first")
    for path in [foreign, *foreign.rglob("*")]:
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(RefusedError, match="belongs to another user") as refused:
        find_commit(foreign, "HEAD")
    assert f"safe.directory {foreign}" in refused.value.hint
    notes: list[str] = []
    for _ in range(2):
        assert this_revision(foreign, notes.append) == Revision()
    (note,) = notes
    assert f"{foreign} belongs to another user, so git refuses to work in it; runs name no commit" in note
    assert this_revision(tmp_path, pytest.fail) == Revision()


def test_a_path_and_a_title_that_are_not_ascii_are_shown_in_ascii(tmp_path: Path) -> None:
    topics = tmp_path / "Prüfstände"
    shutil.copytree(FIXTURES / "components" / "toy", topics / "toy")
    manifest = topics / "toy" / "component.toml"
    manifest.write_text(manifest.read_text().replace('title = "', 'title = "Höhe ± '), encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii"}
    lab = Lab(tmp_path / "Läufe", PERFLAB_COMPONENTS=str(topics), **ascii_only)
    for arguments, status, said in (
        (("topics",), 0, "H\\xf6he \\xb1 "),
        (("measure", "nothing"), 2, "no topic 'nothing'"),
    ):
        process = lab.start(*arguments)
        out, err = process.communicate()
        assert process.returncode == status, err
        assert said in out + err
