"""The machine: what it is, how busy it is, its compilers and runtimes, and starting and ending processes on it."""
