"""One variant at several settings of its parameters, which take turns in one run like variants do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perflab.components.catalogue import check_parameters, find_component, select_scenario, select_variants
from perflab.components.program import describe
from perflab.model.errors import UsageError
from perflab.run.experiment import Experiment
from perflab.run.fork import provide_runtimes
from perflab.run.measure import chosen_preset, execute, prepare
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.components.catalogue import Component
    from perflab.model.protocol import Description, ParameterValue, Scenario, Variant
    from perflab.run.lock import Progress
    from perflab.run.measure import Request
    from perflab.run.presets import Preset
    from perflab.store.reading import Run


SETTINGS_KIND = "search"
"""Of runs whose arms are settings of one variant: no claim and no table looks at them."""


@dataclass(frozen=True)
class Settings:
    """A variant that is ready to be measured at any of its settings.

    `component` is built; `params` are the parameters that all settings share.
    """

    component: Component
    description: Description
    scenario: Scenario
    variant: Variant
    params: dict[str, ParameterValue]
    preset: Preset
    preset_name: str

    @classmethod
    def of(cls, request: Request, progress: Progress) -> Settings:
        """Build the component if needed, and look up what the request names.

        Raises:
            UsageError: If something does not exist, or the request does not name exactly one variant.
            MissingError: If the variant cannot run on this machine.
        """
        component = find_component(request.topic)
        prepare(component.name, progress)
        description = describe(component)
        scenario = select_scenario(description, request.scenario)
        if len(request.variants) != 1:
            able = ", ".join(one.name for one in description.variants if scenario.name in one.scenarios)
            raise UsageError("a setting is searched for one variant", f"--variant NAME, one of: {able}")
        chosen = select_variants(description, scenario, request.variants)
        (variant,) = provide_runtimes(component, chosen, request.variants, progress)
        preset_name, preset = chosen_preset(request)
        params = check_parameters(scenario, request.params)
        return cls(component, description, scenario, variant, params, preset, preset_name)

    def measure(
        self, settings: Mapping[str, dict[str, ParameterValue]], progress: Progress, *, seed: int, rounds_times: int = 1
    ) -> Run:
        """Measure settings against the first of them. The caller holds the measurement lock.

        Each setting is given by its label, as the parameters that differ from the shared ones. `rounds_times`
        multiplies the preset's rounds and budget. Raises as `perflab.run.measure.execute`.
        """
        one = self.variant
        preset = msgspec.structs.replace(
            self.preset,
            min_rounds=self.preset.min_rounds * rounds_times,
            max_rounds=self.preset.max_rounds * rounds_times,
            budget_s=self.preset.budget_s * rounds_times,
        )
        experiment = Experiment(
            component=self.component,
            description=self.description,
            scenario=self.scenario,
            arms=[Arm(label, one.name, one.role, one.findings, params=params) for label, params in settings.items()],
            baseline=next(iter(settings)),
            preset=preset,
            preset_name=self.preset_name,
            params=self.params,
            seed=seed,
            kind=SETTINGS_KIND,
        )
        return execute(experiment, progress)
