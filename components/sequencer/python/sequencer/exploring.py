"""Finding an interleaving that breaks the contract: every one that takes few preemptions, until one does."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sequencer._native import Interleaving

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STEPS_AT_MOST = 1000


@dataclass(frozen=True)
class Exploration:
    """What came of it.

    Attributes:
        tried: How many interleavings were tried.
        schedule: Whose step came when, in one that breaks the contract; empty if all keep it.
        history: What each step of it did.
        violations: How it breaks the contract.
    """

    tried: int
    schedule: tuple[str, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    violations: tuple[str, ...] = ()


def explore(
    variant: str,
    *,
    preemptions: int = 2,
    wanted: str = "",
    scanners: int = 1,
    pushes: int = 1,
    epochs: int = 1,
    store_buffer: bool = False,
    fences: bool = True,
) -> Exploration:
    """Try all interleavings in which at most so many times somebody is interrupted who could have gone on.

    Most races need no more than two (Musuvathi and Qadeer, 2007). Each interleaving is run from its beginning.

    Args:
        variant: The epoch buffer.
        preemptions: The bound.
        wanted: What a violation has to say to count, as in "lost"; any counts without it.
        scanners: How many push.
        pushes: How often each does.
        epochs: How many end, and how often the sequencer looks for one.
        store_buffer: Whether the driver's stores wait, as on x86, until `B` writes them to memory.
        fences: Whether the driver's fences wait for them.
    """
    waiting: list[tuple[str, ...]] = [()]
    tried = 0
    while waiting:
        beginning = waiting.pop()
        run = Interleaving(
            variant, scanners=scanners, pushes=pushes, epochs=epochs, store_buffer=store_buffer, fences=fences
        )
        schedule = _follow(run, beginning, preemptions, waiting)
        tried += 1
        found = tuple(one for one in run.finish() if wanted in one)
        if found:
            return Exploration(tried, schedule, tuple(run.history), found)
    return Exploration(tried)


def replay(
    variant: str, schedule: Iterable[str], *, scanners: int = 1, pushes: int = 1, epochs: int = 1
) -> Interleaving:
    """Run an interleaving to the end of a schedule; `finish` then says what came of it.

    Args:
        variant: The epoch buffer.
        schedule: Names of actors, as in `"S0 S0 D Q".split()`.
        scanners: How many push.
        pushes: How often each does.
        epochs: How many end.
    """
    run = Interleaving(variant, scanners=scanners, pushes=pushes, epochs=epochs)
    for actor in _names(schedule) if isinstance(schedule, str) else schedule:
        run.step(actor)
    return run


def _names(text: str) -> Iterator[str]:
    for word in text.split():
        name, _, times = word.partition("*")
        yield from itertools.repeat(name, int(times or 1))


def _follow(
    run: Interleaving, beginning: tuple[str, ...], preemptions: int, waiting: list[tuple[str, ...]]
) -> tuple[str, ...]:
    """Run a beginning to its end, always on with whoever was last; what else could come is left to `waiting`."""
    schedule: list[str] = []
    last, used = "", 0
    while len(schedule) < _STEPS_AT_MOST and (enabled := run.enabled):
        interrupts = last in enabled
        if len(schedule) < len(beginning):
            actor = beginning[len(schedule)]
        else:
            actor = last if interrupts else enabled[0]
            if used + interrupts <= preemptions:
                waiting += [(*schedule, other) for other in enabled if other != actor]
        used += interrupts and actor != last
        run.step(actor)
        schedule.append(actor)
        last = actor
    return tuple(schedule)
