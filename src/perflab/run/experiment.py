"""An experiment: rounds of forks, each round in a random order of its own, until it is precise enough or time is up."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from perflab import __version__
from perflab.components.program import program_environment, run_command
from perflab.machine.git import this_revision
from perflab.machine.load import LoadWatch
from perflab.machine.machine import this_machine
from perflab.model.errors import BenchError, LabError, MissingError, StoreError, VoidError
from perflab.run.fork import Fork, run_fork
from perflab.run.presets import PROVES_NOTHING, Precision
from perflab.run.shape import fit_shape
from perflab.store.reading import Run
from perflab.store.records import RESULT_VERSION, Ending, RunHeader, new_run_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perflab.components.catalogue import Component
    from perflab.model.protocol import Description, ParameterValue, Sample, Scenario
    from perflab.run.lock import Progress
    from perflab.run.presets import Preset
    from perflab.store.records import Arm
    from perflab.store.writing import RunWriter


_PATIENCE = 0.1
"""How long a run waits for other work on the machine to end, as a share of its budget."""


@dataclass(frozen=True)
class Experiment:
    """What to measure, and how.

    Attributes:
        component: The system under test, built.
        description: The bench program's answer to `describe`.
        scenario: The scenario.
        arms: What is compared; at least one.
        baseline: The label that the others are compared with.
        preset: How long and how precise.
        preset_name: The preset's name, for the record.
        params: Parameters that differ from the scenario's defaults; an arm's own take precedence.
        seed: Seeds the order of the rounds and the scenario.
        plugin: The reader's own variant, if one takes part.
        kind: `measure`, `noise`, `regression` if kept builds take part, `search` if arms are settings of one variant.
        builds: Labels of arms that run another build than `component`, and that build.
        pairs: The label that each candidate is compared with, which decides when it is precise enough; all others with
            `baseline` without it.
        saved: The headline's values of earlier forks that labels are compared with, in place of a label of this run.
    """

    component: Component
    description: Description
    scenario: Scenario
    arms: list[Arm]
    baseline: str
    preset: Preset
    preset_name: str
    params: dict[str, ParameterValue] = field(default_factory=dict)
    seed: int = 1
    plugin: Path | None = None
    kind: str = "measure"
    builds: Mapping[str, Component] = field(default_factory=dict)
    pairs: Mapping[str, str] | None = None
    saved: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def header(self) -> RunHeader:
        """The run's header, made when it starts."""
        return RunHeader(
            id=new_run_id(self.component.name, self.scenario.name),
            version=RESULT_VERSION,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            kind=self.kind,
            component=self.component.name,
            scenario=self.scenario,
            arms=self.arms,
            baseline=self.baseline,
            params=self.params,
            preset=self.preset_name,
            seed=self.seed,
            options=msgspec.to_builtins(self.preset),
            machine=this_machine(),
            revision=this_revision(),
            runtime=self.description.runtime,
            perflab=__version__,
            plugin=self.plugin.name if self.plugin else "",
        )

    def build_of(self, arm: Arm) -> Component:
        """The build that an arm runs."""
        return self.builds.get(arm.label, self.component)

    def command(self, arm: Arm, round_: int) -> list[str]:
        """The bench program's command for an arm's fork in this round."""
        return run_command(
            self.build_of(arm),
            self.scenario.name,
            arm.variant,
            self.params | arm.params,
            warmup_ms=self.preset.warmup_ms,
            sample_ms=self.preset.sample_ms,
            samples=self.preset.samples,
            seed=self.seed + round_,
            plugin=self.plugin,
        )

    def fork(
        self, arm: Arm, round_: int, on_sample: Callable[[Sample], None] = lambda _: None, fork: Fork | None = None
    ) -> Fork:
        """Run an arm's fork of this round; raises as `run_fork` does."""
        build = self.build_of(arm)
        return run_fork(
            self.command(arm, round_),
            cwd=build.folder,
            environment=program_environment(build, arm.variant),
            timeout_s=self.preset.fork_timeout_s,
            on_sample=on_sample,
            fork=fork,
        )


def run_experiment(
    experiment: Experiment, writer: RunWriter, progress: Progress, on_round: Callable[[Run], None] | None = None
) -> Ending:
    """Measure, writing each sample as it comes.

    An arm whose fork fails drops out, its reason is recorded, and the others go on. The run is sealed in any case, also
    on Ctrl-C.

    Raises:
        UsageError: If the bench program rejects its arguments.
        VoidError: If no arm is left, and all are void.
        BenchError: If no arm is left.
        KeyboardInterrupt: On Ctrl-C, after the run was sealed as partial.
    """
    return _Measurement(experiment, writer, progress, on_round).run()


class _Measurement:
    """The state of an experiment under way."""

    def __init__(
        self, experiment: Experiment, writer: RunWriter, progress: Progress, on_round: Callable[[Run], None] | None
    ) -> None:
        self._on_round = on_round
        self._experiment = experiment
        self._writer = writer
        self._progress = progress
        self._watch = LoadWatch()
        self._started = time.monotonic()
        self._order = random.Random(experiment.seed)  # noqa: S311 - an order that can be repeated, not a secret
        others = {arm.label: experiment.baseline for arm in experiment.arms if arm.label != experiment.baseline}
        pairs = others if experiment.pairs is None else experiment.pairs
        self._precision = Precision(
            experiment.scenario.headline, pairs, experiment.preset.half_width, saved=experiment.saved
        )
        self._failures: dict[str, str] = {}
        self._errors: list[LabError] = []
        self._void: list[str] = []
        self._round = 0
        self._forks = 0
        self._fitting_s = 0.0

    def run(self) -> Ending:
        reason = "failed"
        try:
            patience = 0.0 if self._experiment.preset_name == PROVES_NOTHING else _PATIENCE
            self._watch.wait(patience * self._experiment.preset.budget_s, self._wait)
            for warning in self._watch.so_far().warnings():
                self._progress.note(warning)
            self._started = time.monotonic()
            self._fit()
            reason = self._rounds()
        except KeyboardInterrupt:
            reason = "interrupted"
            raise
        finally:
            ending = self._ending(reason)
            self._writer.end(ending)
        if len(self._failures) == len(self._experiment.arms):
            raise next((error for error in self._errors if not isinstance(error, VoidError)), self._errors[0])
        return ending

    def _fit(self) -> None:
        """Find the shape of the forks, and write it down before the first of them."""
        planned, fitted = self._experiment.preset, fit_shape(self._experiment, self._progress)
        self._fitting_s = self._elapsed()
        if fitted == planned:
            return
        self._experiment = replace(self._experiment, preset=fitted)
        options = {"options": msgspec.to_builtins(fitted), "planned": msgspec.to_builtins(planned)}
        self._writer.replace_header(msgspec.structs.replace(self._writer.header, **options))

    def _rounds(self) -> str:
        preset = self._experiment.preset
        while True:
            arms = [arm for arm in self._experiment.arms if arm.label not in self._failures]
            if not arms:
                return "failed"
            self._order.shuffle(arms)
            for position, arm in enumerate(arms):
                self._tell(arm)
                self._fork(arm, position)
            self._round += 1
            if self._round < preset.min_rounds:
                continue
            if self._on_round is not None:
                self._on_round(Run(self._writer.folder, self._writer.header, self._ending("rounds")))
            if self._round >= preset.max_rounds:
                return "rounds"
            if self._precision.reached(set(self._failures)):
                return "precision"
            if self._elapsed() + self._round_s() > preset.budget_s:
                return "budget"

    def _fork(self, arm: Arm, position: int) -> None:
        fork = Fork()
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        status = "ok"
        try:
            self._experiment.fork(
                arm, self._round, lambda sample: self._writer.sample(self._round, arm.label, sample), fork
            )
            self._precision.add(self._round, arm.label, fork.samples)
        except StoreError:
            raise
        except ValueError as error:
            # The samples lack what the metric is made of.
            self._drop(arm, BenchError(str(error)))
            status = str(error)
        except (BenchError, MissingError) as error:
            if isinstance(error, MissingError) and not self._forks:
                raise
            status = error.message
            self._drop(arm, error)
        self._forks += 1
        facts = {"status": status, "started": started, "wall_s": fork.wall_s, "runtime": fork.runtime, **fork.usage}
        self._writer.fork(self._round, position, arm.label, facts)

    def _drop(self, arm: Arm, error: LabError) -> None:
        if arm.findings and isinstance(error, BenchError):
            # What breaks its contract may break its process, too.
            error = VoidError(error.message, f"it is known to break its contract: {'; '.join(arm.findings)}")
        self._failures[arm.label] = error.message
        self._errors.append(error)
        if isinstance(error, VoidError):
            self._void.append(arm.label)
            self._progress.note(f"{arm.label} is void: {error}")
        else:
            self._progress.note(f"{arm.label} drops out: {error}")

    def _wait(self, queue: float) -> None:
        self._progress.update(0.0, f"waiting for the machine to become quiet ({queue:.1f} other threads want to run)")

    def _tell(self, arm: Arm) -> None:
        preset, arms = self._experiment.preset, len(self._experiment.arms)
        likely, left = max(preset.min_rounds, self._round + 1), None
        fork_s = (self._elapsed() - self._fitting_s) / max(self._forks, 1)
        if self._forks:
            rounds = int((preset.budget_s - self._fitting_s) / (arms * fork_s))
            likely = max(likely, min(rounds, preset.max_rounds))
            left = fork_s * max(likely * arms - self._forks, 1)
        done = min(self._forks / (likely * arms), 0.99)
        text = (
            f"{self._experiment.component.name} {self._experiment.scenario.name}: round {self._round + 1}, {arm.label}"
        )
        self._progress.update(done, text, left)

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _round_s(self) -> float:
        """Seconds of a round, on average."""
        return (self._elapsed() - self._fitting_s) / self._round

    def _ending(self, reason: str) -> Ending:
        load = self._watch.so_far()
        return Ending(
            reason=reason,
            rounds=self._round,
            wall_s=self._elapsed(),
            load=load,
            failures=self._failures,
            warnings=load.warnings(),
            void=self._void,
        )
