"""What is on this machine, what is missing, and what would fix it."""

from perflab.doctor.checks import Check, examine

__all__ = ["Check", "examine"]
