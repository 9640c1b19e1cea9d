"""Epochs stepped by hand, on every variant."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.build

VARIANTS = ["mutex", "per-scanner-published", "per-scanner-locked", "sealed-epochs", "lab"]
BEFORE_WRAPAROUND = 2**64 - 2


def shown(taken: Any) -> list[tuple[int, int]]:  # noqa: ANN401 - a type of the module
    return [(batch.scanner, batch.position) for batch in taken.batches]


def test_the_variants_are_those_of_the_topic(sequencer: ModuleType) -> None:
    assert sequencer.variants() == VARIANTS


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_epoch_holds_what_was_pushed_in_it_across_the_wraparound(sequencer: ModuleType, variant: str) -> None:
    stepper = sequencer.Stepper(variant, scanners=2, capacity=1, first_epoch=BEFORE_WRAPAROUND)
    for position in range(4):
        epoch = (BEFORE_WRAPAROUND + position) % 2**64
        assert stepper.push(0).position == position
        assert stepper.push(1).epoch == epoch
        assert stepper.take() is None
        assert stepper.advance()
        taken = stepper.take()
        assert (taken.epoch, shown(taken)) == (epoch, [(0, position), (1, position)])
    assert stepper.pending == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_was_not_taken_is_pending(sequencer: ModuleType, variant: str) -> None:
    stepper = sequencer.Stepper(variant, scanners=2)
    first = stepper.push(1)
    stepper.advance()
    second = stepper.push(1)
    assert (stepper.pending, stepper.lag) == ([first, second], 1)
    stepper.take()
    assert (stepper.pending, stepper.lag) == ([second], 0)


def test_batches_outlive_the_stepper(sequencer: ModuleType) -> None:
    stepper = sequencer.Stepper("lab")
    batch = stepper.push(1)
    (pending,) = stepper.pending
    stepper.advance()
    taken = stepper.take()
    del stepper
    assert repr(batch) == repr(pending) == "Batch(scanner=1, position=0, epoch=0)"
    assert repr(taken) == f"Taken(epoch=0, batches=[{batch!r}])"


def test_what_cannot_be_is_an_error(sequencer: ModuleType) -> None:
    with pytest.raises(ValueError, match="no variant 'mtex'; there are: mutex, "):
        sequencer.Stepper("mtex")
    with pytest.raises(ValueError, match="at least 1"):
        sequencer.Stepper("lab", scanners=0)
    with pytest.raises(ValueError, match="at most"):
        sequencer.Stepper("lab", capacity=2**63)
    with pytest.raises(IndexError, match="2 scanners"):
        sequencer.Stepper("lab", scanners=2).push(2)


def test_the_example_in_the_documentation_holds(sequencer: ModuleType) -> None:
    assert doctest.testmod(sequencer).attempted
    assert not doctest.testmod(sequencer).failed
