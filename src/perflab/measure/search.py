"""Search settings: Optuna proposes them, each is measured against the default, and the best few are confirmed.

A trial is a separate run in which the setting and the default take turns, so drift of the machine between trials does
not affect it. Noise remains, and the best of many noisy figures is biased upwards (winner's curse): trials only select,
and the reported figures come from a confirmation run with fresh processes.
"""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from perflab.host.lock import measurement_lock
from perflab.measure.analysis import analyse
from perflab.measure.grid import every_setting, read_space, setting_text
from perflab.measure.measure import execute
from perflab.measure.plan import plan
from perflab.model.errors import BenchError, LabError, MissingError, UsageError
from perflab.model.progress import PartialProgress
from perflab.store.kept import Confirmation, SearchResult, Trial, write_search
from perflab.store.records import new_id

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from optuna.trial import Trial as OptunaTrial

    from perflab.measure.grid import Dimension
    from perflab.measure.plan import Plan, Request
    from perflab.model.progress import Progress
    from perflab.model.protocol import ParameterValue
    from perflab.store.kept import Ended
    from perflab.store.runs import Run


CONFIRMED = 3
"""Number of best settings that are measured again."""

CONFIRMING_ROUNDS = 2
"""Rounds of the confirmation run, as a multiple of a trial's."""

_CONFIRMATION = CONFIRMING_ROUNDS * (CONFIRMED + 1) / 2
"""Length of the confirmation run in trials, which have two arms."""


@dataclass(frozen=True)
class Budget:
    """Limits of a search, at least one of them; `seconds` includes the confirmation run."""

    trials: int | None = None
    seconds: float | None = None


class BudgetTracker:
    """Tracks trials and time against a budget; the clock starts with the tracker."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.trials = 0
        self._begun = time.monotonic()
        self._trials_s = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._begun

    def trial(self, seconds: float) -> None:
        """Count a trial that took `seconds`."""
        self.trials += 1
        self._trials_s += seconds

    def spent(self) -> Ended | None:
        """Return the limit that allows no further trial, if any; the first trial is always allowed."""
        if self.budget.trials is not None and self.trials >= self.budget.trials:
            return "trials"
        if self.budget.seconds is None or not self.trials:
            return None
        return "minutes" if self.elapsed + (1 + _CONFIRMATION) * self._mean > self.budget.seconds else None

    def done(self, more: int = 0) -> float:
        """Return the share of the budget spent after `more` further trials, 0 to 1."""
        shares = [0.0]
        if self.budget.trials is not None:
            shares.append((self.trials + more) / (self.budget.trials + _CONFIRMATION))
        if self.budget.seconds is not None:
            shares.append((self.elapsed + more * self._mean) / self.budget.seconds)
        return min(max(shares), 0.99)

    def left(self) -> float | None:
        """Estimate the seconds left from the mean trial; `None` if there is nothing to go by yet."""
        left = []
        if self.budget.seconds is not None:
            left.append(self.budget.seconds - self.elapsed)
        if self.budget.trials is not None and self.trials:
            left.append((self.budget.trials - self.trials + _CONFIRMATION) * self._mean)
        return max(min(left), 0.0) if left else None

    @property
    def text(self) -> str:
        """Progress of the next trial, such as `trial 3 of 20, 41 of 120 s`."""
        of = f" of {self.budget.trials}" if self.budget.trials is not None else ""
        spent = f", {self.elapsed:.0f} of {self.budget.seconds:.0f} s" if self.budget.seconds is not None else ""
        return f"trial {self.trials + 1}{of}{spent}"

    @property
    def _mean(self) -> float:
        return self._trials_s / self.trials if self.trials else 0.0


_LEAST_RANDOM, _MOST_RANDOM = 4, 10
_REPEATS = 10


class Proposals:
    """A tree-structured Parzen estimator (Bergstra et al. 2011), which uses ranks and so tolerates noise.

    Args:
        dimensions: The search space.
        trials: Maximum number of trials, or `None`; a third of them, at most ten, are random.
        seed: Makes proposals repeatable, as far as the measurements are.
    """

    def __init__(self, dimensions: Sequence[Dimension], trials: int | None, seed: int) -> None:
        if find_spec("optuna") is None:
            raise MissingError("Optuna is not installed", "pip install 'optuna>=4.4' where the lab runs")
        import optuna  # noqa: PLC0415 - half a second

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        startup = min(max(_LEAST_RANDOM, (trials or 3 * _MOST_RANDOM) // 3), _MOST_RANDOM)
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=startup)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._space = {one.name: one.distribution() for one in dimensions}
        self._all = every_setting(dimensions)
        self._chance = random.Random(seed)  # noqa: S311 - repeatable order, not a secret

    def ask(self, tried: Container[str]) -> tuple[OptunaTrial, dict[str, ParameterValue]] | None:
        """Return the next proposal and its setting, skipping those in `tried` (by `setting_text`).

        The estimator keeps proposing good settings again; after a few repeats, an untried one is picked at random.

        Returns:
            `None` if no untried setting is known.
        """
        for _ in range(_REPEATS):
            trial = self._study.ask(self._space)
            if setting_text(trial.params) not in tried:
                return trial, dict(trial.params)
            self.tell(trial, None)
        left = [one for one in self._all if setting_text(one) not in tried]
        if not left:
            return None
        self._study.enqueue_trial(self._chance.choice(left))
        trial = self._study.ask(self._space)
        return trial, dict(trial.params)

    def tell(self, trial: OptunaTrial, value: float | None) -> None:
        """Report a trial's value to Optuna, larger is better; `None` if it failed."""
        from optuna.trial import TrialState  # noqa: PLC0415 - as above

        if value is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, value)


DEFAULT = "default"
"""Label of the baseline setting, made of `--param` and the scenario's defaults."""

_CONFIRMING_SEED = 7919


def search(request: Request, over: Sequence[str], budget: Budget, progress: Progress) -> SearchResult:
    """Search for the best setting of a variant and confirm the best few; the result is saved after each trial.

    Returns:
        The result; after Ctrl-C the partial result, marked as interrupted.
    """
    if len(request.variants) != 1:
        hint = f"--variant NAME; ./lab describe {request.component.name} lists them"
        raise UsageError("a search takes exactly one variant", hint)
    tracker = BudgetTracker(budget)
    with measurement_lock(request.component.lab.lock):
        planned = plan(request, progress)
        dimensions = read_space(planned.scenario, over, request.params)
        proposals = Proposals(dimensions, budget.trials, request.seed)
        return _Search(planned, dimensions, proposals, tracker, progress).run()


class _Search:
    def __init__(
        self,
        planned: Plan,
        dimensions: Sequence[Dimension],
        proposals: Proposals,
        tracker: BudgetTracker,
        progress: Progress,
    ) -> None:
        self._plan = planned
        self._proposals = proposals
        self._tracker = tracker
        self._progress = progress
        everything = planned.scenario.settings(planned.params)
        self._tried = {setting_text({one.name: everything[one.name] for one in dimensions})}
        self._result = SearchResult(
            search=new_id(planned.component.name, planned.scenario.name),
            topic=planned.component.name,
            scenario=planned.scenario.name,
            variant=planned.arms[0].variant,
            over={one.name: one.text for one in dimensions},
            default=everything,
        )

    def run(self) -> SearchResult:
        try:
            self._result.ended = self._search()
            self._confirm()
        except KeyboardInterrupt:
            self._result.ended = "interrupted"
            if self._result.confirmed is None:
                note = "interrupted before the best were measured again: no figure here is confirmed"
                self._result.notes.append(note)
        except LabError:
            self._result.ended = "failed"
            raise
        finally:
            self._write()
        return self._result

    def _search(self) -> Ended:
        while (ended := self._tracker.spent()) is None:
            asked = self._proposals.ask(self._tried)
            if asked is None:
                return "exhausted"
            proposal, params = asked
            label = setting_text(params)
            trial = self._trial(params, label)
            self._tried.add(label)
            self._proposals.tell(proposal, math.log(best.value) if (best := trial.factor) and best.value else None)
            self._result.trials.append(trial)
            self._write()
        return ended

    def _trial(self, params: dict[str, ParameterValue], label: str) -> Trial:
        tracker, number, begun = self._tracker, self._tracker.trials + 1, time.monotonic()
        leader = next(iter(self._result.ranked), None)
        best = ""
        if leader and leader.factor:
            best = f", best until now {leader.factor.value_text} at {setting_text(leader.params)}"
        text = f"{tracker.text}{best}: {label}"
        part = _SearchPart(self._progress, tracker.done(), tracker.done(1), text, tracker.left())
        try:
            run = self._measure({label: params}, part, seed=self._plan.seed + tracker.trials)
        finally:
            tracker.trial(time.monotonic() - begun)
        analysis = analyse(run)
        self._result.machine = {"id": run.header.machine.id, "title": run.header.machine.title}
        if DEFAULT in analysis.failures:
            raise BenchError(
                f"the default setting cannot be measured: {analysis.failures[DEFAULT]}", "another one with --param"
            )
        comparison = analysis.comparison(label)
        failure = analysis.failures.get(label, "")
        trial = Trial(number, params, run.id, comparison.to_dict() if comparison and not failure else None, failure)
        if trial.factor is None and not failure:
            self._progress.note(f"{label} has no factor: a value is zero or below")
        return trial

    def _confirm(self) -> None:
        """Measure the best settings again, at most three, if they looked better than the default."""
        chosen = [one for one in self._result.ranked[:CONFIRMED] if one.factor and one.factor.value > 1]
        if not chosen:
            self._result.notes.append("no setting looked better than the default, so there was nothing to confirm")
            return
        settings = {setting_text(one.params): one.params for one in chosen}
        text = f"measuring the best {len(settings)} again with fresh processes"
        part = _SearchPart(self._progress, self._tracker.done(), 1.0, text, None)
        run = self._measure(settings, part, seed=self._plan.seed + _CONFIRMING_SEED, rounds_times=CONFIRMING_ROUNDS)
        self._result.confirmed = Confirmation(run.id, settings, [one.to_dict() for one in analyse(run).comparisons])

    def _measure(
        self, settings: Mapping[str, dict[str, ParameterValue]], progress: Progress, *, seed: int, rounds_times: int = 1
    ) -> Run:
        """Measure settings, keyed by label, against the default, with the preset's rounds and budget times a factor."""
        (arm,), preset = self._plan.arms, self._plan.preset
        arms = [msgspec.structs.replace(arm, label=DEFAULT)]
        arms += [msgspec.structs.replace(arm, label=label, params=params) for label, params in settings.items()]
        more = {name: getattr(preset, name) * rounds_times for name in ("min_rounds", "max_rounds", "budget_s")}
        planned = replace(
            self._plan,
            arms=arms,
            baseline=DEFAULT,
            preset=msgspec.structs.replace(preset, **more),
            seed=seed,
            kind="search",
        )
        return execute(planned, progress)

    def _write(self) -> None:
        self._result.seconds = round(self._tracker.elapsed, 1)
        write_search(self._result, self._plan.component.lab.results)


class _SearchPart(PartialProgress):
    """Reports a run's progress as part of the search, with the search's text and time left."""

    def __init__(self, whole: Progress, begin: float, end: float, text: str, seconds_left: float | None) -> None:
        super().__init__(whole, begin, max(begin, end))
        self._text = text
        self._seconds_left = seconds_left

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        _, _, round_ = text.partition(": ")
        left = seconds_left if self._seconds_left is None else self._seconds_left
        super().update(done, f"{self._text} ({round_ or text})", left)
