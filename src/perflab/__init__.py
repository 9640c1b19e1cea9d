"""perflab: published performance reports, rebuilt, measured, explained and judged."""

__version__ = "0.1.0"
