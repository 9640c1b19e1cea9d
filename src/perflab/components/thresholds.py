"""By how much a metric may get worse against a saved baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.components.manifest import Threshold

if TYPE_CHECKING:
    from perflab.components.manifest import Manifest

DEFAULT_WORSE_BY = 0.05
"""Where a manifest says nothing: the margin within which the lab takes differences for none."""


def threshold_for(manifest: Manifest, scenario: str, metric: str) -> Threshold:
    """The threshold of a scenario's metric: the first in the manifest that applies to it, else the lab's own."""
    for one in manifest.threshold:
        if (not one.scenarios or scenario in one.scenarios) and (not one.metrics or metric in one.metrics):
            return one
    return Threshold(DEFAULT_WORSE_BY, source="the lab's margin of no difference")
