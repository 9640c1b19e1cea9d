"""Interleavings chosen by hand, and those that an exploration finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.build

PUBLISHED = "per-scanner-published"
CORRECT = ["per-scanner-locked", "sealed-epochs", "lab"]


def test_a_step_is_one_access_and_says_what_it_did(sequencer: ModuleType) -> None:
    run = sequencer.Interleaving(PUBLISHED)
    assert run.actors == run.enabled == ["S0", "D", "Q"]
    assert [run.step("S0") for _ in range(3)] == ["loads 0", "looks up the vector of scanner 0", "sees 0 elements"]
    assert run.step("D") == "loads 0"
    assert run.history[-1] == ("D", "loads 0")
    assert len(run.history) == 4


def test_the_sequencer_empties_a_vector_behind_a_push(sequencer: ModuleType) -> None:
    # Two batches are pushed, the second is counted between the sequencer's look at the size and its clear().
    run = sequencer.replay(PUBLISHED, "S0*9  D*2  Q*4  S0  Q", pushes=2)
    assert run.finish() == ["S0's batch 1 is lost"]


def test_a_push_undoes_that_a_vector_was_emptied(sequencer: ModuleType) -> None:
    run = sequencer.replay(PUBLISHED, "S0*9  D*2  Q*5  S0", pushes=2)
    assert "S0's batch 0 is shown 2 times" in run.finish()


def test_a_push_that_sleeps_comes_three_epochs_late(sequencer: ModuleType) -> None:
    run = sequencer.replay(PUBLISHED, "S0  D*2  Q*3  S0")
    assert run.finish() == ["S0's batch 0 is shown in epoch 3, and had been pushed when epoch 1 ended"]


def test_a_push_that_sleeps_is_shown_behind_one_that_another_scanner_began_later(sequencer: ModuleType) -> None:
    # S0 has read epoch 0, which ends and is taken. S0 ends its push, and only then S1 begins its own.
    run = sequencer.replay(PUBLISHED, "S0  D*2  Q*3  S0*4  S1*5", scanners=2)
    assert run.finish() == [
        "S0's batch 0 is shown in epoch 3, and had been pushed when epoch 1 ended",
        "S0's batch 0 is shown in epoch 3, and had been pushed before S1's batch 0, which is shown in epoch 1",
    ]


def test_pushes_that_overlap_may_be_shown_in_either_order(sequencer: ModuleType) -> None:
    # As above, but for S1's first access, which comes before S0's last.
    run = sequencer.replay(PUBLISHED, "S0  D*2  Q*3  S0*3  S1  S0", scanners=2)
    assert run.finish() == ["S0's batch 0 is shown in epoch 3, and had been pushed when epoch 1 ended"]


def test_the_labs_cut_may_miss_a_push_that_came_first_but_its_stamp_does_not(sequencer: ModuleType) -> None:
    # The driver has read S0's tail when both push, one after the other: S1's batch is within the cut, S0's is not.
    run = sequencer.replay("lab", "D*4  S0*3  S1*3", scanners=2)
    assert [did for who, did in run.history if who == "D"][-1] == "loads 0"
    assert run.enabled == ["D", "Q"]
    assert run.step("D") == "writes 0"
    assert run.step("D") == "loads 1"
    assert run.finish() == []


def test_the_same_schedule_gives_the_same_history(sequencer: ModuleType) -> None:
    found = sequencer.explore(PUBLISHED, pushes=2, epochs=3, wanted="lost")
    for _ in range(20):
        run = sequencer.replay(PUBLISHED, found.schedule, pushes=2, epochs=3)
        assert tuple(run.finish()) == found.violations
        assert tuple(run.history) == found.history


@pytest.mark.parametrize("wanted", ["lost", "shown 2 times", "epoch 3", "out of order"])
def test_exploring_finds_each_of_the_published_races(sequencer: ModuleType, wanted: str) -> None:
    found = sequencer.explore(PUBLISHED, pushes=2, epochs=3, wanted=wanted)
    assert found.violations
    assert all(wanted in one for one in found.violations)


@pytest.mark.parametrize("variant", ["mutex", *CORRECT])
def test_with_a_sequencer_that_keeps_up_the_others_have_none(sequencer: ModuleType, variant: str) -> None:
    found = sequencer.explore(variant, pushes=2, epochs=2)
    assert found.violations == ()
    assert found.tried > 500


@pytest.mark.parametrize("variant", CORRECT)
def test_nor_have_the_correct_ones_with_two_scanners(sequencer: ModuleType, variant: str) -> None:
    assert sequencer.explore(variant, preemptions=1, scanners=2, epochs=2).violations == ()


def test_the_mutex_mixes_epochs_once_it_lags_by_three(sequencer: ModuleType) -> None:
    found = sequencer.explore("mutex", preemptions=1, pushes=2, epochs=4)
    assert found.violations == ("S0's batch 1 is shown in epoch 1, which had ended when it was pushed",)


IN_ONE_EPOCH = {"preemptions": 1, "scanners": 2}


def test_without_its_fence_the_labs_cut_is_no_snapshot(sequencer: ModuleType) -> None:
    found = sequencer.explore("lab", **IN_ONE_EPOCH, store_buffer=True, fences=False)
    assert found.violations == (
        "S0's batch 0 is shown in epoch 1, and had been pushed before S1's batch 0, which is shown in epoch 0",
    )
    # The epoch that has begun is in the driver's store buffer while both push.
    did = [what for who, what in found.history if who in "DB"]
    assert did.index("stores 1 (in the store buffer)") < did.index("loads 0", 2) < did.index("1 reaches memory")


@pytest.mark.parametrize("variant", CORRECT)
def test_with_their_fences_the_correct_ones_stand_a_store_buffer(sequencer: ModuleType, variant: str) -> None:
    assert sequencer.explore(variant, **IN_ONE_EPOCH, store_buffer=True).violations == ()


def test_without_a_store_buffer_nobody_misses_a_fence(sequencer: ModuleType) -> None:
    assert sequencer.explore("lab", **IN_ONE_EPOCH, fences=False).violations == ()


def test_a_store_waits_until_it_is_written_and_the_fence_waits_for_that(sequencer: ModuleType) -> None:
    run = sequencer.Interleaving("lab", store_buffer=True)
    assert run.actors == ["S0", "D", "Q", "B"]
    with pytest.raises(RuntimeError, match="B has nothing to write"):
        run.step("B")
    assert [run.step("D") for _ in range(3)] == ["loads 0", "loads 0", "stores 1 (in the store buffer)"]
    assert run.enabled == ["S0", "Q", "B"]
    assert run.step("S0") == "loads 0"
    assert run.step("B") == "1 reaches memory"
    assert run.step("D") == "passes the fence"
    assert run.finish() == []


def test_who_waits_for_a_lock_is_not_enabled(sequencer: ModuleType) -> None:
    run = sequencer.Interleaving("mutex", scanners=2)
    assert run.step("S0") == "locks"
    assert run.enabled == ["S0", "D", "Q"]
    with pytest.raises(RuntimeError, match="S1 waits for a lock"):
        run.step("S1")


def test_an_actor_that_has_ended_cannot_go_on(sequencer: ModuleType) -> None:
    run = sequencer.replay(PUBLISHED, ["D", "D"])
    assert run.enabled == ["S0", "Q"]
    with pytest.raises(RuntimeError, match="D has reached its end"):
        run.step("D")
    run.finish()
    with pytest.raises(RuntimeError, match="S0 has reached its end"):
        run.step("S0")


def test_a_run_that_is_left_in_the_middle_ends(sequencer: ModuleType) -> None:
    for variant in sequencer.variants():
        run = sequencer.Interleaving(variant, scanners=4, pushes=16)
        for _ in range(3):
            run.step("S1")
        del run


def test_what_cannot_be_is_an_error(sequencer: ModuleType) -> None:
    with pytest.raises(ValueError, match="no variant"):
        sequencer.Interleaving("mtex")
    with pytest.raises(ValueError, match="1 to 4 scanners"):
        sequencer.Interleaving("lab", scanners=5)
    with pytest.raises(ValueError, match="no actor 'S1'"):
        sequencer.Interleaving("lab").step("S1")
