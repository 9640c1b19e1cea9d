"""Addresses of git remotes: what anybody can fetch comes out of each form, and never what is secret."""

from __future__ import annotations

import pytest

from perflab.model.errors import UsageError
from perflab.site.launch import Launcher, public_url


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
