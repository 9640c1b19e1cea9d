"""Run GoogleTest programs with reports in one folder, and tests selected by the names in ledgers.

    python -m perflab.topics.googletest REPORTS [--only SUITE#NAME,SUITE#NAME] COMMAND [ARGUMENT]...

The command may be a test program or one that starts some, such as `cmake --workflow`, since GoogleTest also reads
options from the environment. REPORTS is emptied first, since each program adds a file to it. A program with none of
the selected tests writes a report without cases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    folder, *command = arguments
    environment = {**os.environ, "GTEST_OUTPUT": f"xml:{Path(folder).resolve()}/", "GTEST_COLOR": "no"}
    if command[:1] == ["--only"]:
        # A parameterised test is `Instance/Suite.Name/0`, a typed one `Suite/0.Name`.
        names = (name.partition("#") for name in command[1].split(","))
        environment["GTEST_FILTER"] = ":".join(
            f"{suite}.{name}:*/{suite}.{name}/*:{suite}/*.{name}" for suite, _, name in names
        )
        command = command[2:]
    reports = Path(folder)
    reports.mkdir(parents=True, exist_ok=True)
    for stale in reports.glob("*.xml"):
        stale.unlink()
    # Not with `processes.start`: it stays in the group of this module, which the lab started and ends.
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
