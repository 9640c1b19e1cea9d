"""A relay in front of evcxr: displays while a cell runs, interrupts that keep the variables, warm dependencies.

```
Jupyter -- ZeroMQ --> relay (this) -- ZeroMQ --> evcxr_jupyter -- pipes --> the process that runs cells --> ./lab ...
```

What evcxr can do by itself, and what a cell sees of the relay, is in `kernels/rust/README.md`.
"""
