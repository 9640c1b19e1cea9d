"""How much what others have made may come to: a small file can claim, or unfold to, more than a machine has."""

from __future__ import annotations

from typing import Annotated

import msgspec

MOST_CELLS = 40_000_000
"""Rows times columns of a table: 320 MB of numbers, a million samples with forty figures each."""

MOST_RECORD = 1 << 20
"""Bytes of a record, such as that of a run: the lab's longest has 20,000. Decoded, one takes thirty times as much."""

MOST_ARMS = 200
"""Of a run: each pair may be compared."""

MOST_OUTPUT = 32 << 20
"""Bytes that a benchmark harness may print in one process."""

MOST_COLUMNS = 500

LONGEST_TEXT = 4_000
"""Characters of a table's cell, or of what a program said."""

Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
"""Of a record: each of a ledger's claims may have a text of its own made of it."""

MOST_TEXT = 1 << 26
"""Bytes of all texts of a table."""

LARGEST_FIGURE = 1e30
"""In size: with this one, and its reciprocal as the smallest time, no square of a statistic leaves a number's range."""

Figure = Annotated[float, msgspec.Meta(ge=-LARGEST_FIGURE, le=LARGEST_FIGURE)]

Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""JSON has integers of any length, and one of 400 digits is no float any more."""

MOST_CAUSES = 100
"""Of a topic's profiles: each is a row, in the table and in the chart, of each claim's page that rests on one."""

CauseName = Annotated[str, msgspec.Meta(max_length=200)]

MOST_STACKS = 500_000
"""Of a profile, different ones."""

MOST_FRAMES = 4_000_000
"""Of all stacks of a profile together: a thousand of the deepest that async-profiler keeps, and as many again."""

MOST_ROUNDS = 3_000
"""Three times what the longest preset has. Some statistics take the square of it, in time and memory."""

MOST_VALUES = 20_000
"""Rounds times variants of a run: ten seconds for each ten thousand."""

MOST_SAMPLES = 100_000
"""Of a process of a benchmark harness."""

MOST_CLAIMS = 2_000
"""Of a ledger; the longest has some hundreds, and which of them share a run is found by comparing them all."""


class TooMuchError(ValueError):
    """It is more than the lab reads."""


def limit(found: int, most: int, what: str) -> None:
    """Refuse what is too much, before it is made.

    Raises:
        TooMuchError: If it is.
    """
    if found > most:
        raise TooMuchError(f"{what}: {found:,} are too many, {most:,} is the most")
