"""Check the budget of lines, `[tool.perflab.budget]` of pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {".lock", ".csv", ".jsonl", ".json", ".npz", ".png", ".txt", ".ipynb"}


def count_lines(path: str) -> int:
    """Count the lines of the files below `path` that people write and git tracks."""
    command = ["git", "ls-files", "-z", "--", path]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    files = (ROOT / name for name in listed.stdout.split("\0") if name)
    return sum(file.read_bytes().count(b"\n") for file in files if file.is_file() and file.suffix not in GENERATED)


def main() -> int:
    """Print each package with its lines and its budget; fail if one has more lines than its budget."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    budget: dict[str, int] = project["tool"]["perflab"]["budget"]
    lines = {path: count_lines(path) for path in budget}
    for path, most in budget.items():
        over = f", {lines[path] - most} too many" if lines[path] > most else ""
        print(f"{path:<26}{lines[path]:>8} of {most}{over}")
    print(f"{'together':<26}{sum(lines.values()):>8} of {sum(budget.values())}")
    if any(lines[path] > most for path, most in budget.items()):
        print("Remove something, or raise the budget in the same commit and say in its message why.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
