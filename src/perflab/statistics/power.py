"""Planning: which effect a number of rounds can detect, and how many rounds an effect needs.

Both use Bloom's (1995) minimum detectable effect of paired values, (t_{1-alpha/2, n-1} + t_{power, n-1}) sd / sqrt(n).
"""

from __future__ import annotations

import math

from perflab.statistics.interval import MINIMUM_ROUNDS, student_quantile

DEFAULT_POWER = 0.8

_MAX_ROUNDS = 10_000_000


def detectable_shift(sd: float, rounds: int, confidence: float = 0.95, power: float = DEFAULT_POWER) -> float:
    """The smallest true mean of paired differences that is found with probability `power`, in the unit of `sd`.

    Raises:
        ValueError: fewer than 2 rounds, a negative `sd`, or a level not between 0 and 1.
    """
    if sd < 0:
        raise ValueError(f"a standard deviation is not negative: {sd}")
    quantiles = student_quantile((1 + confidence) / 2, rounds) + student_quantile(power, rounds)
    return quantiles * sd / math.sqrt(rounds)


def minimum_detectable_effect(
    log_sd: float, rounds: int, confidence: float = 0.95, power: float = DEFAULT_POWER
) -> float:
    """The smallest improvement found with probability `power`, as a ratio above one: 0.04 means a factor of 1.04.

    Args:
        log_sd: standard deviation of the paired log ratios of a round.
        rounds: number of paired rounds.
        confidence: of the interval, after any correction for multiple comparison.
        power: probability that the interval excludes 1 when the effect is this large.

    Raises:
        ValueError: as `detectable_shift`.
    """
    shift = detectable_shift(log_sd, rounds, confidence, power)
    try:
        return math.expm1(shift)
    except OverflowError:
        return math.inf


def rounds_needed(log_sd: float, effect: float, confidence: float = 0.95, power: float = DEFAULT_POWER) -> int:
    """The fewest rounds whose minimum detectable effect is `effect` or less.

    Args:
        log_sd: standard deviation of the paired log ratios of a round.
        effect: improvement to detect, as a ratio above one: 0.04 means a factor of 1.04.
        confidence: of the interval.
        power: probability of detecting it.

    Raises:
        ValueError: `effect` is not above zero, it would take more than ten million rounds, or as `detectable_shift`.
    """
    if not effect > 0:
        raise ValueError(f"an effect to detect is above zero, not {effect}")
    target = math.log1p(effect)

    def enough(rounds: int) -> bool:
        return detectable_shift(log_sd, rounds, confidence, power) <= target

    high = MINIMUM_ROUNDS
    while not enough(high):
        high *= 2
        if high > _MAX_ROUNDS:
            raise ValueError(f"an effect of {effect:g} is out of reach with a spread of {log_sd:g} between rounds")
    low = MINIMUM_ROUNDS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
