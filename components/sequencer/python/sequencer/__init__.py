"""Epoch buffers, one step at a time: what a scanner, the driver and the sequencer do next is the caller's choice.

Example:
    >>> stepper = Stepper("mutex", scanners=2)
    >>> stepper.push(0), stepper.advance(), stepper.take()
    (Batch(scanner=0, position=0, epoch=0), True, Taken(epoch=0, batches=[Batch(scanner=0, position=0, epoch=0)]))
"""

from sequencer._native import Batch, Interleaving, Stepper, Taken, variants
from sequencer.exploring import Exploration, explore, replay

__all__ = ["Batch", "Exploration", "Interleaving", "Stepper", "Taken", "explore", "replay", "variants"]
