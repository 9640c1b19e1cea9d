#!/usr/bin/env bash
# pint 0.25.3, Python 3.11.
#
# Units that benchmark tools print are valid to pint's default registry, and mean something else: `fps` are feet a second, not
# frames, `Mb/s` megabarns, an area, a second, `rps` revolutions and `cycles` turns, so that a cycle is 6.28 radians. None of
# them raises, so frames a second convert to metres a second; `ops/s` and `KB` raise.
#
# Seen on 2026-11-29:
#   fps: foot_per_second, 60 fps are 18.3 m/s; Mb/s: megabarn / second; rps: revolutions_per_second; cycles: turn
#   ops/s and KB: UndefinedUnitError
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pint==0.25.3
"$folder/venv/bin/python" - <<'PYTHON'
import pint

units = pint.UnitRegistry()
found = {name: str(units.parse_units(name)) for name in ("fps", "Mb/s", "rps", "cycles")}
metres = units.Quantity(60, "fps").to("m/s").magnitude
print(f"60 fps are {metres:.1f} m/s;", "; ".join(f"{name}: {unit}" for name, unit in found.items()))
assert found == {"fps": "foot_per_second", "Mb/s": "megabarn / second", "rps": "revolutions_per_second", "cycles": "turn"}
for name in ("ops/s", "KB"):
    try:
        units.parse_units(name)
    except pint.UndefinedUnitError as error:
        print(f"{name}: {type(error).__name__}")
    else:
        raise SystemExit(f"{name} is read")
PYTHON
