"""C++: a compiler, CMake, Ninja, and the libraries that components are built with."""

from perflab.toolchains.cpp.libraries import read_libraries
from perflab.toolchains.cpp.providing import provide_cpp
from perflab.toolchains.cpp.toolchain import Cpp, find_cpp, require_cpp

__all__ = ["Cpp", "find_cpp", "provide_cpp", "read_libraries", "require_cpp"]
