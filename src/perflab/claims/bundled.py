"""Verdicts of several machines side by side, never pooled: the evidence of others comes in bundles."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.claims.evidence import Results
from perflab.claims.ledger import read_ledger
from perflab.claims.verdict import judge_ledger
from perflab.host.machine import this_machine
from perflab.model.errors import UsageError
from perflab.model.redact import Redactor
from perflab.store.bundles import open_bundle, redacted, write_bundle
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, PROFILE_FILE, SAMPLES, TESTS_FILE, profile_folder
from perflab.store.tables import write_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from perflab.claims.ledger import Ledger
    from perflab.claims.verdict import Verdict
    from perflab.host.machine import Machine
    from perflab.model.lab import Lab
    from perflab.store.bundles import Bundle
    from perflab.store.records import TestRecord


@dataclass(frozen=True)
class OneMachine:
    """The verdicts by claim on one machine's evidence, which is a bundle's file, `here` or `reference runs`."""

    name: str
    machine: Machine | None
    verdicts: dict[str, Verdict]

    @property
    def title(self) -> str:
        """The name, and the number of processors."""
        if self.machine is None:
            return self.name
        cores = self.machine.usable_cores
        return f"{self.name}, {cores:g} core{'s' * (cores != 1)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        return {
            "name": self.name,
            "machine": self.machine and {"id": self.machine.id, "title": self.machine.title},
            "verdicts": {claim: one.word for claim, one in self.verdicts.items()},
            "measured": {claim: str(one.evidence.estimate or "") for claim, one in self.verdicts.items()},
        }


def export(lab: Lab, reports: Sequence[str], target: Path) -> tuple[Bundle, str]:
    """Write this machine's evidence on reports to a bundle; return it, and what was replaced since it is private."""
    redact = Redactor()
    files: dict[str, bytes] = {}
    tests: dict[tuple[str, str], TestRecord] = {}
    for name in reports:
        ledger = read_ledger(name, lab.claims)
        results = Results.local(lab, ledger.component)
        verdicts = judge_ledger(lab, ledger, [results])
        used = {name for one in verdicts for name in one.evidence.runs}
        files |= dict(_files(lab, results, used, redact))
        tests |= {(one.component, one.test): one for one in results.tests if one.test in used}
    if tests:
        lines = (redact(msgspec.json.encode(one).decode()) for one in tests.values())
        files[TESTS_FILE] = "".join(f"{line}\n" for line in lines).encode()
    if not files:
        raise UsageError(
            f"nothing of {', '.join(reports)} was measured on this machine", "measure it: ./lab reproduce --quick"
        )
    return write_bundle(target, this_machine(), list(reports), files), str(redact)


def _files(lab: Lab, results: Results, used: set[str], redact: Redactor) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the runs and profiles that are used, by their paths in a results folder."""

    def text(path: Path, record: msgspec.Struct) -> tuple[str, bytes]:
        # Encoded from the record, without whatever else the file holds.
        content = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
        return path.relative_to(lab.results).as_posix(), redact(content).encode()

    apart = Redactor()
    for run in results.runs:
        if run.id in used:
            labels = {arm.label for arm in run.header.arms}
            if len(set(map(apart, labels))) < len(labels):
                raise UsageError(
                    f"run {run.id}: variants differ only in what is private", "measure them by other names"
                )
            yield text(run.folder / HEADER_FILE, run.header)
            if run.ending is not None:
                yield text(run.folder / ENDING_FILE, run.ending)
            for name in (SAMPLES, FORKS):
                table = io.BytesIO()
                write_table(table, redacted(run.table(name), redact))
                yield f"runs/{run.id}/{name}.npz", table.getvalue()
    for one in results.profiles:
        if one.id in used:
            yield text(profile_folder(one.id, lab.results) / PROFILE_FILE, one)


def side_by_side(lab: Lab, ledger: Ledger, bundles: Sequence[Path]) -> list[OneMachine]:
    """Return the verdicts here, by the reference runs if nothing was measured, then those of each bundle's machine."""
    here, reference = Results.local(lab, ledger.component), Results.reference(lab, ledger.component)
    counted = here.counting()
    own = here if counted.runs or counted.profiles or counted.tests else reference
    found = [_judged(lab, ledger, "here" if own is here else "reference runs", own)]
    for path in bundles:
        with open_bundle(path) as (bundle, folder):
            results = Results.bundle(folder, ledger.component, bundle.machine)
            found.append(_judged(lab, ledger, path.name, results, bundle.machine))
    return found


def _judged(lab: Lab, ledger: Ledger, name: str, results: Results, machine: Machine | None = None) -> OneMachine:
    machine = machine or next((run.header.machine for run in reversed(results.runs)), None)
    return OneMachine(name, machine, {one.claim.id: one for one in judge_ledger(lab, ledger, [results])})


def agreement(machines: Sequence[OneMachine]) -> tuple[list[str], list[str]]:
    """Return the claims that all machines judged with one word, and those that they judged differently."""
    judged = [
        claim
        for claim in machines[0].verdicts
        if all(one.verdicts[claim].word not in {"not run", "untestable here"} for one in machines)
    ]
    same = [claim for claim in judged if len({one.verdicts[claim].word for one in machines}) == 1]
    return same, [claim for claim in judged if claim not in same]
