"""Compilers, runtimes and build tools on this machine: how they are found, and what to do where they are not."""

from perflab.toolchains import gcc_messages
from perflab.toolchains.chromium import find_chromium
from perflab.toolchains.commands import expand, provide, require
from perflab.toolchains.cpp import Cpp, find_cpp, provide_cpp, require_cpp
from perflab.toolchains.dotnet import Sdk, find_sdk, provide_sdk, require_sdk
from perflab.toolchains.git import ask_git, run_git
from perflab.toolchains.guard import end_marked, hold, marked
from perflab.toolchains.jdk import Jdk, find_jdk, find_jdks, java_at
from perflab.toolchains.processes import build_lock, end_group, run_build, run_group
from perflab.toolchains.rust import Rust, find_rust, require_rust

__all__ = [
    "Cpp",
    "Jdk",
    "Rust",
    "Sdk",
    "ask_git",
    "build_lock",
    "end_group",
    "end_marked",
    "expand",
    "find_chromium",
    "find_cpp",
    "find_jdk",
    "find_jdks",
    "find_rust",
    "find_sdk",
    "gcc_messages",
    "hold",
    "java_at",
    "marked",
    "provide",
    "provide_cpp",
    "provide_sdk",
    "require",
    "require_cpp",
    "require_rust",
    "require_sdk",
    "run_build",
    "run_git",
    "run_group",
]
