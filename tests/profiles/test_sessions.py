from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.profile import asyncprofiler as library
from perflab.profile import asyncprofiler as session
from perflab.profile import counters as perf_events
from perflab.profile.asyncprofiler import collect, native_session, sessions
from perflab.profile.profile import MODES

LIBRARY = Path("lib.so")


def agent(environment: dict[str, str]) -> str:
    return next(word for word in shlex.split(environment["JAVA_TOOL_OPTIONS"]) if word.startswith("-agentpath:"))


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_said_on_standard_output_which_belongs_to_the_protocol(mode: str, tmp_path: Path) -> None:
    (found,) = sessions(mode, LIBRARY, tmp_path, {})  # type: ignore[arg-type]
    assert f"log={tmp_path}/threads/profiler.log" in agent(dict(found.environment))
    assert "log=" in native_session(mode, LIBRARY, tmp_path, {}).environment["ASPROF_COMMAND"]  # type: ignore[arg-type]


def test_the_users_own_options_are_kept(tmp_path: Path) -> None:
    (found,) = sessions("cpu", LIBRARY, tmp_path, {"JAVA_TOOL_OPTIONS": "-Xmx1g"})
    assert found.environment["JAVA_TOOL_OPTIONS"].startswith("-Xmx1g ")
    native = native_session("cpu", LIBRARY, tmp_path, {"LD_PRELOAD": "other.so"})
    assert native.environment["LD_PRELOAD"] == "lib.so other.so"


def test_a_library_in_a_folder_with_a_space_is_loaded_into_a_native_program(tmp_path: Path) -> None:
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    any_library = re.search(r"/\S+/lib(?:m|z|dl)\.so\S*", maps)
    assert any_library is not None
    place = tmp_path / "my place" / "any.so"
    place.parent.mkdir()
    shutil.copy(any_library[0], place)
    found = native_session("cpu", place, tmp_path / "stacks", {"LD_LIBRARY_PATH": "/nowhere"})
    loaded = subprocess.run(
        ["/bin/cat", "/proc/self/maps"], env=dict(found.environment), capture_output=True, check=True
    )
    assert str(place).encode() in loaded.stdout
    assert not loaded.stderr
    with pytest.raises(UsageError, match="a colon"):
        native_session("cpu", tmp_path / "a:b" / "any.so", tmp_path / "stacks", {})


def test_a_folder_with_a_space_is_one_option(tmp_path: Path) -> None:
    (found,) = sessions("cpu", LIBRARY, tmp_path / "my profiles", {})
    assert "my profiles/threads/%p.collapsed" in agent(dict(found.environment))


def test_a_folder_that_the_profilers_options_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no comma"):
        sessions("cpu", LIBRARY, tmp_path / "a,b", {})


def test_an_unknown_mode_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cpu, wall, lock, alloc"):
        sessions("io", LIBRARY, tmp_path, {})  # type: ignore[arg-type]


@pytest.mark.parametrize(("mode", "passes"), [("cpu", 1), ("wall", 2), ("lock", 2), ("alloc", 1)])
def test_parked_virtual_threads_are_a_second_pass_where_waiting_counts(mode: str, passes: int, tmp_path: Path) -> None:
    found = sessions(mode, LIBRARY, tmp_path, {}, virtual_threads=True)  # type: ignore[arg-type]
    assert len(found) == passes
    assert len({one.folder for one in found}) == passes
    assert [one.parks for one in found] == [False, True][:passes]


@pytest.mark.parametrize(
    ("allowed", "event"), [(True, "event=cpu,interval=1000000,"), (False, "event=ctimer,interval=10000000,")]
)
def test_a_timer_that_the_kernel_can_keep_is_used_where_perf_events_are_not_allowed(
    allowed: bool, event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "perf_events_allowed", lambda: allowed)
    (found,) = sessions("cpu", LIBRARY, tmp_path, {})
    assert event in agent(dict(found.environment))
    (found.folder / "1.collapsed").write_text("a 3\n")
    assert collect(found).total == (3e6 if allowed else 3e7)
    assert bool(collect(found).notes) == (not allowed)


@pytest.mark.parametrize("errno", [1, 13, 38])
def test_perf_events_are_not_allowed_where_the_system_call_fails(errno: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def syscall(self, *_: object) -> int:
            perf_events.ctypes.set_errno(errno)
            return -1

    monkeypatch.setattr(perf_events.ctypes, "CDLL", Refusing)
    assert not perf_events.perf_events_allowed()


def test_samples_become_nanoseconds_and_processes_one_profile(tmp_path: Path) -> None:
    (found,) = sessions("cpu", LIBRARY, tmp_path, {})
    (found.folder / "17.collapsed").write_text("java/lang/Thread.run;A.work 3\n")
    (found.folder / "18.collapsed").write_text("java/lang/Thread.run;A.work_[j] 2\n")
    profile = collect(found, "linked", operations=10)
    assert profile.stacks == {("java.lang.Thread.run", "A.work"): 5 * found.scale}
    assert (profile.unit, profile.title, profile.operations) == ("ns", "linked", 10)
    assert "2 processes together" in profile.notes


def test_idle_threads_of_the_runtime_become_a_counter(tmp_path: Path) -> None:
    (found,) = sessions("wall", LIBRARY, tmp_path, {})
    worker = "clone3;start_thread;thread_native_entry;Thread::call_run;WorkerThread::run"
    idle = f"{worker};PosixSemaphore::wait;__new_sem_wait_slow64"
    busy = f"{worker};G1ParTask::work"
    (found.folder / "1.collapsed").write_text(f"{idle} 10\n{busy} 4\nA.main;A.nap;__nanosleep 2\n")
    profile = collect(found)
    assert profile.total == 6 * session.WALL_INTERVAL_NS
    assert profile.counters == {"runtime_threads_idle_ns": 10 * session.WALL_INTERVAL_NS}


def test_a_park_is_contention_only_on_the_way_to_a_lock(tmp_path: Path) -> None:
    _, found = sessions("lock", LIBRARY, tmp_path, {}, virtual_threads=True)
    acquire = "java/util/concurrent/locks/AbstractQueuedSynchronizer.acquire"
    condition = "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.await"
    park = "java/util/concurrent/locks/LockSupport.park;java/lang/VirtualThread.park"
    (found.folder / "1.collapsed").write_text(
        f"cont_returnBarrier;A.put;java/util/concurrent/locks/ReentrantLock$Sync.lock;{acquire};{park} 5\n"
        f"cont_returnBarrier;A.take;{condition};{park} 7\n"
        f"cont_returnBarrier;A.get;java/util/concurrent/CountDownLatch.await;{acquire};{park} 11\n"
        "java/util/concurrent/ForkJoinWorkerThread.run;java/lang/VirtualThread.parkTimeoutExpired 13\n"
    )
    assert [stack[1] for stack in collect(found).stacks] == ["A.put"]


def test_what_an_earlier_run_left_is_not_counted_again(tmp_path: Path) -> None:
    (earlier,) = sessions("cpu", LIBRARY, tmp_path, {})
    (earlier.folder / "16.collapsed").write_text("A.work 100\n")
    earlier.log.write_text("[WARN] old\n")
    (found,) = sessions("cpu", LIBRARY, tmp_path, {})
    (found.folder / "17.collapsed").write_text("A.work 3\n")
    assert collect(found).total == 3 * found.scale
    assert not any("old" in note for note in collect(found).notes)


def test_a_profiler_that_did_not_start_is_quoted(tmp_path: Path) -> None:
    (found,) = sessions("cpu", LIBRARY, tmp_path, {})
    found.log.write_text("[ERROR] No access to perf events\n")
    with pytest.raises(BenchError, match="No access to perf events"):
        collect(found)


def test_a_warning_of_the_profiler_reaches_the_reader(tmp_path: Path) -> None:
    (found,) = sessions("cpu", LIBRARY, tmp_path, {})
    found.log.write_text("[WARN] Kernel symbols are unavailable\n")
    (found.folder / "1.collapsed").write_text("a 1\n")
    assert any("Kernel symbols" in note for note in collect(found).notes)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(library, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_without_maven_the_missing_profiler_names_the_fix(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(empty_cache))
    with pytest.raises(MissingError, match="apt install maven"):
        library.provide()


def test_an_artifact_of_another_content_is_never_unpacked(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = tmp_path / "async-profiler.jar"
    forged.write_bytes(b"PK")
    monkeypatch.setattr(library, "_fetch", lambda _: forged)
    with pytest.raises(BenchError, match="SHA-256"):
        library.provide()
    assert library.find() is None
    assert [path.name for path in empty_cache.rglob("*") if path.is_file()] == ["fetching.lock"]


def test_a_machine_without_a_library_is_told_so(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.platform, "machine", lambda: "s390x")
    with pytest.raises(MissingError, match="s390x"):
        library.provide()
    assert not empty_cache.exists()
