"""Find the commit that made a benchmark slower or faster, with an interval at each step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perflab.measure.suite import Quiet, Suite, build_both, compared, confirm, open_part
from perflab.model.errors import LabError, UsageError
from perflab.stats.suite import confirmed_confidence, gate_word

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from perflab.measure.suite import Pair, Part, Side
    from perflab.model.estimate import Estimate
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.topics.revisions import Commit

_STEP_S = 30.0
"""A step may take so long; it ends once its interval is narrow enough."""
_NARROW = 0.25
"""Half width that decides a step, as a share of the whole change: its middle tells both sides apart."""


@dataclass
class Bisection:
    """What a bisection has found.

    Attributes:
        change: The factor between both ends; below 1 it became slower.
        first: The first commit that has the change.
        steps: Each commit that was measured, with its factor against the good end, and whether it has the change;
            `None` where its interval contains the middle, and the estimate decides.
        skipped: Why others could not be measured, by commit.
        among: The commits that may be the first as well, because those between could not be measured.
    """

    change: Estimate
    first: Commit
    steps: list[tuple[Commit, Estimate, bool | None]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    among: list[Commit] = field(default_factory=list)


def bisect(
    good: Side,
    commits: Sequence[Commit],
    side_of: Callable[[Commit], Side],
    name: str,
    parts: Sequence[Part],
    *,
    lab: Lab,
    threshold: float,
    order: random.Random,
    progress: Progress,
) -> Bisection:
    """Find the first of `commits`, the last of which is known to differ from `good`, that has the change.

    Raises:
        UsageError: If both ends do not differ by more than the threshold.
    """
    level = confirmed_confidence(math.ceil(math.log2(len(commits) + 1)) + 1)

    def measured(commit: Commit, half_width: float) -> Estimate:
        suite = Suite(good, side_of(commit), threshold)
        pair = _pair(suite, name, parts, lab, progress)
        confirm(pair, level, _STEP_S, half_width, order=order, progress=quiet)
        found = compared(pair.run, level) if pair.run else None
        if found is None or found.estimate is None or found.estimate.interval is None or found.scale != "ratio":
            raise UsageError(pair.failed or f"{name} has no figures", "see its own output")
        words[commit.id] = gate_word(found, threshold)
        return found.estimate

    words: dict[str, str] = {}
    quiet = Quiet(progress)
    change = measured(commits[-1], threshold / 2)
    if words[commits[-1].id] not in {"slower", "faster"}:
        raise UsageError(
            f"{name} does not differ between {good.name} and {commits[-1].short}: {change}",
            "other ends, or --threshold",
        )
    whole = math.log(change.value)
    found = Bisection(change, commits[-1])
    low, high = -1, len(commits) - 1  # the last without the change, the first with it
    while untried := [i for i in range(low + 1, high) if commits[i].id not in found.skipped]:
        middle = min(untried, key=lambda i: abs(2 * i - low - high))
        commit = commits[middle]
        try:
            here = measured(commit, abs(whole) * _NARROW)
        except LabError as error:
            found.skipped[commit.id] = error.message
            continue
        # As shares of the whole change, whichever way it goes.
        ends = sorted(math.log(end) / whole for end in here.interval or (here.value,))
        has = math.log(here.value) / whole > 1 / 2
        found.steps.append((commit, here, has if ends[0] > 1 / 2 or ends[1] < 1 / 2 else None))
        low, high = (low, middle) if has else (middle, high)
    found.first = commits[high]
    found.among = list(commits[low + 1 : high])
    return found


def _pair(suite: Suite, name: str, parts: Sequence[Part], lab: Lab, progress: Progress) -> Pair:
    """Build both trees, and return the pair of this name."""
    build_both(suite, parts, progress)
    for part in parts:
        open_part(suite, part, lab, progress)
        if pair := next((one for one in suite.pairs if one.name == name), None):
            return pair
    why = "; ".join(suite.left_out.values()) or f"one of: {', '.join(one.name for one in suite.pairs[:20])}"
    raise UsageError(f"{suite.now.name} has no benchmark {name!r}", why)
