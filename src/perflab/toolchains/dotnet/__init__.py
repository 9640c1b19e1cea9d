"""A .NET SDK: the machine's own if it is new enough, else one assembled from two public packages."""

from perflab.toolchains.dotnet.assembling import provide_sdk
from perflab.toolchains.dotnet.sdk import Sdk, find_sdk, find_sdks, require_sdk

__all__ = ["Sdk", "find_sdk", "find_sdks", "provide_sdk", "require_sdk"]
