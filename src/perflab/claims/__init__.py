"""Judging: claims, regressions, standings and histories, from runs to words."""
