"""Reproducing a report: measure what its claims need, judge them, execute the notebook, keep it all in one folder."""

from perflab.reproduction.reference import keep_as_reference
from perflab.reproduction.reproduce import Reproduction, reproduce

__all__ = ["Reproduction", "keep_as_reference", "reproduce"]
