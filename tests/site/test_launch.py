"""Launch links: on each notebook and claim where others can fetch the checkout, and none where they cannot."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from evidence_by_hand import FIXTURES, lay_out
from sites import build_site, dead_links, pages_of

from perflab.site.launch import Launcher, public_url

if TYPE_CHECKING:
    from pathlib import Path

LAUNCHER = Launcher(public_url("https://jane:s3cret@github.com/jane/lab"), "0123abc")
NOTEBOOK = "notebooks/1-mailbox.ipynb"


@pytest.fixture(scope="module", params=[LAUNCHER, None], ids=["public", "private"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Launcher | None]:
    folder = tmp_path_factory.mktemp("report")
    places = lay_out(folder)
    places["components"] = folder / "components"
    shutil.copytree(FIXTURES / "components" / "toy", folder / "components" / "toy")
    manifest = folder / "components" / "toy" / "component.toml"
    manifest.write_text(f'notebook = "{NOTEBOOK}"\n{manifest.read_text()}')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("perflab.site.site.pinned_launcher", lambda _: request.param)
        site = build_site(folder / "site", notebooks=True, **places)
    return site.index.parent, request.param


def launches(folder: Path, pattern: str) -> dict[str, list[str]]:
    pages = pages_of(folder)
    return {
        path.stem: [link for link in pages[path.resolve()].links if "mybinder.org/v2" in link]
        for path in sorted(folder.glob(pattern))
    }


def test_each_notebook_and_each_claim_is_launched_in_its_notebook(built: tuple[Path, Launcher | None]) -> None:
    folder, launcher = built
    of_claims = launches(folder, "claims/toys/*.html")
    of_notebooks = launches(folder, "notebooks/*.html")
    assert of_claims
    assert NOTEBOOK.rpartition("/")[2].removesuffix(".ipynb") in of_notebooks
    for name, links in of_claims.items():
        assert links == ([launcher.url(NOTEBOOK)] if launcher else []), name
    for name, links in of_notebooks.items():
        assert links == ([launcher.url(f"notebooks/{name}.ipynb")] if launcher else []), name


def test_a_launch_link_is_followed_and_never_loaded_and_tells_no_secret(built: tuple[Path, Launcher | None]) -> None:
    folder, _ = built
    assert dead_links(folder) == []
    for path, page in pages_of(folder).items():
        assert [load for load in page.loads if "mybinder" in load] == [], path
        assert "s3cret" not in page.text
