"""Revisions of the checkout, each in a git work tree of its own, built there beside the present one."""

from perflab.revisions.building import component_at
from perflab.revisions.git import Commit, find_commit, present_commit
from perflab.revisions.trees import Tree, find_trees, provide_tree, prune_trees, remove_trees

__all__ = [
    "Commit",
    "Tree",
    "component_at",
    "find_commit",
    "find_trees",
    "present_commit",
    "provide_tree",
    "prune_trees",
    "remove_trees",
]
