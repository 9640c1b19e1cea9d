"""Compilers, runtimes and build tools on this machine: how they are found, and what to do where they are not."""

from perflab.toolchains.chromium import find_chromium, install_chromium
from perflab.toolchains.commands import expand, provide, require
from perflab.toolchains.jdk import Jdk, find_jdk, find_jdks, java_at

__all__ = [
    "Jdk",
    "expand",
    "find_chromium",
    "find_jdk",
    "find_jdks",
    "install_chromium",
    "java_at",
    "provide",
    "require",
]
