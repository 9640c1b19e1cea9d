"""Benchmarks of others: one small file for each harness that perflab can start and read."""
