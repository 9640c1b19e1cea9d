"""The Python half of the lab's own C# kernel: Jupyter's protocol on one side, a pipe to the C# process on the other.

`python -m perflab.kernels.roslyn -f CONNECTION_FILE` starts it; its kernelspec is written by `perflab.kernels.csharp`.
"""
