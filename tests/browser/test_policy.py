"""In a browser, from a folder, nothing foreign runs in the report: it is taken out, and its policy would stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import foreign
import pytest
from evidence_by_hand import RUN, lay_out
from sites import build_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser

# Written into a page behind the back of what takes scripts out.
PLANTED = """
<script>window.ran = 1</script><img src="x" onerror="window.ran = 1">
<a id="planted" href="javascript:window.ran = 1">p</a>
<iframe srcdoc="<script>parent.ran = 1</script>"></iframe><iframe src="https://example.org/"></iframe><base href="https://example.org/">
<img src="https://example.org/x.png"><script src="https://example.org/x.js"></script>
"""
LISTEN = "addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    places = {**lay_out(folder), "root": foreign.checkout(folder / "checkout")}
    return build_site(folder / "site", notebooks=True, **places).index.parent


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.set_default_timeout(600_000)
    page.add_init_script(f"window.violations = []; {LISTEN}")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("path", "drawn"),
    [(f"runs/{RUN}.html", 3), ("notebooks/foreign.html", 2), ("docs/foreign.html", 0)],
)
def test_charts_are_drawn_and_nothing_runs(page: Page, folder: Path, path: str, drawn: int) -> None:
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - a built-in will not do
    page.goto((folder / path).as_uri())
    charts = page.locator("figure.chart:has(> script)")
    for chart in charts.all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg.main-svg").first.wait_for()
    assert charts.count() == drawn
    for link in page.locator("main svg a").all():
        assert not (link.get_attribute("xlink:href") or "").startswith("javascript:")
    page.locator("main").hover()
    assert page.evaluate("window.ran") is None
    assert page.evaluate("violations") == [], "the policy had to stop what should not be there"
    assert [one.url for one in requests if not one.url.startswith(("file://", "data:", "blob:"))] == []


def test_the_policy_stops_what_is_planted_in_a_page(page: Page, folder: Path) -> None:
    path = folder / f"runs/{RUN}.html"
    text = path.read_text(encoding="utf-8")
    planted = path.with_name("planted.html")
    planted.write_text(text.replace("</main>", f"{PLANTED}</main>"), encoding="utf-8")
    page.goto(planted.as_uri())
    page.locator("#planted").click()
    page.locator("svg.main-svg").first.wait_for()
    assert page.evaluate("window.ran") is None
    assert {"script-src-elem", "script-src-attr", "img-src", "base-uri", "frame-src"} <= set(
        page.evaluate("violations")
    )
    assert page.url == planted.as_uri()
