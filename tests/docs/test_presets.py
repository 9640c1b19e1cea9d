"""The presets' table of docs/measuring.md has their figures."""

from __future__ import annotations

from perflab.measure.presets import PRESETS
from perflab.model.lab import CHECKOUT


def test_the_table_has_the_figures_of_the_presets() -> None:
    page = (CHECKOUT / "docs" / "measuring.md").read_text(encoding="utf-8")
    for name, shown in (("quick", "`--quick`"), ("normal", "none"), ("rigorous", "`--rigorous`")):
        preset = PRESETS[name]
        seconds = preset.budget_s
        cells = [
            shown,
            f"{preset.warmup_ms / 1000:g} s, {preset.samples} of {preset.sample_ms / 1000:g} s",
            f"{preset.min_rounds} to {preset.max_rounds}",
            f"{100 * preset.half_width:g} %",
            f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min",
        ]
        assert f"| {' | '.join(cells)} |" in page
