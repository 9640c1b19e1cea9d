"""The options of `lab bench` that hyperfine's users know, and its files of results."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.options import combine_options
from perflab.model.errors import UsageError
from perflab.model.format import typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.store.records import Arm
    from perflab.store.runs import Run


_ALL = "all-non-zero"
_MOST = 3000
_ROUNDS = click.IntRange(1, _MOST)
_FORMS = ("json", "csv", "markdown")

command_options = combine_options(
    click.option("--name", "--command-name", "-n", "names", multiple=True, help="Of a command; one for each."),
    click.option(
        "--setup", "-s", metavar="CMD", help="Of commands: run this once before, or for each value of --over."
    ),
    click.option(
        "--prepare",
        "-p",
        multiple=True,
        metavar="CMD",
        help="Run this before each run; one for all, or for each command.",
    ),
    click.option(
        "--conclude",
        "-C",
        multiple=True,
        metavar="CMD",
        help="Run this after each run; one for all, or for each command.",
    ),
    click.option("--cleanup", "-c", metavar="CMD", help="Run this at the end, also after an error or Ctrl-C."),
    click.option("--input", metavar="FILE", help="What commands read [default: null]."),
    click.option(
        "--output",
        "outputs",
        multiple=True,
        metavar="WHERE",
        help="Where commands write: null, pipe, inherit or ./FILE; one for all, or for each [default: pipe].",
    ),
    click.option("--show-output", is_flag=True, help="As --output=inherit."),
    click.option(
        "--shell",
        "-S",
        metavar="SHELL",
        help="Run all commands in this shell; default or none [default: /bin/sh if one of them needs it].",
    ),
    click.option("-N", "shell", flag_value="none", help="As --shell=none."),
    click.option(
        "--ignore-failure",
        "-i",
        metavar="[=CODES]",
        help="Also count runs that end with a status other than 0, or with one of these: --ignore-failure=1,2.",
    ),
    click.option(
        "--parameter-list",
        "-L",
        nargs=2,
        multiple=True,
        metavar="VAR VALUES",
        help="As --over VAR=VALUES; repeatable.",
    ),
    click.option("--parameter-scan", "-P", nargs=3, metavar="VAR MIN MAX", help="As --over VAR=MIN..MAX:STEP."),
    click.option("--parameter-step-size", "-D", metavar="STEP", help="Of --parameter-scan [default: 1]."),
    click.option("--runs", "-r", type=_ROUNDS, help="Run exactly so many rounds."),
    click.option("--min-runs", "-m", type=_ROUNDS, help="Run at least so many rounds."),
    click.option("--max-runs", "-M", type=_ROUNDS, help="Run at most so many rounds."),
    *(
        click.option(f"--export-{form}", metavar="FILE", help=f"Of commands: write what hyperfine writes as {form}.")
        for form in _FORMS
    ),
)


def with_equals(arguments: Sequence[str]) -> list[str]:
    """Return a command line in which `-i` takes a value only behind `=`, as hyperfine's does."""
    found = list(arguments)
    end = found.index("--") if "--" in found else len(found)
    for i, one in enumerate(found[:end]):
        if one in {"-i", "--ignore-failure"}:
            found[i] = f"--ignore-failure={_ALL}"
        elif one.startswith("-i="):
            found[i] = f"--ignore-failure{one[2:]}"
    return found


def bench_fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return fields of a saved bench that options give, in the order of hyperfine's own parameters."""
    found: dict[str, Any] = {name: list(options[name]) for name in ("names", "prepare", "conclude")}
    found |= {name: options[name] for name in ("setup", "cleanup", "input", "shell")}
    found["output"] = ["inherit"] if options["show_output"] else list(options["outputs"])
    codes = options["ignore_failure"]
    try:
        found["ignore_failure"] = codes in {_ALL, ""} or (codes is not None and [int(one) for one in codes.split(",")])
    except ValueError:
        raise UsageError(f"cannot read --ignore-failure={codes}", "numbers, as in --ignore-failure=1,2") from None
    return found | {"over": [*options["over"], *_lists(options), *_scan(options)]}


def round_limits(options: dict[str, Any]) -> dict[str, float]:
    """Return the preset's fields that `--runs`, `--min-runs` and `--max-runs` set."""
    runs, least, most = options["runs"], options["min_runs"], options["max_runs"]
    if (runs and (least or most)) or (least and most and least > most):
        raise UsageError("--runs, --min-runs and --max-runs contradict each other", "leave one of them out")
    found = {"min_rounds": runs or least, "max_rounds": runs or most}
    return {name: value for name, value in found.items() if value}


def _lists(options: dict[str, Any]) -> Iterator[str]:
    for name, values in options["parameter_list"]:
        if "\\," in values or re.fullmatch(r"[-0-9,]*(\.\.|:)[-0-9,.:]*", values):
            raise UsageError(f"a value of {name} has a comma, or is a range for --over", "put it into a script")
        yield f"{name}={values}"


def _scan(options: dict[str, Any]) -> Iterator[str]:
    step = options["parameter_step_size"]
    if not options["parameter_scan"]:
        if step is not None:
            raise UsageError("--parameter-step-size is that of --parameter-scan", "add --parameter-scan VAR MIN MAX")
        return
    name, low, high = options["parameter_scan"]
    wrong = UsageError(f"cannot scan {name} from {low} to {high} by {step or 1}", "as in -P size 1 9 -D 2")
    try:
        first, last, delta = (Decimal(one) for one in (low, high, step or "1"))
        count = int((last - first) / delta) + 1
    except (InvalidOperation, ValueError, ArithmeticError):
        raise wrong from None
    whole = all(one == one.to_integral() for one in (first, last, delta))
    if delta <= 0 or count < 1 or (step is None and not whole) or count > _MOST:
        raise wrong
    yield f"{name}=" + ",".join(format(first + delta * i, "f") for i in range(count))


def check_exports(options: dict[str, Any], harness: str) -> dict[str, str]:
    """Return the files of results by form, which can be written now, before anything is measured."""
    found = {form: path for form in _FORMS if (path := options[f"export_{form}"])}
    if found and harness:
        raise UsageError(f"--export-{next(iter(found))} is for commands", "--json prints all data of any bench")
    for path in found.values():
        if path != "-":
            Path(path).touch()
    return found


def export(run: Run, files: dict[str, str]) -> None:
    """Write the results of a run of commands as hyperfine 1.20 does; `-` is standard output."""
    found = list(_results(run)) if files else []
    forms = {"json": _json, "csv": _csv, "markdown": _markdown}
    for form, path in files.items():
        text = forms[form](found)
        if path == "-":
            click.echo(text, nl=False)
        else:
            Path(path).write_text(text, encoding="utf-8")


_Result = tuple[dict[str, Any], str]
"""What JSON has of a command, and parameters that are not in its text."""


def _results(run: Run) -> Iterator[_Result]:
    """Yield the results of commands that did not drop out, those at the same values of parameters together."""
    from perflab.measure.around import filled
    from perflab.measure.harnessed import COMMAND

    forks = run.forks()
    forks = forks.where(forks["round"].argsort(kind="stable"))
    names = [one.name for one in run.header.scenario.parameters]

    def values(arm: Arm) -> dict[str, Any]:
        settings = {**run.header.settings, **arm.params}
        return {name: settings[name] for name in names}

    points = list(dict.fromkeys(str(values(arm)) for arm in run.header.arms))
    for arm in sorted(run.header.arms, key=lambda arm: points.index(str(values(arm)))):
        rows = forks.where((forks["variant"] == arm.label) & (forks["status"] == "ok"))
        if arm.label in run.failures or not rows.rows:
            continue
        own, text, times = values(arm), str(arm.params[COMMAND]), rows["wall_s"].tolist()
        memory = rows["os:max_rss_bytes"].tolist() if "os:max_rss_bytes" in rows else []
        known = memory and not any(one != one for one in memory)  # noqa: PLR0124 - NaN
        unused = ", ".join(f"{name} = {typed(value)}" for name, value in own.items() if f"{{{name}}}" not in text)
        result = {
            "command": filled(str(arm.params.get("name", text)), own),
            "mean": fmean(times),
            "stddev": stdev(times) if len(times) > 1 else None,
            "median": median(times),
            "user": fmean(rows["os:user_s"].tolist()),
            "system": fmean(rows["os:system_s"].tolist()),
            "min": min(times),
            "max": max(times),
            "times": times,
            **({"memory_usage_byte": [int(one) for one in memory]} if known else {}),
            "exit_codes": [int(one) for one in rows["os:exit_status"]],
            **({"parameters": {name: typed(own[name]) for name in sorted(own)}} if own else {}),
        }
        yield result, f" ({unused})" if unused else ""


def _json(found: Sequence[_Result]) -> str:
    return json.dumps({"results": [one for one, _ in found]}, indent=2, ensure_ascii=False) + "\n"


def _csv(found: Sequence[_Result]) -> str:
    heads = ["command", "mean", "stddev", "median", "user", "system", "min", "max"]
    names = sorted({name for one, _ in found for name in one.get("parameters", {})})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*heads, *(f"parameter_{name}" for name in names)])
    for one, _ in found:
        figures = (format(Decimal(repr(one[head] or 0.0)), "f").removesuffix(".0") for head in heads[1:])
        writer.writerow([one["command"], *figures, *(one["parameters"][name] for name in names)])
    return text.getvalue()


def _markdown(found: Sequence[_Result]) -> str:
    best = min((one for one, _ in found), key=lambda one: one["mean"], default={"mean": 1.0})
    first = found[0][0]["mean"] if found else 1.0
    unit, scale, places = ("µs", 1e6, 1) if first < 1e-3 else ("ms", 1e3, 1) if first < 1 else ("s", 1, 3)  # noqa: PLR2004
    lines = [f"| Command | Mean [{unit}] | Min [{unit}] | Max [{unit}] | Relative |", "|:---|---:|---:|---:|---:|"]
    for one, unused in found:
        mean, low, high = (f"{one[name] * scale:.{places}f}" for name in ("mean", "min", "max"))
        ratio, spread = f"{one['mean'] / best['mean']:.2f}", ""
        if one["stddev"] is not None:
            spread = f" ± {one['stddev'] * scale:.{places}f}"
            error = sum((each["stddev"] / each["mean"]) ** 2 for each in (one, best)) ** 0.5
            ratio += f" ± {one['mean'] / best['mean'] * error:.2f}" if one is not best else ""
        command = " ".join((one["command"] + unused).split("\n")).replace("|", "\\|")
        lines.append(f"| `{command}` | {mean}{spread} | {low} | {high} | {ratio} |")
    return "\n".join(lines) + "\n"
