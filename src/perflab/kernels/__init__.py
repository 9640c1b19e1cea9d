"""Jupyter: the lab's kernels, the Python labkit, and executing notebooks."""
