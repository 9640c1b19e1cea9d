from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from perflab.bootstrap import uv_settings
from perflab.model.lab import CHECKOUT

PATIENCE_S = 120
MOUNT, UMOUNT = "/bin/mount", "/bin/umount"
PROGRAM = "import gift, sys\nprint('ran', *sys.argv[1:])\n"
UV = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
needs_uv = pytest.mark.skipif(UV is None, reason="there is no uv to put into the test's index")


@dataclass
class Clone:
    """A checkout with the launcher, a program of one line, one package to install, and an index in a folder."""

    folder: Path
    index: Path
    environment: dict[str, str]

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.folder / "lab", *arguments],
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str, status: int = 0, **environment: str) -> str:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status, f"status {process.returncode}\n{out}\n{err}"
        assert "Traceback" not in err
        assert out == (f"ran {' '.join(arguments)}\n" if status == 0 else "")
        return err

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def remove_uv(self) -> None:
        (self.folder.parent / "bin" / "uv").unlink(missing_ok=True)

    def put_on_the_path(self, name: str, script: str) -> None:
        program = self.folder.parent / "bin" / name
        program.unlink(missing_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


def wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> str:
    """A wheel, and the line of a lock file that names it."""
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {
        path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=") for path, data in files.items()
    }
    rows = [f"{path},sha256={digests[path].decode()},{len(data)}\n" for path, data in files.items()]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in {**files, f"{info}/RECORD": "".join([*rows, f"{info}/RECORD,,\n"]).encode()}.items():
            entry = zipfile.ZipInfo(member)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, data)
    with path.open("rb") as stream:
        return f"{name}=={version} \\\n    --hash=sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}\n"


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    folder, index, programs = tmp_path / "clone", tmp_path / "index", tmp_path / "bin"
    for made in (folder / "src" / "perflab", index, programs, tmp_path / "home", tmp_path / "tmp"):
        made.mkdir(parents=True)
    shutil.copy(CHECKOUT / "lab", folder)
    shutil.copy(CHECKOUT / "src" / "perflab" / "bootstrap.py", folder / "src" / "perflab")
    (folder / "src" / "perflab" / "__init__.py").touch()
    (folder / "src" / "perflab" / "__main__.py").write_text(PROGRAM)
    gift = wheel(index, "gift", "1.0", {"gift.py": b""})
    (folder / "requirements.lock").write_text(gift)
    (folder / "requirements-dev.lock").write_text(gift + wheel(index, "more", "1.0", {"more.py": b""}))
    (folder / "requirements-uv.lock").write_text("uv==0.1 --hash=sha256:" + "0" * 64 + "\n")
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    if UV is not None:
        (programs / "uv").symlink_to(UV)
    (tmp_path / "uv.toml").write_text(f"[pip]\nno-index = true\nfind-links = ['{index}']\n")
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "UV_CONFIG_FILE": str(tmp_path / "uv.toml"),
    }
    # No Python of the machine's comes before the one that runs the tests.
    for name in ("python3.11", "python3.12", "python3.13"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    return Clone(folder, index, environment)


@pytest.fixture
def with_uv(clone: Clone) -> Clone:
    """The index has uv, and `requirements-uv.lock` names it."""
    assert UV is not None
    clone.remove_uv()
    lock = wheel(clone.index, "uv", "99.0", {"uv-99.0.data/scripts/uv": Path(UV).read_bytes()})
    (clone.folder / "requirements-uv.lock").write_text(lock)
    return clone


@needs_uv
def test_uv_comes_from_the_index_and_installs_the_rest(with_uv: Clone) -> None:
    said = with_uv("topics")
    assert "fetching uv" in said
    assert "ready after" in said
    assert (with_uv.venv / "bin" / "uv").is_file()
    installer = next(with_uv.venv.glob("lib/*/site-packages/gift-1.0.dist-info/INSTALLER"))
    assert installer.read_text().strip() == "uv"
    assert with_uv("topics") == ""


@needs_uv
def test_a_uv_on_the_path_is_taken(clone: Clone) -> None:
    assert "fetching uv" not in clone("topics")
    assert not list(clone.venv.glob("lib/*/site-packages/pip"))


@needs_uv
@pytest.mark.parametrize("home", ["/dev/null", "~"])
def test_without_a_home_that_can_be_written_nothing_is_left_elsewhere(clone: Clone, home: str) -> None:
    before = set(clone.folder.iterdir())
    assert "downloads go to a temporary folder" in clone("topics", HOME=home)
    installer = next(clone.venv.glob("lib/*/site-packages/gift-1.0.dist-info/INSTALLER"))
    assert installer.read_text().strip() == "uv"
    assert {path.name for path in set(clone.folder.iterdir()) - before} == {".lab", ".venv"}


def test_pip_does_it_where_the_index_has_no_uv(clone: Clone) -> None:
    clone.remove_uv()
    assert "ready after" in clone("topics")
    installer = next(clone.venv.glob("lib/*/site-packages/gift-1.0.dist-info/INSTALLER"))
    assert installer.read_text().strip() == "pip"


def test_what_tests_need_is_added_by_the_first_test(clone: Clone) -> None:
    clone("topics")
    assert not list(clone.venv.glob("lib/*/site-packages/more.py"))
    clone("test")
    assert list(clone.venv.glob("lib/*/site-packages/more.py"))
    assert clone("topics") == ""


def test_an_environment_whose_making_was_killed_is_made_again(clone: Clone) -> None:
    # What is on the PATH as uv leaves half a package behind, then the whole process group dies without a word.
    clone.put_on_the_path("uv", f'mkdir -p "{clone.venv}/half"\nkill -9 $PPID\nkill -9 0')
    process = clone.start("topics")
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert (clone.venv / "half").is_dir()
    clone.remove_uv()
    assert "ready after" in clone("topics")
    assert not (clone.venv / "half").exists()


def test_an_interrupted_installer_is_ended_and_the_next_start_completes_it(clone: Clone) -> None:
    started = clone.folder.parent / "started"
    os.mkfifo(started)
    clone.put_on_the_path("uv", f'echo $$ > "{started}"\nexec sleep 1000')
    process = clone.start("topics")
    pid = int(started.read_text())
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not Path(f"/proc/{pid}").exists()
    clone.remove_uv()
    clone("topics")


def test_two_at_once_make_one_environment(clone: Clone) -> None:
    processes = [clone.start("topics"), clone.start("topics")]
    said = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        assert out == "ran topics\n"
        said.append(err)
    assert sum("ready after" in text for text in said) == 1


def test_an_environment_of_a_python_that_is_gone_is_made_again(clone: Clone) -> None:
    clone("topics")
    for name in ("python", "python3"):
        (clone.venv / "bin" / name).unlink()
        (clone.venv / "bin" / name).symlink_to("/nowhere/python3")
    assert "ready after" in clone("topics")


@needs_uv
@pytest.mark.parametrize("on_the_path", [True, False])
def test_without_a_network_one_line_says_so(clone: Clone, on_the_path: bool) -> None:
    if not on_the_path:
        clone.remove_uv()
    closed = "http://127.0.0.1:9/simple"
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "UV_CONFIG_FILE"):
        del clone.environment[name]
    said = clone("topics", status=3, PIP_INDEX_URL=closed, UV_DEFAULT_INDEX=closed, UV_HTTP_RETRIES="0")
    errors = [line for line in said.splitlines() if not line.startswith(("Making", "  "))]
    assert len(errors) == 1, said
    assert "the package index cannot be reached" in errors[0]
    assert "127.0.0.1" not in said


def test_without_a_network_the_runtime_environment_goes_on_working(clone: Clone) -> None:
    clone("topics")
    clone.remove_uv()
    closed = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    assert "all commands but `test` work" in clone("test", status=3, **closed)
    assert clone("topics") == ""


def test_a_package_with_another_hash_is_not_installed(clone: Clone) -> None:
    wheel(clone.index, "gift", "1.0", {"gift.py": b"import os"})
    said = clone("topics", status=3)
    assert "differs from the one in the lock file" in said
    assert not list(clone.venv.glob("lib/*/site-packages/gift.py"))


def test_half_a_package_is_not_installed(clone: Clone) -> None:
    path = next(clone.index.glob("gift-*"))
    path.write_bytes(path.read_bytes()[:200])
    clone("topics", status=3)
    assert not list(clone.venv.glob("lib/*/site-packages/gift.py"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_named_and_the_next_start_completes_the_environment(clone: Clone) -> None:
    clone.remove_uv()
    disk = clone.folder.with_name("disk")
    disk.mkdir()
    mount = [MOUNT, "-t", "tmpfs", "-o", "size=6m", "none", disk]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        clone.folder = shutil.copytree(clone.folder, disk / "clone")
        assert "make room" in clone("topics", status=3)
        subprocess.run([MOUNT, "-o", "remount,size=200m", disk], check=True)
        clone("topics")
    finally:
        subprocess.run([UMOUNT, disk], check=True)


def test_a_python_that_is_too_old_is_named_with_the_fix(clone: Clone) -> None:
    (clone.folder.parent / "bin" / "python3").unlink()
    for name in ("python3", "python"):
        clone.put_on_the_path(name, "echo 3.9")
    said = clone("topics", status=3)
    assert said.splitlines()[0] == ("error: perflab needs Python 3.11, 3.12 or 3.13; python3 is 3.9, python is 3.9")
    assert "fix: install" in said


def test_what_pip_was_told_is_told_to_uv(tmp_path: Path) -> None:
    listed = "\n".join(
        [
            "global.index-url='https://one.example/simple'",
            ":env:.index-url='https://two.example/simple'",
            "install.cert='/etc/authority.pem'",
            f"global.find-links='\\n{tmp_path}\\n{tmp_path}/none'",
            "list.index-url='https://three.example/simple'",
        ]
    )
    assert uv_settings(listed) == {
        "UV_DEFAULT_INDEX": "https://two.example/simple",
        "SSL_CERT_FILE": "/etc/authority.pem",
        "UV_FIND_LINKS": str(tmp_path),
    }
