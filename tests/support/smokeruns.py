"""Runs that a notebook finds instead of measuring: a test of a notebook is of its cells, texts and charts.

They are the committed reference runs, as if the smoke preset had measured them, and what is not among those as it was
measured when the notebook was first executed on this machine with the topic's present sources and the present way of
measuring. That measuring works, on every topic, is what the tests marked `build` show.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.measure.measure import REUSE_VARIABLE
from perflab.measure.plan import PRESET_VARIABLE
from perflab.measure.presets import PRESETS, PROVES_NOTHING
from perflab.model.lab import CHECKOUT, Lab, user_cache
from perflab.store.runs import find_runs
from perflab.topics.build import build_module, sources_print
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component

LAB = Lab.from_environment()

KINDS = ("measure", "noise")
KEPT = user_cache() / "smoke-runs"
MEASURING = ("host", "measure", "model", "store", "topics")
"""The rooms of `src/perflab` whose code makes a run what it is."""


def provide_topic(notebook: str) -> Component | None:
    """The topic of a notebook, with the module built that it imports."""
    topic = next((one for one in find_components(LAB) if f"notebooks/{notebook}" in one.notebooks), None)
    if topic is not None and topic.manifest.module is not None:
        build_module(topic)
    return topic


def environment(results: Path) -> dict[str, str]:
    """Variables for whoever measures there: as shortly as can be, and nothing twice."""
    return {
        PRESET_VARIABLE: "smoke",
        REUSE_VARIABLE: "2000-01-01T00:00:00+00:00",
        "PERFLAB_RESULTS": str(results),
    }


def lay_out(component: Component, results: Path) -> None:
    """Put what there is of it there, as if it had been measured on this machine with the present commit."""
    (results / "runs").mkdir(parents=True, exist_ok=True)
    present = msgspec.to_builtins({"machine": this_machine(), "revision": this_revision(CHECKOUT)})
    asked = msgspec.to_builtins({"preset": PROVES_NOTHING, "options": PRESETS[PROVES_NOTHING], "planned": {}})
    reference = (run.folder for run in find_runs(LAB.reference, component=component.name))
    for run in [*reference, *_folder(component).glob("*")]:
        header = json.loads((run / "run.json").read_text(encoding="utf-8")) | present
        if run.is_relative_to(LAB.reference):
            header |= asked
        copy = shutil.copytree(run, results / "runs" / run.name)
        (copy / "run.json").write_text(json.dumps(header), encoding="utf-8")


def keep(component: Component, results: Path) -> None:
    """Keep what has been measured there and can be taken again; what is kept of other sources is removed."""
    folder = _folder(component)
    for old in KEPT.glob(f"{component.name}-*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for run in find_runs(results, component=component.name):
        header, ending = run.header, run.ending
        committed = (LAB.reference / "runs" / run.id).exists()
        of_use = not committed and header.kind in KINDS and not header.plugin and ending and ending.complete
        if of_use and not (folder / run.id).exists():
            with tempfile.TemporaryDirectory(dir=KEPT, prefix=".") as scratch:
                shutil.copytree(run.folder, Path(scratch) / run.id).rename(folder / run.id)


def _folder(component: Component) -> Path:
    digest = hashlib.sha256(sources_print(component).encode())
    for room in MEASURING:
        for path in sorted((CHECKOUT / "src" / "perflab" / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return KEPT / f"{component.name}-{digest.hexdigest()[:16]}"
