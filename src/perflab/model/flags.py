"""Which flags of a runtime are recorded: those known to change what is measured, and to hold nothing else.

A flag may hold anything: a JVM counts what stands in JAVA_TOOL_OPTIONS among its arguments, a proxy's password with it.
"""

from __future__ import annotations

import re

_SIZE = r"\d+[kKmMgGtT]?"
_NUMBER = r"-?\d+(?:\.\d+)?[kKmMgGtT]?"
_MODULES = r"[\w.$]+(?:/[\w.$]+)?(?:=[\w.$,-]+|,[\w.$,]+)?"
# Settings of .NET's runtime (docs.microsoft.com, "runtime configuration options"; clrconfignames.h).
_DOTNET = (
    "TieredPGO|TieredCompilation|TC_\\w+|OSR_\\w+|ReadyToRun\\w*|JIT\\w+|OptimizationLevel|"
    "gc\\w+|GC\\w+|ThreadPool_\\w+|Thread_\\w+|HillClimbing_\\w+|SpinLimit\\w+|PROCESSOR_COUNT|"
    "Enable(?:HW|SSE|AVX|BMI|FMA|LZCNT|POPCNT|Arm64)\\w*|PerfMapEnabled|EnableWriteXorExecute|"
    "SYSTEM_GLOBALIZATION_INVARIANT|SYSTEM_CONCURRENCY_\\w+|SYSTEM_NET_SOCKETS_\\w+"
)
_KEPT = re.compile(
    "|".join(
        [
            # The JVM's.
            rf"-X(?:m[nsx]|ss){_SIZE}|-X(?:int|comp|mixed|batch|rs|noclassgc)|-X(?:share|verify):\w+",
            r"-Xlog:(?:disable|[\w+*=,]+(?::std(?:err|out))?)",
            rf"-XX:(?:[+-]\w+|\w+={_NUMBER})",
            r"-XX:(?:ShenandoahGC(?:Mode|Heuristics)|NativeMemoryTracking)=[a-z]{1,12}",
            rf"--add-(?:opens|exports|reads|modules)=(?:{_MODULES})|--enable-native-access=(?:{_MODULES})",
            r"--(?:illegal|illegal-native|sun-misc-unsafe-memory)-access=[a-z]{1,8}|--enable-preview|-d?e?s?a|-server",
            rf"-Djdk\.virtualThreadScheduler\.\w+={_NUMBER}",
            rf"-Djava\.util\.concurrent\.ForkJoinPool\.common\.\w+={_NUMBER}",
            # .NET's; numbers are hexadecimal.
            r"gc=(?:server|workstation)|latency=[A-Za-z]{1,24}",
            rf"(?:DOTNET|COMPlus)_(?:{_DOTNET})=(?:(?:0x)?[0-9A-Fa-f]{{1,16}}|true|false)",
            r"DOTNET_ROLL_FORWARD=(?:Disable|(?:Latest)?(?:Patch|Minor|Major))",
            # Rust's and C++'s.
            r"(?:profile|build)=[A-Za-z]{1,20}|(?:glibc|musl)(?: [\d.]{1,12})?|libc",
            r"-O(?:[0-3gsz]|fast)|-m(?:arch|cpu|tune)=[\w.+-]{1,30}|-flto(?:=\w{1,8})?",
            # Sizes of pools and heaps that other runtimes read from the environment.
            r"(?:TOKIO_WORKER_THREADS|RAYON_NUM_THREADS|OMP_NUM_THREADS|GOMAXPROCS|GOGC|PYTHON_GIL|PYTHONHASHSEED)=\d+",
        ]
    )
)
# A file that changes how fast a program starts; of its path, what is in the program's own folder.
_FILE = re.compile(r"(?P<name>-XX:(?:SharedArchiveFile|AOTCache)=)(?:/(?:.*/)?)?(?P<path>[\w.-]+(?:/[\w.-]+)*)")
_FOLDERS = re.compile(r"(?<![\w.])/(?:[^\s/]+/)+")
_LONGEST = 200
_MOST = 100


def recorded(flags: list[str]) -> list[str]:
    """Those of a runtime's flags that are recorded, in their order."""
    kept = []
    for flag in flags:
        if len(flag) <= _LONGEST:
            if _KEPT.fullmatch(flag):
                kept.append(flag)
            elif found := _FILE.fullmatch(flag):
                path = found["path"]
                kept.append(found["name"] + (path.rpartition("/")[2] if ".." in path else path))
    return kept[:_MOST]


def named(text: str) -> str:
    """A runtime's name or version, without the folder of a program that is called by its path."""
    return _FOLDERS.sub("", text[: _LONGEST * 10])[:_LONGEST]
