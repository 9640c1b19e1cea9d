"""What is private on this machine is planted everywhere, and must be in nothing that a run leaves behind."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from labs import Lab

if TYPE_CHECKING:
    from pathlib import Path

_MANIFEST = """
name = "gossip"
title = "Gossip"
bottleneck = "saying less"
language = "python"
requires = ["python"]
build.command = ["{python}", "-c", "pass"]
bench.command = ["{python}", "bench.py"]
"""
_BENCH = """
import json, os, socket, sys
from pathlib import Path

secrets = [f"{name}={value}" for name, value in os.environ.items() if "CANARY" in value]
seen = [os.environ["JAVA_TOOL_OPTIONS"], *os.environ["JAVA_TOOL_OPTIONS"].split(), *secrets, "-XX:OnError=CANARY"]
runtime = {"name": "JVM", "version": f"21 of {Path.home()}/CANARY/java", "flags": ["-Xmx1g", *seen]}
rumour = f"{__file__} {Path.cwd()}/x {Path.home()}/.m2 {os.environ['HTTPS_PROXY']} -Dhttp.proxyPassword=CANARY"
rumour += f" {os.environ['USER']}@{socket.gethostname()} /data/{os.environ['USER']}/x http://localhost:8/?token=CANARY"
rumour += f"\\nPicked up JAVA_TOOL_OPTIONS: {os.environ['JAVA_TOOL_OPTIONS']}"


def say(**message):
    print(json.dumps(message), flush=True)


if sys.argv[1] == "describe":
    scenario = {"name": "any", "operation": "anything", "unit": "op/s", "better": "higher", "parameters": [
        {"name": "size", "type": "int", "default": 1}]}
    variants = [{"name": name, "role": "peer", "scenarios": ["any"]} for name in ("good", "says", "logs", "voids")]
    say(protocol=1, component="gossip", runtime=runtime, scenarios=[scenario], variants=variants)
    raise SystemExit
variant = sys.argv[sys.argv.index("--variant") + 1]
say(type="start", protocol=1, component="gossip", scenario="any", variant=variant, runtime=runtime)
if variant == "logs":
    print("\\n".join(reversed(rumour.splitlines())), file=sys.stderr, flush=True)
    raise SystemExit(1)
if variant in {"says", "voids"}:
    say(type="error", kind="void" if variant == "voids" else "internal", message=rumour)
    raise SystemExit(4)
say(type="sample", i=0, ops=10, ns=1000)
say(type="end", samples=1, ops=10, ns=1000, validation={"passed": True})
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    project = tmp_path / "CANARY-place"
    component = project / "components" / "gossip"
    component.mkdir(parents=True)
    (component / "component.toml").write_text(_MANIFEST, encoding="utf-8")
    (component / "bench.py").write_text(_BENCH, encoding="utf-8")
    (project / "home").mkdir()
    return Lab(
        project,
        PERFLAB_COMPONENTS=str(project / "components"),
        HOME=str(project / "home"),
        USER="canaryuser",
        LOGNAME="canaryuser",
        JAVA_TOOL_OPTIONS="-Dhttp.proxyPassword=CANARY -Xlog:gc:file=/CANARY/gc.log",
        DOTNET_foo="CANARY",
        DOTNET_TieredPGO="CANARY",
        HTTPS_PROXY="http://somebody:CANARY@proxy.example:3128",
    )


def _left_behind(results: Path) -> dict[str, str]:
    """All files by their names, tables as text."""
    found = {}
    for path in sorted(results.rglob("*")):
        if path.suffix == ".parquet":
            found[path.name] = pd.read_parquet(path).to_csv()
        elif path.is_file():
            found[path.name] = path.read_text(encoding="utf-8")
    return found


def test_a_run_a_sweep_and_a_baseline_hold_nothing_private(lab: Lab) -> None:
    lab("measure", "gossip", "--save-baseline", "before", status=4)
    lab("sweep", "gossip", "--over", "size=1", "--variant", "says", status=4)
    files = _left_behind(lab.results)
    assert {"run.json", "end.json", "forks.jsonl", "forks.parquet", "sweep.json", "points.jsonl"} <= files.keys()
    for name, text in files.items():
        assert "CANARY" not in text, name
        assert "canaryuser" not in text, name
        assert f"@{socket.gethostname()}" not in text, name
        assert str(lab.results.parent) not in text, name
    # What helps to find the reason is still there.
    assert "gossip/bench.py" in files["end.json"]
    assert "-Xmx1g" in files["run.json"]
