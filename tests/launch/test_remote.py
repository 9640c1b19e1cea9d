"""Addresses of git remotes: what anybody can fetch comes out of each form, and never what is secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.model.errors import UsageError
from perflab.site.launch import Launcher, parse_remote

GITHUB = "https://github.com/jane/lab"


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/jane/lab.git",
        "https://github.com/jane/lab",
        "https://github.com/jane/lab/",
        "https://www.github.com/jane/lab.git",
        "https://GitHub.com/jane/lab.git",
        "https://jane:s3cret@github.com/jane/lab.git",
        "https://s3cret@github.com/jane/lab.git",
        "https://github.com/jane/lab.git?access_token=s3cret#s3cret",
        "git@github.com:jane/lab.git",
        "github.com:jane/lab",
        "ssh://git@github.com/jane/lab.git",
        "ssh://git:s3cret@github.com:22/jane/lab.git",
        "ssh://git@ssh.github.com:443/jane/lab.git",
        "git+ssh://git@github.com/jane/lab.git",
    ],
)
def test_each_form_of_an_address_is_the_same_repository(address: str) -> None:
    remote = parse_remote(address)
    assert (remote.host, remote.path) == ("github.com", "jane/lab")
    assert remote.url.removesuffix(".git").replace("www.", "") == GITHUB
    assert Launcher(remote, "main").url() == "https://mybinder.org/v2/gh/jane/lab/main?urlpath=lab"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("git@gitlab.com:group/sub/lab.git", "gl/group%2Fsub%2Flab"),
        ("https://gitlab.com/jane/lab.git", "gl/jane%2Flab"),
        ("https://codeberg.org/jane/lab.git", "git/https%3A%2F%2Fcodeberg.org%2Fjane%2Flab.git"),
        ("ssh://git@git.example.org:2222/~jane/lab", "git/https%3A%2F%2Fgit.example.org%2F~jane%2Flab"),
        ("https://git.example.org:8443/lab.git", "git/https%3A%2F%2Fgit.example.org%3A8443%2Flab.git"),
        ("http://git.example.org/a%20b.git", "git/http%3A%2F%2Fgit.example.org%2Fa%2520b.git"),
        ("https://gist.github.com/0123abcd.git", "git/https%3A%2F%2Fgist.github.com%2F0123abcd.git"),
    ],
)
def test_each_forge_by_its_own_scheme(address: str, place: str) -> None:
    link = Launcher(parse_remote(address), "v1").url("notebooks/1-mailbox.ipynb")
    assert link == f"https://mybinder.org/v2/{place}/v1?urlpath=lab%2Ftree%2Fnotebooks%2F1-mailbox.ipynb"


def test_a_ref_with_a_slash_is_a_ref_and_its_other_signs_are_quoted() -> None:
    link = Launcher(parse_remote(GITHUB), "topic/50%#1").url()
    assert link == "https://mybinder.org/v2/gh/jane/lab/topic/50%25%231?urlpath=lab"


@pytest.mark.parametrize(
    "address",
    [
        "/srv/git/lab.git",
        "../lab.git",
        "file:///srv/git/lab.git",
        "C:\\lab.git",
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
        parse_remote(address)
    assert "https://HOST/PATH" in caught.value.hint
    assert "s3cret" not in str(caught.value)


SECRETS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=8)


@given(user=SECRETS, password=SECRETS, scheme=st.sampled_from(["https", "ssh", "http", "git"]))
def test_credentials_never_come_out(user: str, password: str, scheme: str) -> None:
    remote = parse_remote(f"{scheme}://u-{user}:p-{password}@example.org:99/lab.git?t=q-{password}")
    for text in (remote.url, remote.host, remote.path, Launcher(remote, "main").url()):
        assert f"u-{user}" not in text
        assert f"p-{password}" not in text
        assert f"q-{password}" not in text
