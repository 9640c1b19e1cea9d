"""The machine: its identity and load, its compilers and runtimes, and its processes."""
