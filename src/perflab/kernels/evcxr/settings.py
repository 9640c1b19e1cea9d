"""What the kernelspec tells the relay, and the relay tells the cells."""

PROGRAM_VARIABLE = "PERFLAB_EVCXR"
"""The program of evcxr."""

TOOLS_VARIABLE = "PERFLAB_RUST_BIN"
"""The folder of Cargo and the compiler."""

WORK_VARIABLE = "PERFLAB_RUST_WORK"
"""The folder of the workplaces."""

DISPLAY_VARIABLE = "PERFLAB_DISPLAY"
"""Set for cells: lines that begin with this text are displays, and none of the reader's business."""

CELLS_VARIABLE = "PERFLAB_CELLS"
"""Set for cells: the file that holds the source of all cells run until now."""

DISPLAY_MARK = "\x02perflab "
"""Begins with a control character, so that nothing a program prints by itself begins with it."""
