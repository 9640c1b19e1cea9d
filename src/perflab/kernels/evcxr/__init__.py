"""A relay in front of evcxr: displays while a cell runs, interrupts that keep the variables, warm dependencies.

```
Jupyter -- ZeroMQ --> relay (this) -- ZeroMQ --> evcxr_jupyter -- pipes --> the process that runs cells --> ./lab ...
```

Messages pass through as they are, except where evcxr leaves something out. What it can do by itself, and what a cell
sees of the relay, is in `kernels/rust/README.md`.
"""
