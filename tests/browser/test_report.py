"""The report as a reader opens it: from a folder, without a server, a network, or a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from jupyterlabs import SCREENSHOTS
from playwright.sync_api import expect
from sites import build_site, dead_links

from perflab.claims.ledger import find_ledgers, read_ledger
from perflab.model.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from perflab.site.site import SiteResult

LAB = Lab.from_environment()

pytestmark = pytest.mark.browser

PATIENCE_MS = 600_000
SHOWN = "#table tbody tr:not([hidden])"
PHONE = {"width": 390, "height": 844}
# A page is built alike in both schemes; what differs is its colours.
RULES = {
    "light": {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], "resultTypes": ["violations"]},
    "dark": {"runOnly": ["color-contrast"], "resultTypes": ["violations"]},
}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteResult:
    # The whole of it: a fixture has not what this lab's own ledgers, reference runs and notebooks have.
    return build_site(tmp_path_factory.mktemp("report") / "site", notebooks=True)


@pytest.fixture(scope="session")
def folder(site: SiteResult) -> Path:
    return site.index.parent


@pytest.fixture(scope="session")
def samples(site: SiteResult, folder: Path) -> dict[str, str]:
    """A page of each sort: of each kind of claim, and with each verdict, one."""
    chosen = {path.partition(".")[0]: path for path in site.pages if "/" not in path}
    for sort in ("reports", "runs", "notebooks", "docs", "components"):
        chosen |= {f"{sort}/": next(path for path in site.pages if path.startswith(f"{sort}/"))}
    judged = [(report.name, verdict) for report in site.reports for verdict in report.verdicts]
    # Of each kind one that has a chart, if any has.
    for name, verdict in sorted(judged, key=lambda one: one[1].evidence.estimate is None):
        path = f"claims/{name}/{verdict.claim.id}.html"
        chosen.setdefault(verdict.claim.kind, path)
        chosen.setdefault(verdict.word, path)
    return {sort: (folder / path).as_uri() for sort, path in chosen.items()}


def distinct(samples: dict[str, str]) -> dict[str, str]:
    """Each page once, under the first of its names."""
    return {sort: address for address, sort in {address: sort for sort, address in reversed(samples.items())}.items()}


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.set_default_timeout(600_000)
    yield page
    page.close()


def test_every_claim_has_a_page_from_the_reference_runs_and_no_link_is_dead(folder: Path) -> None:
    for name in find_ledgers(LAB.claims):
        wanted = {f"{claim.id}.html" for claim in read_ledger(name, LAB.claims).claims}
        assert {page.name for page in (folder / "claims" / name).iterdir()} >= wanted
    assert dead_links(folder) == []


def test_pages_open_without_an_error_and_without_a_request_to_anywhere(page: Page, samples: dict[str, str]) -> None:
    said: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: said.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.on("request", lambda request: requests.append(request.url))
    for address in distinct(samples).values():
        page.goto(address)
        for figure in page.locator("figure.chart").all():
            figure.scroll_into_view_if_needed()
            figure.locator("svg.main-svg").first.wait_for()
    assert said == []
    assert len(requests) >= len(distinct(samples))
    assert [url for url in requests if not url.startswith(("file://", "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_pages_are_accessible_and_legible(chromium: Browser, samples: dict[str, str], scheme: str) -> None:
    context = chromium.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    violations = []
    for sort, address in distinct(samples).items():
        page.goto(address)
        for figure in page.locator("figure.chart").all()[:3]:
            figure.scroll_into_view_if_needed()
            figure.locator("svg.main-svg").first.wait_for()
        _keep_picture(page, sort, scheme)
        found = Axe().run(page, options=RULES[scheme]).response["violations"]
        violations += [(sort, one["id"], one["nodes"][0]["html"][:200]) for one in found]
    context.close()
    assert not violations, "\n".join(map(str, violations))


@pytest.mark.long
def test_the_filter_is_worked_by_keyboard_and_says_what_it_found(
    page: Page, site: SiteResult, samples: dict[str, str]
) -> None:
    verdicts = [one for report in site.reports for one in report.verdicts]
    page.goto(samples["index"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "search":
            break
    word = verdicts[0].claim.id
    page.keyboard.type(word)
    found = page.locator(SHOWN).count()
    assert 1 <= found < len(verdicts)
    assert page.locator("#found").inner_text() == f"{found} of {len(verdicts)} claims"
    assert all(word in row.inner_text() for row in page.locator(SHOWN).all())
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    # With arrows: letters that come slowly, as on a busy machine, each begin a search of their own.
    for _ in range(20):
        if page.evaluate("document.activeElement.value") == "refuted":
            break
        page.keyboard.press("ArrowDown")
    refuted = sum(one.word == "refuted" for one in verdicts)
    expect(page.locator(SHOWN)).to_have_count(refuted, timeout=PATIENCE_MS)
    assert page.locator("#found").inner_text() == f"{refuted} of {len(verdicts)} claims"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(SHOWN)).to_have_count(len(verdicts), timeout=PATIENCE_MS)


@pytest.mark.long
def test_a_count_leads_to_the_claims_that_it_counts(page: Page, site: SiteResult, samples: dict[str, str]) -> None:
    page.goto(samples["index"])
    report = site.reports[0]
    page.locator(".cards li").first.get_by_role("link", name="refuted").click()
    assert page.locator(SHOWN).count() == report.counts["refuted"]
    # The choice stands in the address: whoever is sent it sees the same.
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator(SHOWN).count() == report.counts["refuted"]


def test_the_theme_can_be_chosen_and_charts_follow(page: Page, samples: dict[str, str]) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(samples["ratio"])
    text = page.locator("svg.main-svg .gtitle").first
    text.wait_for()
    shown = (
        "([getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.gtitle')).fill])"
    )
    light = page.evaluate(shown)
    button = page.get_by_role("button", name="Dark")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    dark = page.evaluate(shown)
    assert light[0] == "rgb(255, 255, 255)"
    assert all(one != other for one, other in zip(light, dark, strict=True))


@pytest.mark.long
def test_all_is_there_without_scripts(chromium: Browser, site: SiteResult, samples: dict[str, str]) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(samples["index"])
    assert page.locator(SHOWN).count() == sum(len(report.verdicts) for report in site.reports)
    assert not page.locator("#filter").is_visible()
    page.goto(samples["ratio"])
    page.locator("figure.chart summary").first.click()
    assert page.locator("figure.chart table").first.is_visible()
    context.close()


@pytest.mark.long
@pytest.mark.parametrize("sort", ["index", "machine", "reports/", "notebooks/", "docs/", "ratio", "mechanism", "runs/"])
def test_nothing_is_cut_off_on_a_phone(page: Page, samples: dict[str, str], sort: str) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(samples[sort])
    _keep_picture(page, sort, "phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.long
def test_on_paper_there_are_charts_and_no_controls(page: Page, samples: dict[str, str]) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(samples["notebooks/"])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    charts = page.locator("figure.chart").count()
    assert page.locator("figure.chart svg.main-svg:first-of-type").count() >= charts
    assert not page.get_by_role("navigation", name="Site").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def _keep_picture(page: Page, sort: str, look: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"report-{sort.strip('/').replace(' ', '-')}-{look}.png")
