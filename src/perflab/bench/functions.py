"""Functions without arguments in a source file: a program is made of them that calls one over and over.

What a harness's black hole is for, an opaque call does: the compiler can neither inline the function, nor leave a call
out, nor take it out of the loop. What a function returns is therefore worked out, and the cost of a call is in the
figure. The programs are in `loops/`, one for each language, and say how.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from perflab.bench.interface import (
    CPU,
    EMPTY_CALLS,
    RUNTIME_WARMUP_MS,
    TIME_AND_ALLOCATION,
    Harness,
    check_number,
    sample,
)
from perflab.host.processes import run_group
from perflab.host.toolchains import expand, find_tool
from perflab.model.errors import BenchError, MissingError, UsageError, one_line
from perflab.model.files import UNREADABLE
from perflab.model.lab import user_cache

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, ProfiledAs, Shape
    from perflab.model.protocol import Sample


_LOOPS = Path(__file__).with_name("loops")
_TABLE = re.compile(r"^( *)@TABLE@$", re.MULTILINE)
_BUILD_S = 300
_MOST_SAID = 30
"""Lines of a compiler's."""
_DEFERRED = "deferred "
"""What a program prints in place of samples."""
_WORKED_OUT = "let it work out and return the result, as by list(...), .collect(), .toList(), or by waiting for it"


@dataclass(frozen=True)
class _Language:
    """A language that functions can be written in: how to generate and build a program in a folder.

    Commands have the placeholders of a component's, and `{folder}`, `{function}`, `{compiler}`, `{stdlib}`.

    Attributes:
        file: File name of the user's source in that folder.
        loop: The program; `@TABLE@` is replaced by one line per function.
        function: Matches a declaration; the first group is the name.
        line: A line of the table; `{0}` is the name.
        deferred: Matches the `name` of a function that returns before its work is done, and `what` it returns, where
            the program itself cannot tell.
        refusal: The line of such a function; `{1}` is what it returns.
        run: The command that runs the program, without arguments.
        build: The command that compiles the program, if any.
        requires: A tool, as components require one.
        profiled_as: See `Harness`.
        warmup_ms: Minimum warm-up.
        head: Lines of the source that go before all others.
        wrapped: Wrapper of the source; `{0}` is the source, on lines of its own.
        more: Further files of the program.
    """

    file: str
    loop: str
    function: re.Pattern[str]
    line: str
    run: tuple[str, ...]
    build: tuple[str, ...] = ()
    requires: str = "python"
    profiled_as: ProfiledAs | None = None
    warmup_ms: int = 0
    head: re.Pattern[str] | None = None
    wrapped: str = "{0}"
    deferred: re.Pattern[str] | None = None
    refusal: str = ""
    more: tuple[str, ...] = ()

    def write(self, source: str, names: list[str], folder: Path) -> None:
        """Write the program; lines of the source keep their numbers."""
        head = "" if self.head is None else "\n".join(found[0] for found in self.head.finditer(source)) + "\n"
        body = source if self.head is None else self.head.sub("", source)
        (folder / self.file).write_text(self.wrapped.format(body, head=head), encoding="utf-8")
        later = {one["name"]: one["what"] for one in self.deferred.finditer(source)} if self.deferred else {}
        lines = [(self.refusal if name in later else self.line).format(name, later.get(name)) for name in names]
        loop = (_LOOPS / self.loop).read_text(encoding="utf-8")
        loop = _TABLE.sub(lambda found: "\n".join(found[1] + line for line in lines), loop)
        (folder / self.loop).write_text(loop, encoding="utf-8")
        for name in self.more:
            shutil.copy(_LOOPS / name, folder / name)

    def command(self, words: tuple[str, ...], folder: Path, function: str = "") -> list[str]:
        """Fill in the placeholders of a command."""
        kotlin = _kotlin() if self.loop == "Loop.kt" else {}
        return expand(words, self.environment(), folder=str(folder), function=function, **kotlin)

    def environment(self) -> dict[str, str]:
        """Return environment variables for the commands."""
        return find_tool(self.requires).environment()


def _kotlin() -> dict[str, str]:
    """Return the jars of Kotlin's compiler and library, shared with the Kotlin kernel."""
    package = find_spec("run_kotlin_kernel")
    if package is None or not package.submodule_search_locations:
        raise MissingError(
            "there is no Kotlin compiler in this Python environment", "pip install kotlin-jupyter-kernel"
        )
    jars = sorted(Path(package.submodule_search_locations[0], "jars").glob("kotlin-*.jar"))
    found = {"compiler": "kotlin-jupyter-kernel-", "stdlib": "kotlin-stdlib-"}
    return {what: str(next(jar for jar in jars if jar.name.startswith(name))) for what, name in found.items()}


_LANGUAGES = {
    ".py": _Language(
        "functions.py",
        "loop.py",
        re.compile(r"^(?:async )?def (\w+)\(\)", re.MULTILINE),
        "",
        run=("python3", "{folder}/loop.py", "{folder}/functions.py"),
    ),
    ".rs": _Language(
        "functions.rs",
        "loop.rs",
        re.compile(r"^(?:pub(?:\(\w+\))? )?(?:async )?fn (\w+)\(\)", re.MULTILINE),
        '"{0}" => length.measure({0}, (&&&&super::returned({0})).deferred()),',
        run=("{folder}/loop",),
        build=("{rustc}", "--edition=2024", "-Copt-level=3", "-o", "loop", "loop.rs"),
        requires="rust",
        # Within another type, with arguments, or of no trait by which the program could tell it.
        deferred=re.compile(
            r"fn (?P<name>\w+)\(\)\s*->[^{]*?\b(?P<what>(?:impl|dyn) (?:\w+::)*"
            r"(?:\w*Iterator|Fn|FnMut|FnOnce|Future|Stream)|JoinHandle|LazyLock|LazyCell|Receiver)\b"
        ),
        refusal='"{0}" => length.measure({0}, "{1}"),',
        profiled_as="native",
    ),
    ".cpp": _Language(
        "functions.cpp",
        "loop.cpp",
        re.compile(
            r"^(?!return|else|new|throw)\w[\w:<>,&*() ]*?[ *&](\w+)\(\)\s*(?:noexcept\s*)?(?:->[^{;]*)?\{", re.MULTILINE
        ),
        'if (name == "{0}") return length.measure({0}), 0;',
        run=("{folder}/loop",),
        build=("{cxx}", "-std=c++20", "-O2", "-pthread", "-o", "loop", "loop.cpp"),
        profiled_as="native",
    ),
    ".kt": _Language(
        "functions.kt",
        "Loop.kt",
        re.compile(r"^(?:(?:public|internal|suspend) )*fun (\w+)\(\)", re.MULTILINE),
        '"{0}" to Entry({{ {0}() }}) {{ calls -> for (call in 0L until calls) {0}() }},',
        run=(
            *("{java}", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,FunctionsKt.{function}"),
            "-XX:CompileCommand=dontinline,LoopKt.empty",
            *("--enable-native-access=ALL-UNNAMED", "-cp", "{folder}/out:{stdlib}", "LoopKt"),
        ),
        build=(
            *("{java}", "-cp", "{compiler}", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"),
            *("-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "21", "-cp", "{stdlib}"),
            *("-d", "out", "functions.kt", "Loop.kt"),
        ),
        requires="jdk>=21",
        deferred=re.compile(r"\b(?P<what>suspend)\b[\w ]* fun (?P<name>\w+)\(\)"),
        refusal='"{0}" to Entry({{ refuse("suspend") }}) {{}},',
        profiled_as="jvm",
        warmup_ms=RUNTIME_WARMUP_MS,
    ),
    ".cs": _Language(
        "functions.cs",
        "Loop.cs",
        re.compile(
            r"^[ \t]*(?!return|new|await|throw|else|using)(?:(?:public|private|internal|static|async) )*"
            r"(?:[\w<>\[\].,?()]|, )+ (\w+)\(\)\s*(?:=>|\{)",
            re.MULTILINE,
        ),
        'case "{0}": loop.Measure({0}); break;',
        run=("{dotnet}", "{folder}/out/Loop.dll"),
        build=("{dotnet}", "build", "Loop.csproj", "-c", "Release", "-v", "quiet", "--nologo"),
        requires="dotnet",
        profiled_as="perf",
        warmup_ms=RUNTIME_WARMUP_MS,
        head=re.compile(r"^(?:using [\w.= ]+; *)+", re.MULTILINE),
        wrapped='{head}internal sealed partial class Functions\n{{\n#line 1 "functions.cs"\n{0}\n#line default\n}}\n',
        more=("Loop.csproj", "runtimeconfig.template.json"),
    ),
}


class Functions(Harness):
    """Functions without arguments of a file in Python, Rust, C++, Kotlin or C#; nothing but the language is needed."""

    about = "functions"
    copied = builds = True
    timed_regions = True
    counted_in = ({"warmup_ms": 1, "sample_ms": 0, "samples": 3},)  # of once, twice and three times as many calls
    cpu = CPU.of
    scenario = replace(TIME_AND_ALLOCATION, metrics=[CPU, *TIME_AND_ALLOCATION.metrics])

    def __init__(self) -> None:
        self._programs: dict[str, tuple[_Language, list[str]]] = {}
        """Language and functions by program folder."""

    def prepare(self, target: str, folder: Path) -> str:
        """Make a program of the file, in the folder."""
        path = Path(target)
        language = _LANGUAGES.get(path.suffix)
        if language is None:
            known = ", ".join(_LANGUAGES)
            raise UsageError(f"{one_line(target)} is no source file of a language that is known", f"they are {known}")
        source = _source(path)
        names = list(dict.fromkeys(language.function.findall(source)))
        if not names:
            raise UsageError(f"{one_line(target)} has no function without arguments", "see docs/bench.md")
        language.write(source, names, folder)
        if language.build:
            _compile(language, folder, path.name)
        self.warmup_ms, self.profiled_as = language.warmup_ms, language.profiled_as
        self._programs[str(folder)] = language, names
        return str(folder)

    def stand_in(self, copy: str, target: str) -> None:
        """Record that the copy has the same language."""
        self._programs[copy] = self._programs[target]

    def benchmarks(self, target: str) -> list[str]:
        """Return the functions."""
        return self._programs[target][1]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one function in this shape."""
        language, _ = self._programs[target]
        length = [str(shape.warmup_ms), str(shape.sample_ms), str(shape.samples)]
        return [*language.command(language.run, Path(target), benchmark), benchmark, *length]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Parse the last `shape.samples` lines: functions may print, too."""
        check_number(shape.samples)
        lines = ended.output.decode("utf-8", "replace").splitlines()[-shape.samples :]
        if lines and lines[-1].startswith(_DEFERRED):
            what = one_line(lines[-1].removeprefix(_DEFERRED))
            raise BenchError(f"{benchmark} returns before its work is done ({what}): {_WORKED_OUT}")
        found = []
        for i, line in enumerate(lines):
            try:
                ops, ns, empty_calls, *used = map(float, line.split())
            except ValueError:
                said = f"{benchmark} printed {one_line(line)[:80]!r} between its samples"
                raise BenchError(said, "let it print nothing") from None
            counters = {EMPTY_CALLS: empty_calls * ops, **dict(zip(["allocated", "cpu-ns"], used, strict=False))}
            found.append(sample(i, ops, ns, counters))
        return found


def _source(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise UsageError(f"cannot read {one_line(path)}: {error.strerror}", "check its name, and the folder") from None
    except UNREADABLE as error:
        raise UsageError(f"{one_line(path)} is not a text file: {one_line(error)}", "save it as UTF-8") from None


def _is_shared(folder: Path) -> bool:
    """Return whether a folder is in a cache below /tmp, where others could plant files for rustup and MSBuild."""
    ours = folder.is_relative_to(user_cache()) and not os.environ.get("XDG_CACHE_HOME")
    return ours and any(one.stat().st_mode & stat.S_IWOTH for one in folder.parents)


def _compile(language: _Language, folder: Path, name: str) -> None:
    """Compile the program; messages name the reader's file."""
    if _is_shared(folder):
        raise MissingError("there is no folder of yours alone to compile in", "XDG_CACHE_HOME may name one")
    command = language.command(language.build, folder)
    environment = {**os.environ, **language.environment()}
    try:
        done = run_group(command, folder=folder, environment=environment, timeout_s=_BUILD_S, locale="C.UTF-8")
    except subprocess.TimeoutExpired:
        raise BenchError(f"the compiler did not end within {_BUILD_S} s", "compile the file by hand") from None
    if done.returncode == 0:
        return
    said = (done.stderr + done.stdout).decode("utf-8", "replace")
    said = said.replace(f"{folder}/", "").replace(language.file, name)
    lines = [line for line in dict.fromkeys(said.splitlines()) if line.strip()]
    shown = "\n".join(f"  {line}" for line in lines[:_MOST_SAID])
    raise UsageError(f"{name} does not compile\n{shown}", "it is compiled alone, with a main of perflab's")
