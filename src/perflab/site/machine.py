"""The page on what was measured with: machines, runtimes, revisions, and what those machines say about nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.analysis import band_of
from perflab.site import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perflab.environment import Machine
    from perflab.protocol import Runtime
    from perflab.site.writing import SiteWriter
    from perflab.statistics import NoiseBand
    from perflab.store import Run


@dataclass(frozen=True)
class Noise:
    """What an A/A run says of a scenario: variants that are the same, and how different they looked."""

    run: Run
    band: NoiseBand


def write_machine(writer: SiteWriter, runs: Iterable[Run], aa_runs: Iterable[Run]) -> None:
    """Write the page.

    Args:
        writer: The site.
        runs: Those that verdicts rest on.
        aa_runs: Those that measured a variant against itself.
    """
    chosen = list(runs)
    machines: dict[str, tuple[Machine, list[Run]]] = {}
    runtimes: dict[tuple[str, str], Runtime] = {}
    for run in chosen:
        machine = run.header.machine
        machines.setdefault(machine.id, (machine, []))[1].append(run)
        runtime = run.header.runtime
        runtimes[run.header.component, f"{runtime.name} {runtime.version}"] = runtime
    revisions = {
        (run.header.component, run.header.revision.commit, run.header.revision.dirty): run.header.created[:10]
        for run in chosen
    }
    writer.page(
        layout.MACHINE,
        "machine.html",
        machines=list(machines.values()),
        runtimes=sorted((topic, name, runtime.flags) for (topic, name), runtime in runtimes.items()),
        revisions=sorted((topic, commit, dirty, day) for (topic, commit, dirty), day in revisions.items()),
        noises=list(find_noise(aa_runs)),
        disturbed=[run for run in chosen if run.ending and run.ending.load.warnings()],
        measured=len(chosen),
    )


def find_noise(runs: Iterable[Run]) -> list[Noise]:
    """The noise band of each A/A run that has one."""
    found = []
    for run in runs:
        band = band_of(run, run.header.scenario.headline.of)
        if band is not None:
            found.append(Noise(run, band))
    return found
