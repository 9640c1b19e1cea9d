"""The lab's C# kernel and its relay in front of evcxr, which Jupyter starts by their kernelspecs.

Nothing in `perflab` imports this package, and it imports nothing of `perflab`.
"""
