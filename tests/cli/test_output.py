from __future__ import annotations

import pytest

from perflab.cli.output import time_left


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s left"),
        (99.4, "99 s left"),
        (100, "2 min left"),
        (2388, "40 min left"),
        (3599, "1 h 0 min left"),
        (5100, "1 h 25 min left"),
    ],
)
def test_time_left_is_said_as_people_say_it(seconds: float, text: str) -> None:
    assert time_left(seconds) == text
