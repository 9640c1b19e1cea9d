"""Runs GoogleTest programs as the lab runs tests: reports in one folder, tests chosen by the ledger's names.

    python -m perflab.topics.googletest REPORTS [--only SUITE#NAME,SUITE#NAME] COMMAND [ARGUMENT]...

The command may be a test program or whatever starts some, such as `cmake --workflow`: GoogleTest reads what it should
do from the environment too. REPORTS is emptied first, since each program adds a file to it. A program that has none of
the chosen tests leaves a report without cases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run it and return the command's status."""
    folder, *command = arguments
    environment = {**os.environ, "GTEST_OUTPUT": f"xml:{Path(folder).resolve()}/", "GTEST_COLOR": "no"}
    if command[:1] == ["--only"]:
        # A parameterised test is `Instance/Suite.Name/0`, and one of a typed suite `Suite/0.Name`.
        names = (name.partition("#") for name in command[1].split(","))
        environment["GTEST_FILTER"] = ":".join(
            f"{suite}.{name}:*/{suite}.{name}/*:{suite}/*.{name}" for suite, _, name in names
        )
        command = command[2:]
    reports = Path(folder)
    reports.mkdir(parents=True, exist_ok=True)
    for stale in reports.glob("*.xml"):
        stale.unlink()
    # Not by `processes.start`: it belongs to the group of this module, which the lab started and ends.
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
