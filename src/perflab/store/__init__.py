"""Runs, profiles, baselines and sweeps on disk: append, then seal."""
