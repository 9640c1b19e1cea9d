"""Whether the kernel lets this process sample with perf events: asked by opening one."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_SYSCALL = {"x86_64": 298, "aarch64": 241}  # perf_event_open, in the kernel's tables of system calls
_TYPE_SOFTWARE = 1
_CONFIG_CPU_CLOCK = 0
_ATTRIBUTES_SIZE = 112  # PERF_ATTR_SIZE_VER5 of linux/perf_event.h
_PERIOD_NS = 1_000_000
_FLAG_DISABLED = 1


def perf_events_allowed() -> bool:
    """Try to open the event that the profiler samples with, kernel included, on this process.

    `perf_event_paranoid` and the user alone do not tell: a container's seccomp filter refuses root as well. The
    profiler would then fall back to a timer without saying so, at an interval that this timer cannot keep.
    """
    number = _SYSCALL.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return False
    head = struct.pack(
        "=IIQQQQQ", _TYPE_SOFTWARE, _ATTRIBUTES_SIZE, _CONFIG_CPU_CLOCK, _PERIOD_NS, 0, 0, _FLAG_DISABLED
    )
    attributes = ctypes.create_string_buffer(head, _ATTRIBUTES_SIZE)
    this_process, any_cpu, no_group, no_flags = 0, -1, -1, 0
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(number, attributes, this_process, any_cpu, no_group, ctypes.c_ulong(no_flags))
    if descriptor < 0:
        return False
    os.close(descriptor)
    return True
