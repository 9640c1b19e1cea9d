"""The Python half of the lab's C# kernel: Jupyter's protocol on one side, a pipe to the C# process on the other."""
