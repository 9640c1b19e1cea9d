"""Optuna's study: what proposes settings."""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import TYPE_CHECKING

from perflab.errors import MissingError
from perflab.search.space import every_setting, setting_text

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from optuna.trial import Trial

    from perflab.protocol import ParameterValue
    from perflab.search.space import Dimension

_LEAST_RANDOM, _MOST_RANDOM = 4, 10
_REPEATS = 10


class Proposals:
    """A tree-structured Parzen estimator (Bergstra et al. 2011), which looks at ranks and so bears noise well.

    Args:
        dimensions: Where to search.
        trials: As many as there may be, or `None`; a third of them, at most ten, are random.
        seed: Makes what is proposed repeatable, as far as the machine's answers are.

    Raises:
        MissingError: If Optuna is not installed.
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
        self._chance = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret

    def ask(self, tried: Container[str]) -> tuple[Trial, dict[str, ParameterValue]] | None:
        """The next proposal and its setting, by `setting_text` none of those that were tried.

        The estimator comes back again and again to where it was good; after some of that, one of the others is taken by
        chance.

        Returns:
            None where all were tried, as far as it can find out.
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

    def tell(self, trial: Trial, value: float | None) -> None:
        """What came of it, larger is better; `None` if nothing did."""
        from optuna.trial import TrialState  # noqa: PLC0415 - as above

        if value is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, value)
