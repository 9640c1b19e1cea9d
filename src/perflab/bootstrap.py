"""Makes the lab's Python environment, `.venv`. The launcher runs this file by itself, with the standard library only.

    python -I src/perflab/bootstrap.py CHECKOUT LOCK

Packages are installed by uv: the one on the PATH, else one that pip fetches into the environment, hash-locked like
everything else; pip installs them where uv cannot be had. Only one process at a time works on an environment. One that
was left incomplete, because its process was interrupted or the disk was full, is removed and made again; packages that
had been downloaded are in the installer's cache.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import fcntl
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

UV_LOCK = "requirements-uv.lock"
INCOMPLETE = "incomplete"
"""A file in the environment from before its first package until after its last one."""

MISSING, DEFECT, INTERRUPTED = 3, 70, 130

_NO_NETWORK = re.compile(
    r"dns error|lookup address|name resolution|error sending request|Connection ?(?:refused|reset|aborted|error|broken)"
    r"|NewConnectionError|ConnectTimeout|ReadTimeout|timed out|unreachable|tunnel|proxy|certificate|Failed to fetch"
    r"|Could not connect|SSLError|IncompleteRead|ProtocolError",
    re.IGNORECASE,
)
_OTHER_HASH = re.compile(r"hash mismatch|do not match the hashes", re.IGNORECASE)
_DISK_FULL = re.compile(r"No space left|Disk quota|os error 28|Errno 28", re.IGNORECASE)
_PACKAGE = re.compile(r"^(\S+)==", re.MULTILINE)
_ONE_PACKAGE = re.compile(r"\s*(Downloading|Downloaded|Collecting|Building|Built|Using cached) ")
_STEP = re.compile(r"\s*(Resolved|Prepared|Installed|Installing) ")
_NO_INDEX = re.compile(r"^(?:global|install|:env:)\.no-index='(?:1|true|yes|on)'$", re.IGNORECASE | re.MULTILINE)
_LEAST_BYTES = 4 << 20
_LOG_LINES_SHOWN = 12


class FailedError(Exception):
    """The environment cannot be made.

    Args:
        message: What is wrong, in one line.
        hint: What to do about it; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InstallError(Exception):
    """An installer has failed; `log` is what it said."""

    def __init__(self, log: str) -> None:
        super().__init__(log)
        self.log = log


class SetupDisplay:
    """Progress on standard error: a line that changes in a terminal, one line a step elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._open = False

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._write(f"{text}\n", is_open=False)

    def update(self, text: str, *, step: bool) -> None:
        """Show what is being done; `step` says whether it is worth a line where lines cannot change."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"  {text}"[:width], is_open=True)
        elif step:
            self.say(f"  {text}")

    def _write(self, text: str, *, is_open: bool) -> None:
        sys.stderr.write(("\r\033[K" if self._open else "") + text)
        sys.stderr.flush()
        self._open = is_open


class Environment:
    """The environment of a checkout.

    Args:
        root: The checkout.
        lock: The name of the lock file that is to be installed.
    """

    def __init__(self, root: Path, lock: str) -> None:
        self.root = root
        self.lock = root / lock
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.display = SetupDisplay()
        self._inherited: tuple[int, ...] = ()

    def make(self) -> None:
        """Make it, unless it is there and complete.

        Raises:
            FailedError: If it cannot be made.
        """
        (self.root / ".lab").mkdir(exist_ok=True)
        with (self.root / ".lab" / "environment.lock").open("w") as guard:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.display.say("Waiting for another ./lab that is making the Python environment ...")
                fcntl.flock(guard, fcntl.LOCK_EX)
            # Installers hold the lock as well: one that outlives this process is waited for.
            self._inherited = (guard.fileno(),)
            if not self._is_current():
                self._make()

    def _is_current(self) -> bool:
        try:
            return self._stamp(self.lock).read_bytes() == self.lock.read_bytes() and self._runs()
        except OSError:
            return False

    def _stamp(self, lock: Path) -> Path:
        return self.folder / f"{lock.name}.stamp"

    def _runs(self) -> bool:
        try:
            return subprocess.run([self.python, "-I", "-c", ""], capture_output=True, check=False).returncode == 0
        except OSError:
            return False

    def _make(self) -> None:
        began = time.monotonic()
        self.display.say("Making the Python environment in .venv (once, about half a minute) ...")
        marker = self.folder / INCOMPLETE
        if self.folder.is_symlink():
            self.folder.unlink()
        elif self.folder.exists() and (marker.exists() or not self._runs()):
            shutil.rmtree(self.folder)
        self.folder.mkdir(exist_ok=True)
        marker.touch()
        self._install()
        # What tests need includes all that running needs.
        for lock in {self.lock, self.root / "requirements.lock"}:
            draft = self.folder / "stamp"
            shutil.copyfile(lock, draft)
            draft.replace(self._stamp(lock))
        marker.unlink()
        self.display.say(f"Python environment ready after {time.monotonic() - began:.0f} s.")

    def _install(self) -> None:
        """Try one installer after the other, until one succeeds or fails for a reason that all others share."""
        said = ""
        for install in (self._by_uv_on_the_path, self._by_uv, self._by_pip):
            try:
                if install():
                    return
            except InstallError as error:
                said = error.log
                if self._is_disk_full(said) or _OTHER_HASH.search(said):
                    break
                if _NO_NETWORK.search(said) and install != self._by_uv_on_the_path:
                    break
                self.display.update("trying another installer", step=True)
        raise self._failure(said)

    def _by_uv_on_the_path(self) -> bool:
        uv = shutil.which("uv")
        if uv is None:
            return False
        if not self._runs():
            self._run([sys.executable, "-I", "-m", "venv", "--without-pip", str(self.folder)])
        self._uv_install(uv, os.environ)
        return True

    def _by_uv(self) -> bool:
        self._provide_pip()
        uv = self.folder / "bin" / "uv"
        if not uv.is_file():
            self.display.update("fetching uv, the installer", step=True)
            try:
                self._run(self._pip("install", "--quiet", "--only-binary=:all:", self.root / UV_LOCK))
            except InstallError as error:
                if _NO_NETWORK.search(error.log):
                    raise
                return False  # no wheel for this machine
        settings = self._pip_settings()
        options = ["--system-certs", *(["--no-index"] if _NO_INDEX.search(settings) else [])]
        self._uv_install(str(uv), {**uv_settings(settings), **os.environ}, options)
        return True

    def _by_pip(self) -> bool:
        self._provide_pip()
        self._run(self._pip("install", "--progress-bar=off", self.lock))
        return True

    def _provide_pip(self) -> None:
        if (self.folder / "bin" / "pip").is_file() and self._runs():
            return
        if importlib.util.find_spec("ensurepip") is None:
            raise FailedError("Python's venv module is not complete", "Debian: apt install python3-venv")
        self._run([sys.executable, "-I", "-m", "venv", str(self.folder)])

    def _pip(self, command: str, *options: str | Path) -> list[str]:
        *flags, lock = map(str, options)
        common = ["--disable-pip-version-check", "--no-compile", "--retries=1", "--require-hashes"]
        return [str(self.python), "-P", "-m", "pip", command, *flags, *common, "-r", lock]

    def _pip_settings(self) -> str:
        command = [str(self.python), "-P", "-m", "pip", "config", "list"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def _uv_install(self, uv: str, environment: Mapping[str, str], options: Sequence[str] = ()) -> None:
        command = [uv, "pip", "install", *options, "--require-hashes"]
        command += ["--python", str(self.python), "-r", str(self.lock)]
        environment = {**environment, "UV_PYTHON_DOWNLOADS": "never", "NO_COLOR": "1"}
        if not _cache_is_writable(environment):
            self.display.say("  your home cannot be written: downloads go to a temporary folder")
            environment["UV_NO_CACHE"] = "1"
        self._run(command, environment)

    def _run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Run an installer and show what it is doing.

        Raises:
            InstallError: If it fails.
        """
        tail: deque[str] = deque(maxlen=200)
        with _start(command, environment, self._inherited) as process:
            for line in process.stdout or ():
                tail.append(line.rstrip())
                if _ONE_PACKAGE.match(line) or _STEP.match(line):
                    self.display.update(line.strip(), step=_STEP.match(line) is not None)
            process.wait()
        if process.returncode != 0:
            raise InstallError("\n".join(tail))

    def _failure(self, said: str) -> FailedError:
        packages = len(_PACKAGE.findall(self.lock.read_text(encoding="utf-8")))
        what = f"the {packages} Python packages in {self.lock.name}"
        if self._is_disk_full(said):
            return FailedError(f"{what} do not fit on the disk", f"make room in {self.folder}, then start again")
        if _OTHER_HASH.search(said):
            return FailedError(
                "a package differs from the one in the lock file, and was not installed",
                "try again from another network; the installer's cache may be damaged, too",
            )
        if _NO_NETWORK.search(said):
            return FailedError(
                f"{what} could not be fetched: the package index cannot be reached; {self._without_them()}"
            )
        tail = "\n".join(said.splitlines()[-_LOG_LINES_SHOWN:])
        return FailedError(f"{what} could not be installed:\n{tail}", "start again; the lines above say what failed")

    def _is_disk_full(self, said: str) -> bool:
        # Not every installer names the reason.
        return _DISK_FULL.search(said) is not None or shutil.disk_usage(self.folder).free < _LEAST_BYTES

    def _without_them(self) -> str:
        other = self.root / "requirements.lock"
        if self.lock != other and self._stamp(other).is_file():
            return "all commands but `test` work without them"
        return "until then only the documentation and the committed notebooks can be read"


@contextlib.contextmanager
def _start(
    command: Sequence[str], environment: Mapping[str, str] | None, inherited: tuple[int, ...]
) -> Iterator[subprocess.Popen[str]]:
    """A process whose output is read, and which has ended when the context is left."""
    interrupts: list[int] = []
    # An interrupt while the process starts must not lose it.
    former = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    process: subprocess.Popen[str] | None = None
    try:
        process = subprocess.Popen(
            command,
            cwd="/",  # not the user's folder, nor one in it: uv would read the settings there
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=inherited,
        )
        signal.signal(signal.SIGINT, former)
        if interrupts:
            raise KeyboardInterrupt
        yield process
    finally:
        signal.signal(signal.SIGINT, former)
        if process is not None:
            if process.poll() is None:
                process.kill()
            process.communicate()


def _cache_is_writable(environment: Mapping[str, str]) -> bool:
    """Whether uv can keep what it downloads; without a home it would do so in the current folder."""
    if environment.get("UV_CACHE_DIR") or environment.get("XDG_CACHE_HOME"):
        return True
    folder = Path(os.path.expanduser("~/.cache"))  # noqa: PTH111 - Path.home() raises where there is none
    there = next((one for one in (folder, *folder.parents) if os.path.exists(one)), folder)  # noqa: PTH110 - never raises
    return folder.is_absolute() and there.is_dir() and os.access(there, os.W_OK)


def uv_settings(listed: str) -> dict[str, str]:
    """Variables that tell uv what pip has been told: uv does not read pip's configuration.

    Args:
        listed: The output of `pip config list`.
    """
    settings: dict[str, str] = {}
    # A value from the environment comes before one for `install`, and that before one for all commands.
    order = {"global": 0, "install": 1, ":env:": 2}
    for section, name, value in sorted(_settings(listed), key=lambda setting: order.get(setting[0], -1)):
        settings |= {name: value} if section in order else {}
    names = {
        "index-url": "UV_DEFAULT_INDEX",
        "extra-index-url": "UV_INDEX",
        "cert": "SSL_CERT_FILE",
        "trusted-host": "UV_INSECURE_HOST",
        "timeout": "UV_HTTP_TIMEOUT",
        "default-timeout": "UV_HTTP_TIMEOUT",
        "proxy": "ALL_PROXY",
    }
    found = {variable: " ".join(settings[name].split()) for name, variable in names.items() if name in settings}
    # pip ignores folders that do not exist, uv refuses them.
    links = [link for link in settings.get("find-links", "").split() if "://" in link or Path(link).is_dir()]
    if links:
        found["UV_FIND_LINKS"] = " ".join(links)
    return found


def _settings(listed: str) -> Iterator[tuple[str, str, str]]:
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        try:
            yield section, name, str(ast.literal_eval(value))
        except (SyntaxError, ValueError):
            continue


def main(arguments: list[str]) -> int:
    """Make the environment.

    Returns:
        The exit status: 3 if it cannot be made, 70 because of a defect here, 130 if that was interrupted.
    """
    root, lock = arguments
    environment = Environment(Path(root), lock)
    try:
        environment.make()
    except FailedError as error:
        environment.display.say(f"error: {error}" + (f"\n  fix: {error.hint}" if error.hint else ""))
        return MISSING
    except KeyboardInterrupt:
        environment.display.say("interrupted: the next ./lab makes the environment again, from what was downloaded")
        return INTERRUPTED
    except OSError as error:
        what, fix = "the Python environment cannot be made", f"make {root} writable"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            fix = f"make room in {root}"
        elif error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            what = f"the checkout {root} has no Python environment yet, and cannot be written"
            fix = "copy it to a folder of yours, or make it writable"
        environment.display.say(f"error: {what}: {error.strerror}\n  fix: {fix}")
        return MISSING
    except Exception:  # noqa: BLE001 - a status of 1 would say that a result fell short
        environment.display.say(traceback.format_exc())
        return DEFECT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
