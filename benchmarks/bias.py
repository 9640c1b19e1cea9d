"""How far off is a pair that shares a core? Ten pairs of programs, sliced and one after the other, by their CPU time.

PYTHONPATH=src .venv/bin/python benchmarks/bias.py            # measures; keeps figures in data/bias.jsonl
PYTHONPATH=src .venv/bin/python benchmarks/bias.py --write    # the table, into docs/measuring.md
"""

from __future__ import annotations

import json
import math
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import rivals
from plan import DATA, markdown, show
from rivals import BUILT, PROGRAMS
from trial import clean_environment

from perflab.model.lab import CHECKOUT

KEPT = DATA / "bias.jsonl"
_WAYS = {
    "sliced": ["--pairs", "sliced", "--metric", "cpu", "--budget", "20"],
    "apart": ["--pairs", "apart", "--metric", "cpu", "--budget", "60"],
    "quick": ["--quick"],
}
_JSON = "import json; text = open('text').read().split(); [json.loads(json.dumps(text)) for _ in range(4)]"
PAIRS = {
    "objects (Node), 1.3 times the work": (f"node {PROGRAMS}/objects.js 1000", f"node {PROGRAMS}/objects.js 1300"),
    "allocate (C++), 1.3 times the work": (f"{BUILT}/allocate 1000", f"{BUILT}/allocate 1300"),
    "words (Python), 1.3 times the work": (
        f"{sys.executable} {PROGRAMS}/words.py 1000",
        f"{sys.executable} {PROGRAMS}/words.py 1300",
    ),
    "chase (C, memory-bound), 1.3 times the work": (f"{BUILT}/chase 1000", f"{BUILT}/chase 1300"),
    "chase : stream (both memory-bound)": (f"{BUILT}/chase 1000", f"{BUILT}/stream 1000"),
    "allocate : stream": (f"{BUILT}/allocate 1000", f"{BUILT}/stream 1000"),
    "gzip -6 : gzip -9": ("gzip -6 -c text", "gzip -9 -c text"),
    "sha256sum : sha512sum": ("sha256sum text text text", "sha512sum text text text"),
    "sort : sort -u": ("sort --parallel=1 text", "sort --parallel=1 -u text"),
    "awk : Python, JSON": (
        "awk '{n[$1]++} END {for (w in n) print w, n[w]}' text",
        shlex.join([sys.executable, "-c", _JSON]),
    ),
}


def measure(name: str, way: str, folder: Path) -> dict[str, object]:
    """Compare a pair in one way by its CPU time; return the ratio and its interval."""
    environment = clean_environment(PYTHONPATH=str(CHECKOUT / "src"), PERFLAB_RESULTS=str(folder / "results"))
    options = [*_WAYS[way], "--rounds", "1000", "--precision", "0.001", "--json"]
    command = [sys.executable, "-P", "-m", "perflab", "bench", *PAIRS[name], *options]
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    printed = json.loads(done.stdout)
    (said,) = printed["comparisons"]
    return {"pair": name, "way": way, "chosen": printed["pairs"]} | {
        one: said[one] for one in ("estimate", "low", "high")
    }


def table() -> str:
    """Return each pair's ratios, and how far apart they are, as Markdown."""
    rows = []
    found = {(one["pair"], one["way"]): one for one in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines())}
    for name in PAIRS:
        apart, sliced, quick = (found[name, way] for way in ("apart", "sliced", "quick"))
        off = math.log(sliced["estimate"] / apart["estimate"])
        half = math.hypot(*(math.log(one["high"] / one["low"]) / 2 for one in (apart, sliced)))
        said = [f"{one['estimate']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in (apart, sliced, quick)]
        differs = f"{off:+.1%} ± {half:.1%}{'' if abs(off) <= half else ': **differs**'}"
        rows.append([name, *said[:2], differs, said[2], quick["chosen"]])
    return markdown(["pair", "one after the other", "sliced", "sliced is off by", "`--quick`", "way it chose"], rows)


def main() -> None:
    """Measure what is missing, or write the table."""
    if "--write" in sys.argv:
        show("bias table", table())
        return
    rivals.build()
    with tempfile.TemporaryDirectory() as name:
        folder, drawn = Path(name), random.Random(1)  # noqa: S311 - the same text each time
        words = (f"{drawn.randrange(50_000):x}{drawn.randrange(16) * 'z'} {i % 977}" for i in range(300_000))
        (folder / "text").write_text("\n".join(words) + "\n", encoding="utf-8")
        done = KEPT.read_text(encoding="utf-8") if KEPT.exists() else ""
        for pair in PAIRS:
            for way in _WAYS:
                if f'"pair": "{pair}", "way": "{way}"' not in done:
                    found = measure(pair, way, folder)
                    print(found, file=sys.stderr)
                    with KEPT.open("a", encoding="utf-8") as kept:
                        print(json.dumps(found), file=kept)


if __name__ == "__main__":
    main()
