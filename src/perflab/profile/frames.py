"""Frame names for humans, the same in every run: without addresses, counters and the runtime's own plumbing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal["program", "library", "system", "kernel"]

VIRTUAL_THREAD = "(virtual thread)"
"""Stands for the frames that mount a virtual thread on its carrier, however many of them a profiler saw."""

_LONGEST = 1000
"""Characters of a frame: some patterns here take the square of its length."""

_MOUNT = re.compile(
    r"cont_returnBarrier"
    r"|jdk[./]internal[./]vm[./]Continuation\.(enter|enter0|enterSpecial|run|yield0?)"
    r"|java[./]lang[./]VirtualThread\$VThreadContinuation\$1\.run"
    r"|java[./]lang[./]VirtualThread\.run(With)?"
)
_HIDDEN = re.compile(
    r"java[./]lang[./]invoke[./](LambdaForm|Invokers\$Holder|DirectMethodHandle\$Holder|DelegatingMethodHandle\$Holder).*"
    r"|jdk[./]internal[./]reflect[./].*"
    r"|java[./]lang[./]Thread\.runWith"
    r"|(call_stub|thread_native_entry|start_thread|clone3?|thread_start_wrapper)"
    r"|__libc_start_(main|call_main).*|_start|_dl_start_user|_dl_init|call_init"
    # Rust: frames between a thread's start and its closure, and around catch_unwind.
    r"|std::sys::backtrace::__rust_(begin|end)_short_backtrace(::.*)?|std::rt::lang_start.*"
    r"|(<?std::sys::(pal::unix::)?thread::.*::|<std::sys::thread::unix::Thread>::)new::thread_start"
    r"|(core::ops::function|<.* as core::ops::function)::Fn(Once|Mut)?(<.*>>)?::call(_once|_mut)?(::?\{.*\}+|\{\{.*)?"
    r"|std::panicking::(try|catch_unwind)(::.*)?|std::panic::catch_unwind(::.*)?|__rust_try(\.llvm.*)?"
    # async-profiler's hooks of C library functions, and its start and stop.
    r"|AllocTracer::trapHandler|perflab_timed_(begin|end)|(malloc|calloc|realloc|free|posix_memalign|aligned_alloc|pthread_\w+)_hook"
)
# async-profiler's suffixes: JIT-compiled, inlined (or the class of an object), interpreted, C1-compiled, kernel.
_TIER = re.compile(r"_\[[ji01]\]$")
_KERNEL = re.compile(r"_\[k\]$")
_JAVA_PATH = re.compile(r"^[\w$]+(/[\w$+<>]+)+(\.|\[|$)")
_HIDDEN_CLASS_ADDRESS = re.compile(r"[./+]0x[0-9a-f]+")
_LAMBDA_METHOD = re.compile(r"lambda\$([\w<>]+?)\$\d+$")
_GENERATED_NUMBER = re.compile(r"((?:Generated\w*Accessor|\$Proxy|\$\$Lambda\$))\d+")
_GLIBC_VERSION = re.compile(r"@@?[A-Z]+_[\w.]+$")
_COMPILER_CLONE = re.compile(r"(\.(isra|constprop|part|cold|llvm)(\.\d+)?)+$")
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
# Closure numbers and shims in rustc's two manglings, which readers do not need.
_RUST_CLOSURE = re.compile(r"\{\{closure\}\}|\{(async_)?(closure|fn|block)(#\d+)?\}")
_RUST_SHIM = re.compile(r"::\{shim:[^}]*\}|\{\{[\w.]*shim\}\}")
_RUST_CRATE_HASH = re.compile(r"(?<=\w)\[[0-9a-f]{16}\]")


def cut(frame: str) -> str:
    """Truncate a frame's name if it is too long to read."""
    return frame[:_LONGEST]


def clean(stack: tuple[str, ...]) -> tuple[str, ...]:
    """Clean a stack for reading, and for comparison between profiles of different processes.

    Java's slashes become dots; lambdas and hidden classes lose their numbers and addresses, which each process draws
    anew; symbol versions and compiler clones go; frames of reflection, method handles and thread start are left out.
    What mounts a virtual thread is one frame: how much of it a profiler sees depends on what has been thawed.
    """
    cleaned: list[str] = []
    for frame in stack:
        name = _clean(cut(frame))
        if name and not (name == VIRTUAL_THREAD and cleaned and cleaned[-1] == VIRTUAL_THREAD):
            cleaned.append(name)
    # A stack of nothing but plumbing keeps its innermost frame.
    return tuple(cleaned) if cleaned else (_readable(cut(stack[-1])),)


@lru_cache(maxsize=10_000)
def is_managed(frame: str) -> bool:
    """Return whether a cleaned name is a managed method (`package.Class.method`), not a native function."""
    return bool(_MANAGED.fullmatch(frame))


@lru_cache(maxsize=10_000)
def kind(frame: str, *, managed: bool) -> Kind:
    """Classify a cleaned frame by whose code it is.

    Args:
        frame: The name.
        managed: Whether the profile is of a managed program: its native frames are then the runtime's.
    """
    if frame.endswith("[kernel]"):
        return "kernel"
    if is_managed(frame):
        return "library" if frame.startswith(_LIBRARIES) else "program"
    if managed or _SYSTEM.match(frame):
        return "system"
    return "library" if frame.startswith(_LIBRARIES) else "program"


def short(frame: str) -> str:
    """Shorten a name to class and method without package, or a function without arguments."""
    if frame.startswith(("(", "[")):
        return frame
    bare = _without_parameters(frame)
    if "::" in bare:
        # Types lose their modules, and functions all but the innermost one.
        bare = _outline(re.sub(r"(?:\b[a-z_]\w*::)+(?=[A-Z])", "", bare))
        return re.sub(r"^(?:[a-z_]\w*::)+(?=[a-z_]\w*::[a-z_]\w*)", "", bare)
    parts = bare.split(".")
    if parts[0][:1].isupper():
        # .NET writes namespaces like classes: the method and its class are the last two, three with a lambda.
        return ".".join(parts[-3 if parts[-1].startswith("<") else -2 :])
    packages = 0
    while packages < len(parts) - 2 and re.fullmatch(r"[a-z_][\w]*", parts[packages]):
        packages += 1
    return ".".join(parts[packages:])


_LONG = 60
_INNERMOST = re.compile(r"(?<=\w)<(?:[^<>]|->)*>")


def _without_parameters(name: str) -> str:
    whole, depth = name.removesuffix(" const"), 0
    for i in reversed(range(len(whole) if whole.endswith(")") else 0)):
        depth += (whole[i] == ")") - (whole[i] == "(")
        if depth == 0:
            return whole[:i]
    return name


def _outline(name: str) -> str:
    """Return a long C++ function without its result, and without the innermost template arguments."""
    if len(name) <= _LONG or name.startswith("<"):  # Rust's
        return name
    while len(name) > _LONG and (shorter := _INNERMOST.sub("\0", name)) != name:
        name = shorter
    if len(name) > _LONG and (cut := re.search(r"\0?[<(]", name)):  # its end is missing
        name = f"{name[: cut.start()]}\0"
    return re.sub(r"^\w+ ", "", name).replace("\0", "<…>")


_MANAGED = re.compile(r"[A-Za-z_$][\w$]*(\.[\w$<>`\[\], ]+)+(\(.*\))?")
_LIBRARIES = (
    *("java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "System.", "Microsoft."),
    *("std::", "core::", "alloc::", "<std::", "<core::", "<alloc::", "__gnu_cxx::"),
    # Rust's task runtimes count as the platform, as the JDK does for Java.
    *(
        "tokio::",
        "<tokio::",
        "futures_util::",
        "<futures_util::",
        "parking_lot",
        "<parking_lot",
        "hashbrown::",
        "<hashbrown::",
    ),
)
_SYSTEM = re.compile(
    r"[_(\[]|(pthread|clock|sem|mem|str|futex|sys|epoll|sched|timer)_?\w*$|(malloc|calloc|realloc|free|main|nanosleep)\b"
    r"|(read|write|poll|select|send|recv|mmap|munmap|madvise|brk)\w*$|operator (new|delete)"
)


@lru_cache(maxsize=1 << 16)
def _clean(frame: str) -> str:
    bare = _TIER.sub("", frame)
    if _MOUNT.fullmatch(bare):
        return VIRTUAL_THREAD
    return "" if _HIDDEN.fullmatch(bare) else _readable(frame)


def _readable(frame: str) -> str:
    name = _TIER.sub("", frame)
    kernel = _KERNEL.search(name)
    name = _KERNEL.sub("", name)
    if _JAVA_PATH.match(name):
        name = name.replace("/", ".")
    name = _HIDDEN_CLASS_ADDRESS.sub("", name)
    name = _GENERATED_NUMBER.sub(r"\1", name)
    name = _LAMBDA_METHOD.sub(r"\1.<lambda>", name)
    name = re.sub(r"\$\$Lambda\$?(?=\.)", ".<lambda>", name)
    name = _COMPILER_CLONE.sub("", _GLIBC_VERSION.sub("", name))
    if "::" in name:
        name = _rust(_RUST_HASH.sub("", name))
    return f"{name} [kernel]" if kernel else name


def _rust(name: str) -> str:
    """Strip generic arguments of functions, which only one of rustc's manglings has, but not those of types.

    `{closure}` stands for every closure and asynchronous block of a function.
    """
    name = _RUST_SHIM.sub("", _RUST_CRATE_HASH.sub("", name))
    name = _RUST_CLOSURE.sub("{closure}", name)
    while (start := name.find("::<")) >= 0:
        end = _closing(name, start + 2)
        if end is None:
            break
        name = name[:start] + name[end + 1 :]
    return name


def _closing(name: str, start: int) -> int | None:
    """Return the index of the bracket that closes the one at `start`, ignoring arrows `->`."""
    depth = 0
    for position in range(start, len(name)):
        if name[position] == "<":
            depth += 1
        elif name[position] == ">" and name[position - 1] != "-":
            depth -= 1
            if depth == 0:
                return position
    return None


# `RETURN TYPE [ASSEMBLY] TYPE::METHOD(ARGUMENTS)[TIER]`: only the assembly's brackets are followed by a space.
_METHOD = re.compile(r"(?:^|\s)\[[\w.+-]+\] (?P<type>\S.*?)::(?P<method>[^(]+)\(")
_INNERMOST_ARGUMENTS = re.compile(r"`\d+|\[[^\[\]]*\]|(?<=\w)<[^<>]*>")
_CLOSURE = re.compile(r"\.<>c(__DisplayClass\d+_\d+)?(?=\.|$)")
_LAMBDA = re.compile(r"<(?P<owner>[\w.]+)>b__[\d_]+$")
_LOCAL_FUNCTION = re.compile(r"<(?P<owner>[\w.]+)>g__(?P<name>\w+)\|[\d_]+$")
_STATE_MACHINE = re.compile(r"\.<(?P<owner>\w+)>d__\d+\.MoveNext$")


@lru_cache(maxsize=1 << 16)
def method(symbol: str) -> str:
    """Convert a perf map's symbol to `Namespace.Type.Method`; other symbols are returned unchanged.

    Lambdas and asynchronous methods get the name of the method that they stand in: the compiler's own names for them
    have numbers that change with any edit above. The tier of the compiler goes, so that a method is one frame.
    """
    found = _METHOD.search(symbol := cut(symbol))
    if not found:
        return symbol
    kind = _without_arguments(found["type"]).replace("+", ".")
    member = _without_arguments(found["method"])
    member = {".ctor": "<constructor>", ".cctor": "<static constructor>"}.get(member, member)
    name = _CLOSURE.sub("", f"{kind}.{member}")
    name = _STATE_MACHINE.sub(r".\g<owner>", name)
    name = _LOCAL_FUNCTION.sub(r"\g<owner>.\g<name>", name)
    return _LAMBDA.sub(r"\g<owner>.<lambda>", name)


def _without_arguments(name: str) -> str:
    """Strip generic arguments, also nested ones, from a type or method."""
    while (shorter := _INNERMOST_ARGUMENTS.sub("", name)) != name:
        name = shorter
    return name
