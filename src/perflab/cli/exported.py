"""`lab compare` of the results that hyperfine exports (`--export-json`), of versions 1.0 and later."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from perflab.cli.output import Output, show_table
from perflab.model.errors import MissingError, UsageError, one_line, unknown
from perflab.model.format import change_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.stats.comparison import Comparison


_NEWEST_SCHEMA = 2
_UNIT = "s"


class _Time(msgspec.Struct, frozen=True):
    value: float
    unit: Literal["second"]


class _Run(msgspec.Struct, frozen=True):
    """A run, as schema 2 has it."""

    time_wall_clock: _Time
    exit_code: int | None


class _Result(msgspec.Struct, frozen=True):
    """A command: the seconds and exit status of each run in lists of their own, or in `measurements` (schema 2)."""

    command: str
    name: str | None = None
    parameters: dict[str, Any] = {}
    times: list[float] = []
    exit_codes: list[int | None] = []
    measurements: list[_Run] = []
    is_reference: bool = False

    @property
    def label(self) -> str:
        """Its name, and the parameters whose values are not in it."""
        text = self.name or self.command
        values = {name: str(one["value"] if isinstance(one, dict) else one) for name, one in self.parameters.items()}
        unused = ", ".join(f"{name} = {value}" for name, value in values.items() if value not in text)
        return f"{text} ({unused})" if unused else text

    @property
    def times_s(self) -> list[float]:
        """Wall time of each run."""
        return self.times or [run.time_wall_clock.value for run in self.measurements]

    @property
    def failed(self) -> int:
        """How many runs ended with a status other than 0."""
        return sum(code != 0 for code in self.exit_codes or [run.exit_code for run in self.measurements])


class _File(msgspec.Struct, frozen=True):
    results: list[_Result]
    schema_version: int = 1


def is_exported(name: str) -> bool:
    """Say whether a name is that of a file of results; runs, baselines and revisions do not end so."""
    return name.endswith(".json")


def compare_exported(output: Output, names: Sequence[str], baseline: str | None) -> int:
    """Compare the commands of a file with its reference or first one, or those of a second file each with itself.

    Returns:
        The exit status: 1 if a command is slower in the second file.
    """
    files = [_read(name) for name in names]
    commands = {name: result for file in files for name, result in file.items()}
    if len(files) == 1:
        (only,) = files
        base = baseline or next((name for name, one in only.items() if one.is_reference), next(iter(only)))
        if base not in only:
            raise unknown(f"command in {names[0]}", base, only)
        pairs = [(only[base], base, one, name) for name, one in only.items() if name != base]
        how = "hyperfine runs one command after the other, not in random order"
    else:
        if baseline is not None:
            raise UsageError("--baseline names a command of one file", "leave it out")
        pairs = [(before, names[0], files[1][name], name) for name, before in files[0].items() if name in files[1]]
        if not pairs and [len(file) for file in files] == [1, 1]:
            (first, before), (second, after) = (next(iter(file.items())) for file in files)
            pairs = [(before, first, after, second)]
        if not pairs:
            raise UsageError("no command is in both files", f"{names[0]} has {', '.join(files[0])}")
        how = "the runs of the two files did not take turns"
    compared = [_compare(before, first, after, second, len(pairs)) for before, first, after, second in pairs]
    notes = [
        f"{how}: drift of the machine is in the ratio, and its interval does not cover it",
        *(f"{name}: {one.failed} runs failed, and count" for name, one in commands.items() if one.failed),
        *(f"{one.candidate}: {flag}" for one in compared for flag in one.flags),
    ]
    _show(output, files, compared, notes)
    return int(len(files) > 1 and any(one.verdict == "slower" for one in compared))


def _read(name: str) -> dict[str, _Result]:
    """Return the commands of a file by their labels; the second of two alike is called `... #2`."""
    try:
        found = msgspec.json.decode(Path(name).read_bytes(), type=_File)
    except OSError as error:
        raise MissingError(f"cannot read {name}: {error.strerror}", "check its name, and the folder") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = "write one with hyperfine --export-json"
        raise UsageError(f"{name} has no results of hyperfine's: {one_line(error)}", hint) from None
    if found.schema_version > _NEWEST_SCHEMA:
        raise UsageError(f"{name} is of schema {found.schema_version}, this perflab reads {_NEWEST_SCHEMA}")
    results: dict[str, _Result] = {}
    seen: Counter[str] = Counter()
    for one in found.results:
        if not one.times_s:
            raise UsageError(f"{name} has no times of {one.label}", "only --export-json writes the time of each run")
        seen[one.label] += 1
        results[one.label if seen[one.label] == 1 else f"{one.label} #{seen[one.label]}"] = one
    if not results:
        raise UsageError(f"{name} has no results", "hyperfine writes them as each command has ended")
    return results


def _compare(before: _Result, first: str, after: _Result, second: str, candidates: int) -> Comparison:
    from perflab.measure.analysis import figures
    from perflab.stats.comparison import simultaneous_confidence
    from perflab.stats.interval import CONFIDENCE
    from perflab.stats.unpaired import compare_unpaired

    level = simultaneous_confidence(CONFIDENCE, candidates)
    with figures(f"{second} cannot be compared with {first}"):
        return compare_unpaired(
            before.times_s, after.times_s, "time", _UNIT, "lower", labels=(first, second), confidence=level
        )


def _show(
    output: Output, files: Sequence[dict[str, _Result]], compared: Sequence[Comparison], notes: Sequence[str]
) -> None:
    from perflab.stats.diagnostics import summarise

    told = [{name: summarise(one.times_s, _UNIT) for name, one in file.items()} for file in files]
    against = {one.candidate: f"{change_word(one.verdict, _UNIT, one.better)}, {one.change}" for one in compared}
    rows = [
        [name, *(str(file[name].mean) if name in file else "n/a" for file in told), against.get(name, "")]
        for name in dict.fromkeys(name for file in told for name in file)
    ]
    heads = ["mean"] if len(files) == 1 else ["mean before", "mean after"]
    last = "after against before" if len(files) > 1 else f"against {compared[0].baseline}" if compared else ""
    show_table(output, ["command", *heads, last], rows)
    for note in notes:
        output.say(f"note: {note}")
    output.result(
        {
            "comparisons": [one.to_dict() for one in compared],
            "figures": {one.candidate: one.figures for one in compared},
            "variants": [{name: one.to_dict() for name, one in file.items()} for file in told],
            "notes": list(notes),
        }
    )
