"""What a profile of another harness's benchmark shows: what the benchmark does, and neither set-up nor the harness."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from googlebenchmark import compiled
from labs import ROOT, Lab

from perflab.bench.catch2 import Catch2
from perflab.bench.gbench import GoogleBenchmark
from perflab.bench.jmh import Jmh
from perflab.host.jdk import find_jdk
from perflab.model.lab import user_cache
from perflab.profile.asyncprofiler import provide
from perflab.profile.dotnet import unavailable_reason
from perflab.profile.profile import HARNESS_LOOP, Profile, of_benchmark
from perflab.store.records import find_profiles, profile_folder

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.bench.interface import Harness

JMH = ("java.lang.Thread.run", "org.openjdk.jmh.runner.BenchmarkHandler$BenchmarkTask.call")
STUB = ("p.jmh_generated.B_get_jmhTest.get_AverageTime", "p.jmh_generated.B_get_jmhTest.get_avgt_jmhStub")
GBENCH = ("main", "benchmark::RunSpecifiedBenchmarks()", "benchmark::internal::BenchmarkRunner::DoOneRepetition()")
CATCH = ("main", "Catch::Session::run()", "CATCH2_INTERNAL_TEST_0()")


@pytest.mark.parametrize(
    ("harness", "stack", "kept"),
    [
        (Jmh(), (*JMH, *STUB, "p.B.get", "java.util.HashMap.get"), ("p.B.get", "java.util.HashMap.get")),
        (Jmh(), (*JMH, *STUB), (HARNESS_LOOP,)),
        (Jmh(), (*JMH, *STUB, "org.openjdk.jmh.infra.Blackhole.consume"), (HARNESS_LOOP,)),
        (Jmh(), (*JMH, STUB[0], "p.B.setUp"), None),
        (Jmh(), ("java.lang.Thread.run", "p.Background.run"), ("java.lang.Thread.run", "p.Background.run")),
        (
            GoogleBenchmark(),
            (*GBENCH, "benchmark::internal::FunctionBenchmark::Run()", "Get", "benchmark::internal::Use"),
            ("Get", "benchmark::internal::Use"),
        ),
        (GoogleBenchmark(), (*GBENCH[:2], "/usr/lib/libbenchmark.so.1.7.1", "Get"), ("Get",)),
        (Catch2(), (*CATCH, "Catch::Benchmark::Benchmark::run()", "get()"), ("get()",)),
        (Catch2(), (*CATCH, "fill()"), None),
    ],
)
def test_a_stack_begins_with_what_the_harness_calls(
    harness: Harness, stack: tuple[str, ...], kept: tuple[str, ...] | None
) -> None:
    found = of_benchmark({stack: 3.0}, harness.own_frames, harness.calling_frames)
    assert found == ({kept: 3.0} if kept else {})


def test_stacks_that_begin_alike_then_are_one() -> None:
    stacks: dict[tuple[str, ...], float] = {("a", "Harness::run", "get"): 1.0, ("b", "Harness::run", "get"): 2.0}
    assert of_benchmark(stacks, "Harness::", "Harness::") == {("get",): 3.0}


def profiled(lab: Lab, *arguments: str, **environment: str) -> Profile:
    lab("bench", *arguments, "--profile", "cpu", **environment)
    return the_profile(lab)


def the_profile(lab: Lab) -> Profile:
    (record,) = find_profiles(lab.results)
    return Profile.load(profile_folder(record.id, lab.results))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, XDG_CACHE_HOME=str(user_cache().parent))


CPP = """
#include <benchmark/benchmark.h>
#include <chrono>
__attribute__((noinline)) void SetUp() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) {}
}
__attribute__((noinline)) void Work() {
  for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(i);
}
static void Late(benchmark::State& state) {
  SetUp();
  for (auto _ : state) Work();
}
BENCHMARK(Late);
BENCHMARK_MAIN();
"""


def test_a_program_without_names_has_no_loop_to_be_told_of(tmp_path: Path) -> None:
    (tmp_path / "stripped").write_bytes(b"\x7fELF")
    assert GoogleBenchmark().timed_between(str(tmp_path / "stripped")) is None
    assert GoogleBenchmark().timed_between(str(tmp_path / "gone")) is None


@pytest.mark.build
def test_of_google_benchmark_what_the_loop_over_its_state_calls(lab: Lab, tmp_path: Path) -> None:
    provide()  # or skip
    compiled(CPP, tmp_path)
    lab.place = tmp_path
    lab("init")
    lab("bench", "--gbench", "./bench", "Late", "--save", "late")
    lab.place = tmp_path / "within"
    lab.place.mkdir()
    lab("profile", "late", "--variant", "Late", "--mode", "cpu")
    found = the_profile(lab)
    frames = {frame for stack in found.stacks for frame in stack}
    assert not any("SetUp" in frame for frame in frames)
    assert not any(frame == "main" or "RunSpecified" in frame for frame in frames)
    assert found.operations
    assert any(stack[0].startswith("Late") and stack[1].startswith("Work") for stack in found.stacks if stack[1:])


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>perflab</groupId><artifactId>perflab</artifactId><version>0.1.0</version>
    <relativePath>{parent}</relativePath></parent>
  <artifactId>late</artifactId>
  <dependencies><dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId></dependency></dependencies>
  <build>
    <finalName>late</finalName>
    <plugins>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <configuration><annotationProcessorPaths><path>
          <groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId>
          <version>${{jmh.version}}</version>
        </path></annotationProcessorPaths></configuration>
      </plugin>
      <plugin>
        <artifactId>maven-jar-plugin</artifactId>
        <configuration><archive><manifest>
          <mainClass>org.openjdk.jmh.Main</mainClass><addClasspath>true</addClasspath>
          <classpathPrefix>${{settings.localRepository}}</classpathPrefix>
          <classpathLayoutType>repository</classpathLayoutType>
        </manifest></archive></configuration>
      </plugin>
    </plugins>
  </build>
</project>
"""
JAVA = """
package late;

import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
public class Late {
    @Param({"8", "1000"})
    int size;

    private double data;

    @Setup(Level.Trial)
    public void setUp() {
        long end = System.nanoTime() + 300_000_000L;
        while (System.nanoTime() < end) data++;
    }

    @Benchmark
    public double get() {
        double sum = 0;
        for (int i = 0; i < size; i++) sum += Math.sqrt(data + i);
        return sum;
    }
}
"""


@pytest.mark.build
def test_of_jmh_what_its_measured_iterations_call(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        pytest.skip("no Maven")
    jdk = find_jdk(21)
    for name, value in {"JAVA_HOME": str(jdk.home), "PATH": f"{jdk.home}/bin:{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "pom.xml").write_text(POM.format(parent=os.path.relpath(ROOT / "pom.xml", tmp_path)))
    source = tmp_path / "src" / "main" / "java" / "late" / "Late.java"
    source.parent.mkdir(parents=True)
    source.write_text(JAVA)
    build = [maven, "-q", "-B", "-Dmaven.test.skip", "package"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    jar = os.fspath(tmp_path / "target" / "late.jar")
    assert Jmh().benchmarks(jar) == ["late.Late.get/size=8", "late.Late.get/size=1000"]
    found = profiled(lab, "--jmh", jar, "get/size=1000", JAVA_HOME=str(jdk.home), PATH=os.environ["PATH"])
    calls = sum(weight for stack, weight in found.stacks.items() if stack[0] == "late.Late.get")
    assert calls > 0.5 * found.total
    assert not any("setUp" in frame or ".jmh." in frame for stack in found.stacks for frame in stack)
    assert found.operations


CSHARP = """
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static readonly double Data = SetUp();
[MethodImpl(MethodImplOptions.NoInlining)]
static double SetUp()
{
    double n = 0;
    for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 300;) n++;
    return n;
}
static double Late()
{
    double sum = 0;
    for (int i = 0; i < 1000; i++) sum += Math.Sqrt(Data + i);
    return sum;
}
"""


@pytest.mark.build
@pytest.mark.skipif(bool(unavailable_reason("cpu")), reason="no perf")
def test_of_functions_in_csharp_their_samples(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "late.cs").write_text(CSHARP)
    found = profiled(lab, "Late", "--functions", os.fspath(tmp_path / "late.cs"))
    calls = sum(weight for stack, weight in found.stacks.items() if "Functions.Late" in stack)
    assert calls > 0.5 * found.total
    assert not any("SetUp" in frame for stack in found.stacks for frame in stack)
    assert found.operations
