"""Profiles of four runtimes in one shape: weighted call stacks and counters."""
