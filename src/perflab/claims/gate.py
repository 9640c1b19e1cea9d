"""The verdicts of a gate on a suite, as rows, JSON, JUnit XML and Markdown."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from perflab.model.format import factor, markdown_text, percent
from perflab.topics.testing import writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.measure.suite import Pair, Suite
    from perflab.model.estimate import Estimate


_WORDS = ("slower", "faster", "no difference", "undecided", "not reached", "failed")
SHOWN = ("slower", "faster", "failed")
_MOST_NAMES = 10


def headline(suite: Suite) -> str:
    """Return the verdicts in one line: how many of each."""
    counts = suite.counts
    total = sum(counts.values())
    said = [f"{counts[word]} {word}" for word in _WORDS if counts[word]]
    first, *others = said
    return f"{first.replace(' ', f' of {total} ', 1)}{''.join(f', {one}' for one in others)}"


def estimate_of(pair: Pair, suite: Suite) -> Estimate | None:
    """Return the factor of a confirmation, else that of the screen; above 1 the new one is better."""
    if pair.comparison is not None:
        return pair.comparison.estimate
    found = pair.screened(suite.threshold)
    if found.score is None or found.interval is None:
        return None
    return found.interval.around(found.score, "x").map(exp)


def rows_of(suite: Suite) -> list[tuple[str, str, str, str]]:
    """Return verdict, name, figures and what they rest on of each benchmark, the slowest first."""

    def order(pair: Pair) -> tuple[int, float]:
        estimate = estimate_of(pair, suite)
        return _WORDS.index(pair.word(suite.threshold)), estimate.value if estimate else 1.0

    return [
        (
            pair.word(suite.threshold),
            pair.name,
            pair.failed or str(estimate_of(pair, suite) or ""),
            f"run {pair.run.id}" if pair.run and not pair.failed else f"screen, {len(pair.best)} rounds",
        )
        for pair in sorted(suite.pairs, key=order)
    ]


def notes_of(suite: Suite) -> list[str]:
    """Return what a reader must know besides the verdicts."""
    unfit = [
        f"this machine is unfit: {one.name} is {factor(one.comparison.estimate.value)}, so that nothing is blamed"
        for one in suite.unfit
        if one.comparison and one.comparison.estimate
    ]
    undecided = [f"{row[1]} {row[2]}" for row in rows_of(suite) if row[0] == "undecided"]
    more = [f"undecided: {_some(undecided)}; more --minutes tell"] if undecided else []
    only = [f"only in {side}: {_some(names)}" for side, names in suite.only.items() if names]
    return [*unfit, *more, *only, *(f"left out: {name}: {why}" for name, why in suite.left_out.items())]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def status_of(suite: Suite) -> int:
    """Return the exit status: 1 for a slower benchmark, 4 for an unfit machine or a benchmark that fails."""
    if suite.unfit:
        return 4
    if suite.counts["slower"]:
        return 1
    return 4 if suite.counts["failed"] else 0


def result_of(suite: Suite, commit: str) -> dict[str, Any]:
    """Return the JSON of `--json`."""
    found = []
    for pair in suite.pairs:
        estimate = estimate_of(pair, suite)
        low, high = (estimate.interval if estimate else None) or (None, None)
        found.append(
            {
                "benchmark": pair.name,
                "verdict": pair.word(suite.threshold),
                "factor": estimate.value if estimate else None,
                "low": low,
                "high": high,
                "rounds": pair.comparison.rounds if pair.comparison else len(pair.best),
                "run": pair.run.id if pair.run else None,
                "failed": pair.failed or None,
            }
        )
    return {
        "against": commit,
        "threshold": suite.threshold,
        "unfit": [one.name for one in suite.unfit],
        "benchmarks": found,
        "only": suite.only,
        "left_out": suite.left_out,
    }


def junit(suite: Suite) -> bytes:
    """Return the verdicts as JUnit XML: what is slower is a failure, unless the machine is unfit."""
    rows, unfit = rows_of(suite), bool(suite.unfit)
    words = [word for word, *_ in rows]
    skipped = {"undecided", "not reached", *(["slower"] if unfit else [])}
    whole = ET.Element(
        "testsuite",
        name=f"perflab gate against {suite.then.name}",
        tests=str(len(rows)),
        failures=str(0 if unfit else words.count("slower")),
        errors=str(words.count("failed")),
        skipped=str(sum(word in skipped for word in words)),
    )
    for word, name, figures, source in rows:
        case = ET.SubElement(whole, "testcase", classname="perflab.gate", name=writable(name))
        kind = "skipped" if word in skipped else {"slower": "failure", "failed": "error"}.get(word)
        if kind:
            ET.SubElement(case, kind, message=writable(f"{word}: {figures} ({source})"))
    ET.SubElement(whole, "system-out").text = writable("\n".join([headline(suite), *notes_of(suite)]))
    return bytes(ET.tostring(whole, encoding="utf-8", xml_declaration=True))


_ICONS = {
    "slower": "❌",
    "failed": "💥",
    "faster": "🚀",
    "undecided": "❔",
    "not reached": "⚪",
    "no difference": "✅",
}


def markdown(suite: Suite) -> str:
    """Return the verdicts for a pull request: what differs on top, the rest to be unfolded."""

    def table(rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
        cells = [
            f"| {_ICONS[word]} {word} | {markdown_text(name)} | {markdown_text(told)} |" for word, name, told, _ in rows
        ]
        return [f"| verdict | benchmark | against {suite.then.name} |", "|---|---|--:|", *cells, ""]

    rows = rows_of(suite)
    first = [row for row in rows if row[0] in SHOWN]
    rest = [row for row in rows if row[0] not in SHOWN]
    worst = "undecided" if suite.unfit else next(word for word in ("slower", "failed", *_WORDS) if suite.counts[word])
    lines = [f"### {_ICONS[worst]} {headline(suite)}", "", *(table(first) if first else [])]
    if rest:
        lines += ["<details><summary>The other benchmarks</summary>", "", *table(rest), "</details>", ""]
    lines += [f"- {markdown_text(note)}" for note in notes_of(suite)]
    lines += [
        "",
        (
            f"A factor above 1 is better. Differences below {percent(suite.threshold)} do not count. What is slower or "
            "faster was measured twice, the second time in processes of its own; unchanged code is blamed in fewer "
            "than one run of a hundred."
        ),
    ]
    return "\n".join(lines) + "\n"
