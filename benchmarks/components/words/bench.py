"""Counts words in dictionaries; a variant makes more passes and counts the same, so that the true ratio is known."""

import argparse
import json
import time

PASSES = {"base": 20, "same": 20, "plus-5": 21}
WORDS = [f"word-{i * i % 1009}" for i in range(2000)]
SCENARIO = {"name": "count", "operation": "a pass over the words", "unit": "ns", "better": "lower", "metric": "time"}

parser = argparse.ArgumentParser()
parser.add_argument("command", choices=["describe", "run"])
for option in ("scenario", "variant", "warmup-ms", "sample-ms", "samples", "seed"):
    parser.add_argument(f"--{option}", default="0")
args = parser.parse_args()
if args.command == "describe":
    roles = {name: "before" if name == "base" else "after" for name in PASSES}
    variants = [{"name": name, "role": role, "scenarios": ["count"]} for name, role in roles.items()]
    about = {"protocol": 1, "component": "words", "runtime": {"name": "CPython", "version": "3"}}
    print(json.dumps({**about, "scenarios": [SCENARIO], "variants": variants}))
    raise SystemExit


def count() -> int:
    found: dict[str, int] = {}
    for word in WORDS:
        found[word] = found.get(word, 0) + 1
    return sum(found.values())


def sample(ms: int) -> dict[str, int]:
    ops, begun = 0, time.perf_counter_ns()
    while (ns := time.perf_counter_ns() - begun) < ms * 1e6 or not ops:
        for _ in range(PASSES[args.variant]):
            assert count() == len(WORDS)
        ops += PASSES["base"]
    return {"ops": ops, "ns": ns}


print(json.dumps({"type": "start", "protocol": 1, "component": "words", "scenario": "count", "variant": args.variant}))
if int(args.warmup_ms):
    sample(int(args.warmup_ms))
made = []
for i in range(int(args.samples)):
    made.append(sample(int(args.sample_ms)))
    print(json.dumps({"type": "sample", "i": i, **made[-1]}), flush=True)
totals = {key: sum(one[key] for one in made) for key in ("ops", "ns")}
checks = {"passed": True, "checks": ["every word was counted"]}
print(json.dumps({"type": "end", "samples": len(made), **totals, "validation": checks}))
