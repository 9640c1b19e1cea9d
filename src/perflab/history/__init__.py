"""What the store knows of a variant over time and commits, and where its level changed."""

from perflab.history.collecting import Wanted, collect
from perflab.history.series import ChangePoint, Point, Series

__all__ = ["ChangePoint", "Point", "Series", "Wanted", "collect"]
