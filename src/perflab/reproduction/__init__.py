"""Reproducing reports: measure what claims need, judge each as soon as that is there, keep all of it."""

from perflab.reproduction.reference import keep_as_reference
from perflab.reproduction.reproduce import TopicPlan, Watcher, expected_verdicts, plan_topics, reproduce
from perflab.reproduction.reproduction import Reproduction, Settings

__all__ = [
    "Reproduction",
    "Settings",
    "TopicPlan",
    "Watcher",
    "expected_verdicts",
    "keep_as_reference",
    "plan_topics",
    "reproduce",
]
