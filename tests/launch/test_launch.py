"""What of a checkout is at its remote, as git notes it, and its address: what anybody can fetch, and nothing secret."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import MissingError, UsageError
from perflab.site.launch import Launcher, find_launcher, pinned_launcher, public_url

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


ADDRESS = "https://jane:s3cret@github.com/jane/lab.git"
IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]


class Checkout:
    """A git checkout; `push` notes what the remote has, as git does, and sends nothing anywhere."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self("init", "--quiet", "--initial-branch", "main")
        self.commit()

    def __call__(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *IDENTITY, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self) -> str:
        self("commit", "--quiet", "--allow-empty", "--message", "m")
        return self("rev-parse", "HEAD")

    def push(self, branch: str, name: str = "origin") -> None:
        self("update-ref", f"refs/remotes/{name}/{branch}", "HEAD")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made("remote", "add", "origin", ADDRESS)
    made.push("main")
    return made


def detach(checkout: Checkout) -> str:
    checkout("switch", "--quiet", "--detach")
    return checkout("rev-parse", "HEAD")


def follow(checkout: Checkout) -> str:
    """The branch has another name at the remote."""
    checkout("switch", "--quiet", "--create", "mine")
    checkout("config", "branch.mine.remote", "origin")
    checkout("config", "branch.mine.merge", "refs/heads/main")
    return "main"


@pytest.mark.parametrize("change", [lambda _: "main", detach, follow], ids=["a branch", "a commit", "another name"])
def test_what_is_checked_out_is_launched(checkout: Checkout, change: Callable[[Checkout], str]) -> None:
    ref = change(checkout)
    launcher = find_launcher(checkout.root)
    assert (launcher.repository, launcher.ref, launcher.note) == ("https://github.com/jane/lab.git", ref, "")


def test_commits_that_are_not_pushed_are_counted(checkout: Checkout) -> None:
    checkout.commit()
    checkout.commit()
    launcher = find_launcher(checkout.root)
    assert launcher.ref == "main"
    assert launcher.note.startswith("2 commits of main are not pushed")


def test_a_branch_that_is_not_pushed_is_an_error_that_says_how_to_check(checkout: Checkout) -> None:
    checkout("switch", "--quiet", "--create", "idea")
    checkout.commit()
    with pytest.raises(MissingError, match="idea is not pushed to the remote origin") as caught:
        find_launcher(checkout.root)
    assert "git push origin idea" in caught.value.hint
    assert "git branch --remotes --contains idea" in caught.value.hint


def test_a_branch_that_only_the_remote_has_can_be_launched(checkout: Checkout) -> None:
    checkout.push("theirs/one")
    launcher = find_launcher(checkout.root, "theirs/one")
    assert (launcher.ref, launcher.note) == ("theirs/one", "")


def test_a_commit_is_named_in_full_and_must_be_pushed(checkout: Checkout) -> None:
    pushed = checkout("rev-parse", "HEAD")
    assert find_launcher(checkout.root, pushed[:10]).ref == pushed
    own = checkout.commit()
    with pytest.raises(MissingError, match="is not pushed"):
        find_launcher(checkout.root, own)


def test_what_does_not_exist_is_named(checkout: Checkout) -> None:
    with pytest.raises(UsageError, match="no branch, tag or commit 'v9'"):
        find_launcher(checkout.root, "v9")


def test_without_a_remote_there_is_nothing_to_launch(tmp_path: Path) -> None:
    root = Checkout(tmp_path).root
    with pytest.raises(MissingError, match="no git remote") as caught:
        find_launcher(root)
    assert "git remote add origin" in caught.value.hint
    assert pinned_launcher(root) is None


def test_the_remote_of_the_branch_comes_before_origin(checkout: Checkout) -> None:
    checkout("remote", "add", "fork", "git@gitlab.com:joe/lab.git")
    checkout("config", "branch.main.remote", "fork")
    checkout.push("main", "fork")
    assert find_launcher(checkout.root).repository == "https://gitlab.com/joe/lab.git"


def test_a_report_names_the_commit_or_what_the_remote_has_of_the_branch(checkout: Checkout) -> None:
    launcher = pinned_launcher(checkout.root)
    assert launcher
    assert launcher.ref == checkout("rev-parse", "HEAD")
    checkout.commit()
    launcher = pinned_launcher(checkout.root)
    assert launcher
    assert launcher.ref == "main"
    checkout("remote", "set-url", "origin", "/srv/git/lab.git")
    assert pinned_launcher(checkout.root) is None


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/jane/lab.git",
        "https://www.github.com/jane/lab/",
        "https://GitHub.com/jane/lab.git",
        "https://jane:s3cret@github.com/jane/lab.git",
        "https://github.com/jane/lab.git?access_token=s3cret#s3cret",
        "git@github.com:jane/lab.git",
        "github.com:jane/lab",
        "ssh://git:s3cret@github.com:22/jane/lab.git",
        "ssh://git@ssh.github.com:443/jane/lab.git",
        "git+ssh://git@github.com/jane/lab.git",
    ],
)
def test_each_form_of_an_address_is_the_same_repository(address: str) -> None:
    url = public_url(address)
    assert url.removesuffix(".git") == "https://github.com/jane/lab"
    assert Launcher(url, "main").url() == "https://mybinder.org/v2/gh/jane/lab/main?urlpath=lab"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("git@gitlab.com:group/sub/lab.git", "gl/group%2Fsub%2Flab"),
        ("ssh://git@git.example.org:2222/~jane/lab", "git/https%3A%2F%2Fgit.example.org%2F~jane%2Flab"),
        ("https://git.example.org:8443/lab.git", "git/https%3A%2F%2Fgit.example.org%3A8443%2Flab.git"),
        ("https://gist.github.com/0123abcd.git", "git/https%3A%2F%2Fgist.github.com%2F0123abcd.git"),
    ],
)
def test_each_forge_by_its_own_scheme(address: str, place: str) -> None:
    link = Launcher(public_url(address), "topic/50%#1").url("notebooks/1-mailbox.ipynb")
    assert link == f"https://mybinder.org/v2/{place}/topic/50%25%231?urlpath=lab%2Ftree%2Fnotebooks%2F1-mailbox.ipynb"


@pytest.mark.parametrize(
    "address",
    [
        "/srv/git/lab.git",
        "../lab.git",
        "file:///srv/git/lab.git",
        "https://localhost/lab.git",
        "https://10.0.0.7/lab.git",
        "https://[::1]/lab.git",
        "git@forge:jane/lab.git",
        "git@forge.local:jane/lab.git",
        "https://github.com/",
        "https://github.com:port/jane/lab.git",
        "codecommit::region://s3cret@lab",
        "",
    ],
)
def test_what_nobody_else_can_fetch_is_refused_with_a_way_out(address: str) -> None:
    with pytest.raises(UsageError, match="git remote") as caught:
        public_url(address)
    assert "https://HOST/PATH" in caught.value.hint
    assert "s3cret" not in str(caught.value)
