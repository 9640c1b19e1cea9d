"""The search: Optuna proposes settings, each is measured against the default one, and the best few once more.

A trial is a run of its own in which the setting and the default take turns, so drift of the machine between trials is
in no trial's figure. What is left is noise, and the best of many noisy figures is too good on average (winner's curse):
trials only choose, and what is reported comes from a run of its own with fresh processes.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from perflab.analysis import analyse
from perflab.errors import BenchError, LabError
from perflab.runner import Portion, Settings, measurement_lock
from perflab.search.budget import CONFIRMED, CONFIRMING_ROUNDS, Budget, Spending
from perflab.search.result import Confirmation, SearchResult, Trial, write_search
from perflab.search.space import read_space, setting_text
from perflab.search.study import Proposals
from perflab.store import new_run_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.analysis import Analysis
    from perflab.protocol import ParameterValue
    from perflab.runner import Progress, Request
    from perflab.search.result import Ended
    from perflab.search.space import Dimension

DEFAULT = "default"
"""The label of the setting that the others are compared with: what `--param` and the scenario's defaults make."""

_CONFIRMING_SEED = 7919


class Search:
    """A search, and what it has found until now.

    Args:
        request: One variant, the parameters that do not change, the preset of each trial.
        over: What to search, as in `read_space`.
        budget: When to stop.
        progress: Told of each trial, and of the budget.
    """

    def __init__(self, request: Request, over: Sequence[str], budget: Budget, progress: Progress) -> None:
        self._request = request
        self._over = over
        self._spending = Spending(budget)
        self._progress = progress
        self.result: SearchResult | None = None
        """Nothing before the first trial."""

    def go(self) -> SearchResult:
        """Search, confirm, and give the result back; it is on disk after each trial.

        Raises:
            UsageError: If the request names what does not exist.
            MissingError: If something is missing or taken on this machine.
            BenchError: If the default setting cannot be measured.
            KeyboardInterrupt: On Ctrl-C; `result` then holds what was found.
        """
        with measurement_lock():
            settings = Settings.of(self._request, self._progress)
            dimensions = read_space(settings.scenario, self._over, self._request.params)
            proposals = Proposals(dimensions, self._spending.budget.trials, self._request.seed)
            course = _Course(settings, dimensions, proposals, self._spending, self._progress)
            self.result = course.result
            try:
                return course.go(self._request.seed)
            except KeyboardInterrupt:
                course.end("interrupted")
                raise
            except LabError:
                course.end("failed")
                raise


class _Course:
    def __init__(
        self,
        settings: Settings,
        dimensions: Sequence[Dimension],
        proposals: Proposals,
        spending: Spending,
        progress: Progress,
    ) -> None:
        self._settings = settings
        self._proposals = proposals
        self._spending = spending
        self._progress = progress
        everything = settings.scenario.settings(settings.params)
        default = {one.name: everything[one.name] for one in dimensions}
        self._tried = {setting_text(default)}
        self.result = SearchResult(
            search=new_run_id(settings.component.name, settings.scenario.name),
            topic=settings.component.name,
            scenario=settings.scenario.name,
            variant=settings.variant.name,
            over={one.name: one.text for one in dimensions},
            default=everything,
        )

    def go(self, seed: int) -> SearchResult:
        ended = self._search(seed)
        self._confirm(seed + _CONFIRMING_SEED)
        self.end(ended)
        return self.result

    def end(self, reason: Ended) -> None:
        self.result.ended = reason
        if reason == "interrupted" and self.result.confirmed is None:
            self.result.notes.append("interrupted before the best were measured again: no figure here is confirmed")
        self._write()

    def _search(self, seed: int) -> Ended:
        while (ended := self._spending.spent()) is None:
            asked = self._proposals.ask(self._tried)
            if asked is None:
                return "exhausted"
            proposal, params = asked
            label = setting_text(params)
            trial = self._measure(params, label, seed + self._spending.trials)
            self._tried.add(label)
            self._proposals.tell(proposal, math.log(trial.factor) if trial.factor else None)
            self.result.trials.append(trial)
            self._write()
        return ended

    def _measure(self, params: dict[str, ParameterValue], label: str, seed: int) -> Trial:
        number, begun = self._spending.trials + 1, time.monotonic()
        try:
            run = self._settings.measure({DEFAULT: {}, label: params}, self._teller(label), seed=seed)
        finally:
            self._spending.trial(time.monotonic() - begun)
        analysis = analyse(run)
        self._take_machine(analysis)
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

    def _confirm(self, seed: int) -> None:
        """Measure the best few again: those that looked better than the default, at most three."""
        chosen = [one for one in self.result.ranked[:CONFIRMED] if (one.factor or 0.0) > 1]
        if not chosen:
            self.result.notes.append("no setting looked better than the default, so there was nothing to confirm")
            return
        arms = {setting_text(one.params): one.params for one in chosen}
        text = f"measuring the best {len(arms)} again with fresh processes"
        teller = _Teller(self._progress, self._spending.done(), 1.0, text, None)
        run = self._settings.measure({DEFAULT: {}, **arms}, teller, seed=seed, rounds_times=CONFIRMING_ROUNDS)
        analysis = analyse(run)
        self.result.confirmed = Confirmation(run.id, arms, [one.to_dict() for one in analysis.comparisons])

    def _teller(self, label: str) -> _Teller:
        leader = next(iter(self.result.ranked), None)
        best = f", best until now {leader.factor:.3g}x at {setting_text(leader.params)}" if leader else ""
        spending = self._spending
        text = f"{spending.text}{best}: {label}"
        return _Teller(self._progress, spending.done(), spending.done(1), text, spending.left())

    def _take_machine(self, analysis: Analysis) -> None:
        machine = analysis.run.header.machine
        self.result.machine = {"id": machine.id, "title": machine.title}

    def _write(self) -> None:
        self.result.seconds = round(self._spending.elapsed, 1)
        write_search(self.result)


class _Teller(Portion):
    """A run's progress as a part of the search's, under the search's own words and time."""

    def __init__(self, whole: Progress, begin: float, end: float, text: str, seconds_left: float | None) -> None:
        super().__init__(whole, begin, max(begin, end))
        self._text = text
        self._seconds_left = seconds_left

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        _, _, round_ = text.partition(": ")
        left = seconds_left if self._seconds_left is None else self._seconds_left
        super().update(done, f"{self._text} ({round_ or text})", left)
