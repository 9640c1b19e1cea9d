"""From which other work on does what a scenario says change? Each is measured quiet and beside a thread that computes.

PYTHONPATH=src .venv/bin/python benchmarks/busy.py burst wakeup      # keeps figures in data/busy.jsonl
PYTHONPATH=src .venv/bin/python benchmarks/busy.py --write           # the table, into docs/measuring.md
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import defaultdict

from load import beside
from plan import DATA, markdown, show

from perflab.model.lab import Lab
from perflab.store.runs import find_run

SCENARIOS = {
    "burst": "mailbox -s burst -v resizable -v linked",
    "wakeup": "mailbox -s wakeup -v resizable -v linked",
    "priority": "thread-pool -s priority -v dotnet -v catga-after -p work=ns -p low-amount=100000 -p high-amount=10000",
    "broker": "supervisor -s broker-throughput -v published -v lab",
    "push": "sequencer -s push -v absl-mutex -v per-scanner-published -p scanners=2",
    "merge": "sequencer -s merge -v per-scanner-published -v lab",
}
SHARES = (0.0, 0.0, 0.1, 0.25, 0.5, 1.0)  # of one processor; quiet twice
BANDS = {"quiet": 0.0, "up to 10 %": 0.1, "to 20 %": 0.2, "to 35 %": 0.35, "above": 1.0}
KEPT = DATA / "busy.jsonl"


def measure(name: str, share: float) -> dict[str, object]:
    """Measure a scenario's pair for 20 seconds; return its factor, interval, and what others took meanwhile."""
    command = [sys.executable, "-P", "-m", "perflab", "measure", *SCENARIOS[name].split(), "--quick", "--json"]
    with beside("busy" if share else "quiet", share=share):
        done = subprocess.run([*command, "--budget", "20"], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    (pair,) = found["comparisons"]
    ending = find_run(found["run"], Lab.from_environment().results).ending
    taken = {"others": ending.load.others, "rounds": ending.rounds} if ending else {}
    return {"scenario": name, "share": share, **taken, **{one: pair[one] for one in ("estimate", "low", "high")}}


def table() -> str:
    """Return each scenario's factors by the share that others took; bold where no quiet interval holds the estimate."""
    runs = defaultdict(list)
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        runs[one["scenario"]].append(one)
    rows = []
    for name, found in runs.items():
        quiet = [one for one in found if not one["share"]]
        low, high = min(one["low"] for one in quiet), max(one["high"] for one in quiet)
        cells: dict[str, list[str]] = {band: [] for band in BANDS}
        for one in sorted(found, key=lambda one: one["others"]):
            band = next(band for band, most in BANDS.items() if (one["others"] if one["share"] else 0) <= most)
            mark = "" if low <= one["estimate"] <= high else "**"
            more = f" ({one['others']:.0%})" if one["share"] else ""
            cells[band].append(f"{mark}{one['estimate']:.3g}{mark} [{one['low']:.3g}, {one['high']:.3g}]{more}")
        rows.append([name, *("; ".join(said) for said in cells.values())])
    return markdown(["scenario", *BANDS], rows)


if __name__ == "__main__":
    for scenario in sys.argv[1:]:
        if scenario in SCENARIOS:
            for taken in random.sample(SHARES, len(SHARES)):
                line = json.dumps(measure(scenario, taken))
                with KEPT.open("a", encoding="utf-8") as kept:
                    print(line, file=kept)
    if "--write" in sys.argv:
        show("busy table", table())
