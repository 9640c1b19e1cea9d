"""The statistics stand at the bottom of the package, and importing them is cheap."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MODEL = ["perflab.model", "perflab.model.estimate", "perflab.model.format", "perflab.model.units"]
ROOM = sorted(f"perflab.stats.{path.stem}" for path in (SOURCE / "perflab" / "stats").glob("[a-z]*.py"))


def test_importing_loads_neither_numpy_nor_scipy_nor_more_of_the_lab_than_numbers_need() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {', '.join(ROOM)}; "
        "print(*sorted(name for name in sys.modules if name.split('.')[0] in {'numpy', 'scipy', 'perflab'}))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "perflab.stats" in loaded
    strangers = [name for name in loaded if not name.startswith("perflab.stats") and name != "perflab"]
    assert strangers == MODEL


def test_a_comparison_does_without_scipy() -> None:
    # A second of importing, which would fall between two forks when the precision is first looked at.
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from perflab.stats.comparison import compare; "
        "from perflab.stats.diagnostics import diagnose; "
        "values = {'a': [float(i) for i in range(1, 10)], 'b': [float(i * i) for i in range(1, 10)]}; "
        "compare(values, 'a', 'm', 'u', 'higher'); diagnose(values['b'], 'u'); "
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
