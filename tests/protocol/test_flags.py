"""Which flags of a runtime are recorded."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from perflab.model.protocol import Runtime, read_description

REFERENCE = sorted((Path(__file__).parents[2] / "datasets" / "reference" / "runs").glob("*/run.json"))


@pytest.mark.parametrize(
    "flag",
    [
        "-Xmx1g",
        "-XX:+UseG1GC",
        "-XX:SharedArchiveFile=target/queues-bench.jsa",
        "-Xlog:all=error:stderr",
        "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
        "--enable-preview",
        "-Djdk.virtualThreadScheduler.parallelism=2",
        "DOTNET_TieredPGO=0",
        "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit=0x46",
        "gc=server",
        "TOKIO_WORKER_THREADS=4",
        "glibc 2.36",
        "-march=native",
    ],
)
def test_what_changes_a_measurement_is_kept(flag: str) -> None:
    assert Runtime("r", "1", [flag]).flags == [flag]


@pytest.mark.parametrize(
    "flag",
    [
        "-Dhttp.proxyPassword=secret",
        "-javaagent:/home/me/agent.jar=secret",
        "-agentpath:/home/me/lib.so",
        "-Xlog:gc:file=/home/me/gc.log",
        "-Xbootclasspath/a:/home/me/x.jar",
        "-XX:OnError=secret",
        "-XX:HeapDumpPath=/home/me",
        "-Djdk.virtualThreadScheduler.parallelism=secret",
        "DOTNET_TieredPGO=secret",
        "DOTNET_foo=1",
        "DOTNET_ROOT=/home/me/dotnet",
        "-Xmx1g\n-Dsecret=1",
        "-XX:MaxRAM=" + "1" * 1_000,
        "secret",
        "",
    ],
)
def test_what_may_hold_anything_is_not(flag: str) -> None:
    assert Runtime("r", "1", ["-Xmx1g", flag]).flags == ["-Xmx1g"]


def test_paths_are_left_out_and_what_is_recorded_is_bounded() -> None:
    runtime = Runtime("/home/me/bin/java", "21 (/opt/me/x) 1/2", ["-XX:AOTCache=/home/me/x.aot"] * 1_000)
    assert (runtime.name, runtime.version) == ("java", "21 (x) 1/2")
    assert runtime.flags == ["-XX:AOTCache=x.aot"] * 100
    assert len(Runtime("n" * 10_000, "1").name) == 200


def test_it_holds_for_what_a_program_says_of_itself() -> None:
    said = {"protocol": 1, "component": "c", "scenarios": [], "variants": []}
    runtime = {"name": "JVM", "version": "21", "flags": ["-Xint", "-Dx=secret"]}
    assert read_description(msgspec.json.encode({**said, "runtime": runtime})).runtime.flags == ["-Xint"]


def test_the_flags_of_the_reference_runs_are_known() -> None:
    left_out = set()
    for path in REFERENCE:
        raw = msgspec.json.decode(path.read_bytes())["runtime"]
        kept = msgspec.convert(raw, Runtime)
        assert (kept.name, kept.version) == (raw["name"], raw["version"])
        left_out |= set(raw.get("flags", [])) - set(kept.flags)
    assert left_out <= {"DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1"}
