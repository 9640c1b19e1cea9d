"""Runs the lab as the first command on a minimal Debian: `python tests/bare/root.py test|reproduce|COMMAND...`.

The distribution's own packages make a root in a temporary folder: Python, git and a C++ compiler, which is what the
topic `sequencer` asks for; no JDK, no Rust, no .NET. The last commit of this checkout is cloned into it, with empty
caches and an empty home. The package client of this machine is taken as it is set up: its configuration, variables and
certificates. The root is removed at the end.

The status is that of the command; 77 if this machine cannot make a root, with the reason.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = ("python3", "python3-venv", "git", "ca-certificates", "g++")
COMMANDS = {"test": ["./lab", "test"], "reproduce": ["./lab", "reproduce", "--quick"]}
SKIPPED = 77
MOUNT, UMOUNT = "/bin/mount", "/bin/umount"
PLACE = "/srv/perflab"

# What the clients of package registries and TLS libraries read.
_CLIENT_VARIABLE = re.compile(r"(PIP|UV)_.*|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|\w+_CA_BUNDLE", re.IGNORECASE)
_CLIENT_FILES = ("/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt")


class SkipError(Exception):
    """A root cannot be made on this machine."""


def main(arguments: list[str]) -> int:
    """Run it; return the command's status, or that of a skip."""
    command = COMMANDS.get(" ".join(arguments)) or ["./lab", *arguments]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        _check()
        with tempfile.TemporaryDirectory(prefix="perflab-root-") as folder, _root(Path(folder) / "root") as root:
            _clone(root)
            return _run(root, command)
    except SkipError as reason:
        _say(f"skipped: {reason}")
        return SKIPPED


def _check() -> None:
    if os.geteuid() != 0:
        raise SkipError("only root may make a root; run it as root")
    for program in ("debootstrap", "apt-get", "chroot"):
        if shutil.which(program) is None:
            raise SkipError(f"there is no {program} on the PATH (Debian: apt install debootstrap)")


@contextlib.contextmanager
def _root(root: Path) -> Iterator[Path]:
    root.mkdir()
    began = time.monotonic()
    suite, mirror = _distribution()
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", suite, str(root), mirror]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise SkipError(f"debootstrap failed: {lines[-1] if lines else done.returncode}")
    _say(f"a root with {', '.join(PACKAGES)} after {time.monotonic() - began:.0f} s")
    with contextlib.ExitStack() as mounted:
        for kind, place in (("proc", "proc"), ("tmpfs", "dev/shm")):
            (root / place).mkdir(parents=True, exist_ok=True)
            subprocess.run([MOUNT, "-t", kind, "none", root / place], check=True)
            mounted.callback(subprocess.run, [UMOUNT, "--lazy", root / place], check=True)
        for file in _client_files():
            target = root / file.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(file, target)
        mounted.callback(_end_all_in, root)
        yield root


def _distribution() -> tuple[str, str]:
    """The suite and the mirror from which this machine has its own packages."""
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    suite = release.get("VERSION_CODENAME", "").strip('"')
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    mirror = next((line.split()[0] for line in said.splitlines() if line.split()[1:] == [suite]), None)
    if release.get("ID") != "debian" or mirror is None:
        raise SkipError("this machine is no Debian, or has no package lists (apt-get update)")
    return suite, mirror


def _client_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if _CLIENT_VARIABLE.fullmatch(name)}


def _client_files() -> Iterator[Path]:
    named = [value for value in _client_variables().values() if value.startswith("/")]
    for file in map(Path, dict.fromkeys([*_CLIENT_FILES, *named])):
        if file.is_file():
            yield file


def _clone(root: Path) -> None:
    command = ["git", "clone", "--quiet", "--no-hardlinks", str(CHECKOUT), str(root / PLACE.lstrip("/"))]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _run(root: Path, command: list[str]) -> int:
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        **_client_variables(),
    }
    began = time.monotonic()
    enter = ["chroot", str(root), "sh", "-c", f'cd {PLACE} && exec "$@"', "sh", *command]
    # An interrupt kills it; what the lab has started ends with it.
    done = subprocess.run(enter, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
    _say(f"{' '.join(command)}: status {done.returncode} after {time.monotonic() - began:.0f} s")
    return done.returncode


def _end_all_in(root: Path) -> None:
    """End what still runs in the root; a test of its own says whether there may be any."""
    time.sleep(1)  # the lab's watcher sees that all have ended a moment after the lab itself
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and (folder / "root").readlink() == root:
                _say(f"left behind: {(folder / 'cmdline').read_bytes().replace(bytes(1), b' ').decode()}")
                os.kill(int(folder.name), signal.SIGKILL)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
