#!/usr/bin/env bash
# google-benchmark 1.9.5 (the Python package of Google Benchmark), Python 3.11.
#
# In the JSON of Google Benchmark user counters are members of a repetition's object, beside the harness's own, whatever they are
# called: one that is called `iterations` or `name` stands there twice. That is valid to write, and most readers keep the last
# member, so that a program which reads the file finds a benchmark with another name that ran three times.
#
# Seen on 2026-11-29:
#   "iterations" stands 2 times, "name" 2 times; json.loads reads name 7.0 and iterations 3.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet google-benchmark==1.9.5
cat > "$folder/bench.py" <<'PYTHON'
import google_benchmark


@google_benchmark.register
def get(state):
    while state:
        sum(range(10))
    state.counters["name"] = 7.0
    state.counters["iterations"] = 3.0


google_benchmark.main()
PYTHON
"$folder/venv/bin/python" "$folder/bench.py" --benchmark_min_time=0.01s --benchmark_format=json > "$folder/out.json" 2> "$folder/log"
python3 - "$folder/out.json" <<'PYTHON'
import json
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text()
row = text[text.index('"benchmarks"') :]
found = json.loads(text)["benchmarks"][0]
counts = [row.count(f'"{name}":') for name in ("iterations", "name")]
print(f'"iterations" stands {counts[0]} times, "name" {counts[1]} times; ', end="")
print(f"json.loads reads name {found['name']} and iterations {found['iterations']}")
assert counts == [2, 2] and (found["name"], found["iterations"]) == (7.0, 3.0)
PYTHON
