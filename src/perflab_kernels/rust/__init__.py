"""A kernel in front of evcxr: displays while a cell runs, interrupts that keep the variables, warm dependencies.

```
Jupyter -- ZeroMQ --> this kernel -- ZeroMQ --> evcxr_jupyter -- pipes --> the process that runs cells --> ./lab ...
```

`kernels/rust/README.md` says what evcxr can do by itself, and what this kernel adds.
"""
