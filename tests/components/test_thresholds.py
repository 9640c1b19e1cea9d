"""The thresholds of the lab's own topics apply to something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.build import build
from perflab.topics.catalogue import Component, find_components
from perflab.topics.program import describe

COMPONENTS = [
    one
    for one in find_components(replace(Lab.from_environment(), components=CHECKOUT / "components"))
    if one.manifest.threshold
]


@pytest.mark.build
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: one.name)
def test_scenarios_and_metrics_of_thresholds_exist(component: Component) -> None:
    build(component)
    scenarios = {one.name: one for one in describe(component).scenarios}
    for threshold in component.manifest.threshold:
        assert set(threshold.scenarios) <= set(scenarios)
        for name in threshold.scenarios or scenarios:
            metrics = {scenarios[name].headline.name, *(metric.name for metric in scenarios[name].metrics)}
            assert not threshold.metrics or metrics & set(threshold.metrics), f"{name} has none of {threshold.metrics}"
        assert threshold.source
