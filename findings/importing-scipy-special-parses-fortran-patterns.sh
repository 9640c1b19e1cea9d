#!/usr/bin/env bash
# numpy 2.4.6 with scipy 1.17.1, Python 3.11.
#
# `import scipy.special` also imports numpy.f2py, the generator of Fortran wrappers, though nothing here is Fortran: SciPy
# makes copies of NumPy's namespace for its array API, which asks NumPy for every public name, and NumPy then imports its
# lazy submodules. f2py compiles its Fortran patterns at import. A command that wants one quantile of Student's t pays
# 60 to 100 ms of processor for it, a fifth to a third of what the import of scipy.special takes after NumPy's own.
#
# Seen on 2026-11-28:
#   numpy alone: numpy.f2py loaded: False
#   scipy.special: numpy.f2py.crackfortran loaded: True, 19% of the import's time
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - <<'PYTHON'
import subprocess
import sys

import numpy

print("numpy alone: numpy.f2py loaded:", "numpy.f2py" in sys.modules)
assert "numpy.f2py" not in sys.modules
command = [sys.executable, "-X", "importtime", "-c", "import numpy, scipy.special"]
subprocess.run(command, capture_output=True, check=True)  # writes the bytecode
lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()[1:]
took = {name.strip(): int(whole) for _, whole, name in (line.removeprefix("import time:").split("|") for line in lines)}
import scipy.special

loaded = "numpy.f2py.crackfortran" in sys.modules
share = took.get("numpy.f2py", 0) / took["scipy.special"]
print(f"scipy.special: numpy.f2py.crackfortran loaded: {loaded}, {share:.0%} of the import's time")
assert loaded
PYTHON
