"""The measurement lock is the machine's: all users take turns."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from strangers import STRANGER, words

from perflab.host import lock
from perflab.host.lock import lock_file, measurement_lock
from perflab.model.errors import TakenError
from perflab.model.lab import CHECKOUT, Lab

if TYPE_CHECKING:
    from pathlib import Path

_HOLD = """
import os, sys
from pathlib import Path
from perflab.model.errors import LabError
from perflab.host.lock import measurement_lock
os.umask(0o077)
try:
    with measurement_lock(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.read()
except LabError as error:
    print(error, flush=True)
"""


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


class Other:
    """A process that takes the lock, and holds it until it is told: another user's without other words."""

    def __init__(self, folder: Path, *within: str) -> None:
        self._process = subprocess.Popen(
            [*(within or words()), sys.executable, "-c", _HOLD, str(folder)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT / "src"), "HOME": "/"},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.said = self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.communicate()


def take(folder: Path) -> None:
    with measurement_lock(folder):
        pass


def test_the_place_is_the_same_whatever_a_user_has_in_his_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PERFLAB_LOCK")
    usual = Lab.from_environment().lock
    shared = stat.S_ISVTX | stat.S_IWOTH
    assert usual.stat().st_mode & shared == shared
    for variable in ("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert Lab.from_environment().lock == usual


def test_two_users_take_turns(shared: Path) -> None:
    other = Other(shared)
    assert other.said == "held"
    try:
        with pytest.raises(TakenError, match=rf"process \d+ of user {STRANGER} since \d{{4}}-\d\d-\d\d \d\d:\d\d UTC"):
            take(shared)
    finally:
        other.end()
    found = lock_file(shared).stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode), found.st_size) == (STRANGER, 0o666, 0)
    with measurement_lock(shared):
        refused = Other(shared)
        refused.end()
    assert f"process {os.getpid()} of root since" in refused.said


def test_two_containers_take_turns_and_the_number_of_the_process_is_said_to_be_the_others(shared: Path) -> None:
    container = ["unshare", "--pid", "--fork", "--kill-child"]
    if os.geteuid() != 0 or subprocess.run([*container, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can make a container")
    other = Other(shared, *container)
    try:
        with pytest.raises(TakenError, match="in another container"):
            take(shared)
    finally:
        other.end()
    take(shared)


def test_another_users_file_that_is_closed_is_named(shared: Path) -> None:
    lock_file(shared).touch(mode=0o600)
    other = Other(shared)
    other.end()
    assert f"Permission denied: '{lock_file(shared)}'" in other.said


def test_machines_that_share_the_folder_do_not_wait_for_each_other(
    shared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "boot_id").write_text("another machine\n")
    with measurement_lock(shared):
        monkeypatch.setattr(lock, "_BOOT_ID", tmp_path / "boot_id")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(take, shared).result()
    assert len(list(shared.iterdir())) == 2


def test_who_holds_it_is_shown_without_what_a_terminal_would_obey(shared: Path) -> None:
    with lock_file(shared).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("process 7 of \x1b[31mmallory\u202e: measure\npid:[of another container]\n")
        file.flush()
        with pytest.raises(TakenError) as taken:
            take(shared)
    assert "process 7 of ?[31mmallory?: measure (in another container" in str(taken.value)
