from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflab.stats.diagnostics import summarise


def test_the_figures() -> None:
    found = summarise([1.0, 2.0, math.nan, 3.0, 10.0])
    assert (found.forks, found.missing, found.median, found.mean.value) == (4, 1, 2.5, 4.0)
    assert (found.minimum, found.maximum) == (1.0, 10.0)
    assert found.cv == pytest.approx(np.std([1, 2, 3, 10], ddof=1) / 4)
    assert found.mean.low < 4.0 < found.mean.high


@settings(max_examples=30)
@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=8))
def test_whatever_is_there_can_be_shown_without_nan(values: list[float]) -> None:
    found = summarise(values)
    shown = found.to_dict()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert found.forks + found.missing == len(values)
    assert (found.mean is None) == (found.forks == 0)
    assert (found.mean is None or found.mean.interval is None) == (found.forks < 3)
    if found.mean is not None and found.mean.interval is not None:
        assert found.mean.low <= found.mean.value <= found.mean.high


def test_what_too_few_forks_do_not_give_is_none() -> None:
    assert summarise([]).to_dict() == {
        "forks": 0, "missing": 0, "median": None, "mean": None, "low": None, "high": None,
        "confidence": 0.95, "minimum": None, "maximum": None, "cv": None,
    }  # fmt: skip
    assert summarise([5.0]).cv is None
    assert summarise([0.0, 0.0, 0.0]).cv is None
