from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.charts.chart import bundle
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.charts.chart import Chart


def test_an_image_without_a_browser_names_the_fix(
    drawn: dict[str, Chart], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="apt install chromium"):
        bundle(drawn["ratios"], with_png=True)
