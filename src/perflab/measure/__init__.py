"""Measuring: fresh processes, interleaved in rounds, one measurement at a time; sweeps and searches are made of it."""
