from __future__ import annotations

import pytest

from perflab.profile.tree import CUT, DEEPEST, PrunedTree, build, prune, prune_to_fit

Stacks = dict[tuple[str, ...], float]


def check(tree: PrunedTree) -> None:
    """A node's total is its own weight and its children's totals; parents stand before children."""
    inner = [list(node.own) if not node.gathered else [0.0] * len(node.own) for node in tree.nodes]
    for index, node in enumerate(tree.nodes[1:], 1):
        assert 0 <= node.parent < index
        assert node.depth == tree.nodes[node.parent].depth + 1
        for which, total in enumerate(node.totals):
            inner[node.parent][which] += total
    for node, sums in zip(tree.nodes, inner, strict=True):
        if not node.gathered:
            assert node.totals == pytest.approx(sums)


def test_weights_add_up_from_the_leaves(small: Stacks) -> None:
    tree = prune(build(small), 0)
    check(tree)
    assert tree.nodes[0].totals[0] == pytest.approx(sum(small.values()))


def test_two_profiles_share_one_tree() -> None:
    tree = prune(build({("a", "b"): 1.0}, {("a", "c"): 2.0}), 0)
    assert [(node.name, node.totals) for node in tree.nodes] == [
        ("all", (1, 2)),
        ("a", (1, 2)),
        ("c", (0, 2)),
        ("b", (1, 0)),
    ]


def test_recursion_is_cut_where_nobody_follows_it() -> None:
    root = build({("f",) * 5000: 1.0, (*("f",) * 6000, "g"): 2.0})
    tree = prune(root)
    assert (tree.nodes[-1].name, tree.nodes[-1].depth, tree.nodes[-1].totals) == (CUT, DEEPEST + 1, (3.0,))
    assert len(tree.nodes) == len(list(root.all())) == DEEPEST + 2
    check(tree)


def test_a_tree_is_not_larger_than_memory_is_and_keeps_what_is_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflab.profile.tree._MOST_CALLS", 100)
    light = {("main", f"light {n}", "inner"): 1.0 for n in range(900)}
    tree = prune(build({**light, ("main", "heavy", "inner"): 5.0}), 0)
    names = [node.name for node in tree.nodes]
    assert len(names) < 200
    assert "heavy" in names
    assert tree.nodes[0].totals == (905.0,)
    assert CUT in names
    check(tree)


@pytest.mark.parametrize("least_share", [0.0001, 0.001, 0.05, 0.7])
def test_pruning_loses_no_weight(large: Stacks, least_share: float) -> None:
    root = build(large)
    pruned = prune(root, least_share)
    check(pruned)
    assert pruned.nodes[0].totals == tuple(root.totals)
    assert sum(node.gathered or 1 for node in pruned.nodes) == len(prune(root, 0).nodes)


def test_what_was_pruned_is_named_and_counted() -> None:
    pruned = prune(build({("hot",): 1e6, ("cold", "colder"): 1.0, ("icy",): 2.0}))
    assert [(node.name, node.totals) for node in pruned.nodes[1:]] == [
        ("hot", (1e6,)),
        ("(3 frames below 0.1 %)", (3.0,)),
    ]
    assert pruned.nodes[2].gathered == 3


def test_a_frame_that_is_heavy_in_one_profile_stays_in_both() -> None:
    pruned = prune(build({("a",): 1e9}, {("a",): 1.0, ("b",): 1.0}))
    assert [node.name for node in pruned.nodes] == ["all", "a", "b"]


def test_pruning_goes_on_until_it_fits_and_says_how_far(large: Stacks) -> None:
    tree = build(large)
    assert len(prune(tree).nodes) > 100
    fitted = prune_to_fit(tree, 100)
    assert 50 < len(fitted.nodes) <= 100
    assert fitted.least_share > 0.001
    assert f"{100 * fitted.least_share:.2g} %" in next(node.name for node in fitted.nodes if node.gathered)
    check(fitted)


def test_nothing_is_a_tree_too() -> None:
    assert [node.name for node in prune(build({})).nodes] == ["all"]
