"""Profiles of .NET programs: the kernel samples and traces, the runtime says which addresses are which methods."""

from perflab.profiles.dotnet.collect import collect
from perflab.profiles.dotnet.gate import Gate
from perflab.profiles.dotnet.recording import ENVIRONMENT, NOT_PRECOMPILED, Recording, why_not
from perflab.profiles.dotnet.threads import ThreadTimes

__all__ = ["ENVIRONMENT", "NOT_PRECOMPILED", "Gate", "Recording", "ThreadTimes", "collect", "why_not"]
