"""Reproducing a report: measure what its claims need, judge them, execute the notebook, keep it all in one folder."""

from perflab.reproduction.reproduce import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
