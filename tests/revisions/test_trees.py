"""Work trees: made once, mended when they are not whole, and pruned."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from cupsrepo import Repository, make_repository

from perflab.model.errors import UsageError
from perflab.model.lab import Lab
from perflab.topics import revisions as trees
from perflab.topics.revisions import (
    find_commit,
    find_trees,
    present_commit,
    provide_tree,
    prune_trees,
    remove_trees,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, dict[str, str]]:
    return make_repository(tmp_path_factory.mktemp("checkout") / "lab")


@pytest.fixture
def repository(made: tuple[Repository, dict[str, str]]) -> Repository:
    return made[0]


@pytest.fixture
def lab(repository: Repository) -> Iterator[Lab]:
    """The lab of the repository, without work trees."""
    found = replace(Lab.from_environment(), root=repository.folder, components=repository.cups.parent)
    yield found
    remove_trees(found, find_trees(found))


def test_a_tree_holds_the_commit_and_leaves_the_checkout_alone(lab: Lab, repository: Repository) -> None:
    tree = provide_tree(lab, find_commit(lab.root, "HEAD~3"))
    assert tree.commit.subject == "Cups"
    assert '"glass": (200, 200)' in (tree.folder / "components" / "cups" / "bench.py").read_text()
    assert present_commit(lab.root) == (find_commit(lab.root, "main"), False)
    assert repository.git("branch", "--format=%(refname:short)") == "main"


def test_a_tree_that_is_not_whole_is_made_anew(lab: Lab, repository: Repository) -> None:
    commit = find_commit(lab.root, "HEAD")
    bench = provide_tree(lab, commit).folder / "components" / "cups" / "bench.py"
    kept = bench.with_name("product")
    kept.touch()
    provide_tree(lab, commit)
    assert kept.exists()
    bench.write_text("edited")
    provide_tree(lab, commit)
    assert bench.read_text() == (repository.cups / "bench.py").read_text()
    assert not kept.exists()
    (provide_tree(lab, commit).folder / ".git").unlink()
    assert (provide_tree(lab, commit).folder / ".git").is_file()


def test_what_nobody_uses_goes_and_what_is_in_use_stays(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = [find_commit(lab.root, f"HEAD~{back}") for back in range(5)]
    for age, commit in enumerate(commits):
        folder = provide_tree(lab, commit).folder
        then = time.time() - age * 10 * 86400
        os.utime(folder, (then, then))
    # The last was used 40 days ago, but it is in use; the one before it just not a month ago.
    monkeypatch.setattr(trees, "MOST_KEPT", 2)
    gone = prune_trees(lab, keep=[commits[4]])
    assert {tree.commit.id for tree in gone} == {commits[2].id, commits[3].id}
    assert {tree.commit.id for tree in find_trees(lab)} == {commits[number].id for number in (0, 1, 4)}
    assert [tree.commit.id for tree in prune_trees(lab)] == [commits[4].id]


@pytest.mark.parametrize("revision", ["", "no-such", "--all", "HEAD~99", "main:components"])
def test_what_is_no_commit_is_an_error_with_the_newest(lab: Lab, revision: str) -> None:
    with pytest.raises(UsageError, match="no revision") as raised:
        find_commit(lab.root, revision)
    assert "A bowl, lids and sizes" in raised.value.hint


def test_a_shallow_clone_says_how_to_get_the_rest(repository: Repository, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    with pytest.raises(UsageError) as raised:
        find_commit(tmp_path / "shallow", "HEAD~2")
    assert "fetch-depth: 0" in raised.value.hint


def test_without_a_repository_there_are_no_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="no git repository"):
        find_commit(tmp_path, "HEAD")
