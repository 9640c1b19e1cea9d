"""JMH: saved output, lists of benchmarks in each of its formats, and real jars of the oldest and the newest version."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING
from zipfile import ZipFile

import msgspec
import pytest
from harnesses import SAVED, SMOKE, ended, real

from perflab.bench.jmh import Jmh
from perflab.model.errors import BenchError, LabError
from perflab.stats.metrics import fork_value

if TYPE_CHECKING:
    from pathlib import Path

UNUSED = "E " * 14
NEW = f"S 3 p.B S 9 generated S 3 all S 10 Throughput E A 1 1 1 {UNUSED[2:]}M 2 "
LISTS = {
    # The value "mutation" can be taken for an encoded one.
    "1.11": [
        "p.B.all===,===p.generated.B===,===Throughput===,===1====,==="
        + "[]===,===" * 13
        + "[a===SEP-K===a,b===SEP-V==="
        "x/n=1===SEP-V======EMPTY-VAL======SEP-V======PAIR-SEP===n===SEP-K===mutation===SEP-V===2===SEP-V======PAIR-SEP===]"
        + "===,===[]"
        * 3
    ],
    "1.21": [f"JMH {NEW}1 a 3 3 a,b 5 x/n=1 0  1 n 2 8 mutation 1 2 E E E "],
    "1.37": [f"JMH {NEW}1 a 3 8 hBALAIGA 16 4BwLA4GA9AQMAA== 0  1 n 2 24 tBQdAQHAhBAdAkGAvBgbAA== 8 yAA===== E E E "],
}
SHOT = "JMH S 3 p.B S 9 generated S 3 one S 14 SingleShotTime E A 1 1 1 " + UNUSED


def jar(folder: Path, *lines: str, version: str = "1.37") -> str:
    file = folder / "b.jar"
    with ZipFile(file, "w") as opened, ZipFile(folder / "jmh core.jar", "w") as core:
        opened.writestr(
            "META-INF/MANIFEST.MF", "Main-Class: org.openjdk.jmh.Main\r\nClass-Path: gone.jar jmh%20c\r\n ore.jar\r\n"
        )
        opened.writestr("META-INF/BenchmarkList", "\n".join(lines))
        core.writestr("org/openjdk/jmh/Main.class", "")
        if version == "1.37":
            core.writestr("org/openjdk/jmh/util/lines/Armor.class", "")
    return str(file)


def test_iterations_of_jmh_are_samples() -> None:
    saved = (SAVED / "jmh-1.37.json").read_bytes()
    samples = Jmh().samples(ended(b"", saved), "p.B.old", SMOKE)
    assert [one.ns / one.ops for one in samples] == pytest.approx([679.2554853004756, 649.9273434591139])
    assert fork_value(samples, "counter:allocated/op") > 0
    older = saved.replace(b'"gc.alloc', '"\N{MIDDLE DOT}gc.alloc'.encode())
    assert Jmh().samples(ended(b"", older), "p.B.old", SMOKE) == samples
    (result,) = msgspec.json.decode(saved)
    result["primaryMetric"]["rawData"] = [["NaN"]]
    bad = {
        "wrote no result": b" ",
        "no JSON of JMH": saved[:-20],
        "gave 2 results": msgspec.json.encode([*msgspec.json.decode(saved) * 2]),
        "ops/s where": saved.replace(b"ns/op", b"ops/s"),
        "gives nan": msgspec.json.encode([result]),
    }
    for says, output in bad.items():
        with pytest.raises(BenchError, match=says):
            Jmh().samples(ended(b"", output), "p.B.old", SMOKE)


@pytest.mark.parametrize("version", LISTS)
def test_values_of_parameters_make_benchmarks(version: str, tmp_path: Path) -> None:
    harness = Jmh()
    target = jar(tmp_path, *LISTS[version], version=version)
    assert harness.benchmarks(target) == [f"p.B.all/a={a}/n={n}" for a in ("x/n=1", "") for n in ("mutation", "2")]
    assert harness.left_out == {"p.B.all/a=a,b": "JMH's -p takes a comma for the end of a value"}
    command = harness.command(target, "p.B.all/a=x/n=1/n=2", SMOKE)
    at = command.index(r"^p\.B\.all$")
    assert command[at + 1 : at + 5] == ["-p", "a=x/n=1", "-p", "n=2"]
    saved = msgspec.json.decode((SAVED / "jmh-1.37.json").read_bytes())
    for name, params, fits in (
        ("p.B.all", {"a": "x/n=1", "n": "2"}, True),
        ("p.B.all", {"a": "x", "n": "1"}, False),
        ("p.B.all", {}, False),
        ("p.B.other", {"a": "x/n=1", "n": "2"}, False),
    ):
        output = msgspec.json.encode([saved[0] | {"benchmark": name, "params": params}])
        if fits:
            assert harness.samples(ended(b"", output), "p.B.all/a=x/n=1/n=2", SMOKE)
            continue
        with pytest.raises(BenchError, match=f"JMH measured {name}.*, not p.B.all/a=x/n=1/n=2"):
            harness.samples(ended(b"", output), "p.B.all/a=x/n=1/n=2", SMOKE)


def test_benchmarks_of_jmh_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = "".join(f"3 p{number} 10 {'0  ' * 10}" for number in range(10, 40))
    assert len(Jmh().benchmarks(jar(tmp_path, f"JMH {NEW.replace('M 2', 'M 30')}{many}E E E "))) == 10_000
    harness = Jmh()
    assert harness.benchmarks(jar(tmp_path, f"JMH {NEW.replace('M 2', 'M 1')}1 n 0 E E E ")) == []
    assert harness.left_out == {"p.B.all": "its parameter n has no values"}
    with pytest.raises(BenchError, match="cannot read the list"):
        Jmh().benchmarks(jar(tmp_path, "JMH S 3"))
    (tmp_path / "jmh core.jar").unlink()
    monkeypatch.setattr("perflab.bench.jmh.lines_of", lambda _: ["Benchmarks:", "p.B.one"])
    assert Jmh().benchmarks(str(tmp_path / "b.jar")) == ["p.B.one"]


def test_single_shots_stay_single_shots(tmp_path: Path) -> None:
    harness = Jmh()
    target = jar(
        tmp_path, SHOT, SHOT.replace("3 one", "4 both"), SHOT.replace("3 one S 14 SingleShot", "4 both S 11 Average")
    )
    assert harness.benchmarks(target) == ["p.B.one", "p.B.both"]
    one, both = (harness.command(target, name, SMOKE) for name in ("p.B.one", "p.B.both"))
    assert one[one.index("-bm") + 1] == "ss"
    assert "-i" not in one
    assert both[both.index("-bm") + 1] == "avgt"
    (result,) = msgspec.json.decode((SAVED / "jmh-1.37.json").read_bytes())
    samples = harness.samples(ended(b"", msgspec.json.encode([result | {"mode": "ss"}])), "p.B.old", SMOKE)
    assert [(one.ops, one.ns) for one in samples] == [(1, pytest.approx(679.2554853)), (1, pytest.approx(649.92734346))]


def test_what_a_benchmark_of_jmh_counts_is_a_metric() -> None:
    (result,) = msgspec.json.decode((SAVED / "jmh-1.37.json").read_bytes())
    result["secondaryMetrics"] |= {
        name: {"scoreUnit": unit, "rawData": [figures]}
        for name, unit, figures in (
            ("hits", "ns/op", [2.0, 4.0]),
            ("sum", "#", [7.0, 9.0]),
            ("none", "ns/op", ["NaN", "+INF"]),
            ("once", "#", [1.0]),
            ("\N{MIDDLE DOT}stack", "---", ["NaN", "NaN"]),
            ("allocated", "#", [1.0, 1.0]),
        )
    }
    harness = Jmh()
    samples = harness.samples(ended(b"", msgspec.json.encode([result])), "p.B.old", SMOKE)
    assert {name: (one.unit, one.better) for name, one in harness.reports.items()} == {
        "hits": ("ns/op", "lower"),
        "sum": ("#", None),
        "none": ("ns/op", "lower"),
    }
    assert {*samples[0].counters} == {"allocated", "hits", "sum"}
    assert fork_value(samples, harness.reports["hits"].of) == pytest.approx(3)
    assert fork_value(samples, "counter:allocated/op") > 1000


def test_a_jar_that_is_not_there_is_named() -> None:
    if shutil.which("java") is None:
        pytest.skip("no Java")
    with pytest.raises(LabError, match=r"no-such\.jar"):
        Jmh().benchmarks("no-such.jar")


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>p</groupId><artifactId>b</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>VERSION</version></dependency>
    <dependency>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId><version>VERSION</version>
    </dependency>
    <dependency>
      <groupId>javax.annotation</groupId><artifactId>javax.annotation-api</artifactId><version>1.3.2</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-jar-plugin</artifactId>
        <configuration><archive><manifest>
          <mainClass>org.openjdk.jmh.Main</mainClass><addClasspath>true</addClasspath>
          <classpathPrefix>${settings.localRepository}</classpathPrefix>
          <classpathLayoutType>repository</classpathLayoutType>
        </manifest></archive></configuration>
      </plugin>
    </plugins>
  </build>
</project>
"""
JAVA = """
package p;

import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class B {
    public enum Colour { RED, GREEN }
    @State(Scope.Benchmark)
    public static class Texts {
        @Param({VALUES}) public String text;
        @Param({"only,one"}) public String one;
    }
    @State(Scope.Benchmark)
    public static class Colours { @Param({"RED", "GREEN"}) public Colour colour; }
    @State(Scope.Thread) @AuxCounters
    public static class Counts { public int hits, none; }

    @Setup(Level.Iteration) public void log() { System.out.println("[1, 2] INFO started in 42 ms"); }
    @Benchmark public int texts(Texts t) { Blackhole.consumeCPU(100); return t.text.length(); }
    @Benchmark public int colours(Colours c) { return c.colour.ordinal(); }
    @Benchmark public void get() { Blackhole.consumeCPU(100); }
    @Benchmark public void getAll(Counts c) { Blackhole.consumeCPU(100); c.hits++; }
    @Benchmark @BenchmarkMode(Mode.SingleShotTime) @Measurement(iterations = 4)
    public void shot() { Blackhole.consumeCPU(100); }
    @Benchmark public void fails() { throw new IllegalStateException("no database"); }
    @Benchmark @Group("both") public void reader() { Blackhole.consumeCPU(100); }
    @Benchmark @Group("both") public void writer() { Blackhole.consumeCPU(100); }
}
"""
VALUES = ["x", "a/b=c", "k=v", "", "größe \U0001f600", "with blanks", "x/text=1", "a(b).*", "-1", "{a;b}[c]<d>&e"]
QUOTED = '"q" \\ '
"""Which old versions write to their JSON as it is."""


@pytest.mark.build
@pytest.mark.parametrize("version", [pytest.param("1.11", marks=pytest.mark.long), "1.37"])
def test_the_real_jmh_is_read(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        pytest.skip("no Maven")
    (tmp_path / "pom.xml").write_text(POM.replace("VERSION", version))
    source = tmp_path / "src/main/java/p/B.java"
    source.parent.mkdir(parents=True)
    values = ", ".join(msgspec.json.encode(one).decode() for one in (*VALUES, QUOTED, "a, bb"))
    source.write_text(JAVA.replace("VALUES", values))
    done = subprocess.run([maven, "-q", "-B", "package"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    if version == "1.11":
        monkeypatch.setenv("JDK_JAVA_OPTIONS", "--add-opens=java.base/java.io=ALL-UNNAMED")
    harness, target = Jmh(), os.fspath(tmp_path / "target/b-1.jar")
    texts = [f"p.B.texts/text={one}" for one in (*VALUES, QUOTED)]
    others = ["both", "colours/colour=GREEN", "colours/colour=RED", "fails", "get", "getAll", "shot"]
    assert sorted(harness.benchmarks(target)) == sorted([*(f"p.B.{one}" for one in others), *texts])
    assert [*harness.left_out] == ["p.B.texts/text=a, bb"]
    for name in ("p.B.both", "p.B.colours/colour=RED", "p.B.get", "p.B.getAll", *texts):
        if version == "1.11" and name == texts[-1]:
            with pytest.raises(BenchError, match="no JSON of JMH"):
                real(harness, name, target)
        else:
            assert len(real(harness, name, target)) == SMOKE.samples
    assert len(real(harness, "p.B.shot", target)) == 4
    assert {*harness.reports} == {"hits", "none", "reader", "writer"}
    with pytest.raises(BenchError, match="ended with status 1") as failed:
        real(harness, "p.B.fails", target)
    assert failed.value.hint == "log: java.lang.IllegalStateException: no database"
