"""async-profiler: fetched from Maven Central, started with the program, collected when it has ended."""

from perflab.profiles.asyncprofiler.collect import collect
from perflab.profiles.asyncprofiler.library import VERSION, find, provide
from perflab.profiles.asyncprofiler.session import Session, native_session, sessions

__all__ = ["VERSION", "Session", "collect", "find", "native_session", "provide", "sessions"]
