"""What holds of each chart, whatever it shows."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import pytest
from chromiums import provide_chromium

from perflab.charts import theme
from perflab.charts.chart import PLOTLY, Table, bundle, draw, png

if TYPE_CHECKING:
    from perflab.charts.chart import Chart


def test_it_is_json_and_plotly_takes_it_back(chart: Chart) -> None:
    again = json.loads(json.dumps(chart.figure_json, allow_nan=False))
    assert go.Figure(again).to_plotly_json()["layout"]["title"]["text"].replace("<br>", " ") == chart.title


def test_each_axis_of_numbers_says_what_it_shows_and_in_which_unit(chart: Chart) -> None:
    layout = chart.figure_json["layout"]
    if chart.figure_json["data"][0]["type"] == "icicle":
        return
    titles = [layout["xaxis"]["title"]["text"], layout["yaxis"].get("title", {}).get("text", "")]
    assert re.search(r"\(.+\)", titles[0])
    vertical_numbers = layout["yaxis"].get("type") == "log" or "error_y" in chart.figure_json["data"][0]
    assert bool(titles[1]) == vertical_numbers


def test_variants_and_states_are_told_apart_without_colour(chart: Chart) -> None:
    signs = []
    for trace in chart.figure_json["data"]:
        marker = trace.get("marker", {})
        symbol = marker.get("symbol", "")
        sign = (
            symbol if isinstance(symbol, str) else "",
            marker.get("pattern", {}).get("shape", ""),
            trace.get("line", {}).get("dash", ""),
            # Of a row or a lane, the place is the sign.
            str(trace["y"][0]) if trace["type"] == "scatter" and len(trace.get("y") or []) else "",
        )
        if trace.get("showlegend", True) and trace["type"] in {"scatter", "bar"}:
            signs.append(sign)
    assert len(set(signs)) == len(signs)


def test_the_table_says_the_same_in_text_and_in_html(chart: Chart) -> None:
    assert chart.text.startswith(chart.title)
    assert chart.html.startswith("<table><caption>")
    assert set(re.findall(r'style="([^"]*)"', chart.html)) <= {"text-align:left", "text-align:right"}
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", chart.html)
    assert len(cells) > 4
    for cell in cells:
        assert cell.replace("&amp;", "&") in chart.text


def test_text_has_no_colour_codes_and_fits_a_wide_terminal(chart: Chart) -> None:
    assert "\x1b" not in chart.text
    assert max(map(len, chart.text.splitlines())) <= 160
    assert all(line == line.rstrip() for line in chart.text.splitlines())


def test_the_page_shows_through_except_in_an_image(chart: Chart) -> None:
    assert chart.figure_json["layout"]["template"]["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_a_bundle_comes_at_once_with_figure_and_both_tables(chart: Chart) -> None:
    data = bundle(chart)
    assert set(data) == {PLOTLY, "text/plain", "text/html"}
    json.dumps(data, allow_nan=False)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_text_can_be_read_on_either_page(page: str) -> None:
    # 4.5 is WCAG 2.2's AA for small text; no grey has that on white and on #111 at once, 4.15 is the best of both.
    assert contrast(theme.template()["layout"]["font"]["color"], page) > 4


def test_a_name_is_text_also_where_plotly_would_take_it_for_a_link() -> None:
    name = '<a href="https://example.org/">quick</a> Vec<u8>'
    trace = {"type": "bar", "name": name, "x": [1], "y": [name], "hovertemplate": f"<b>%{{x}}</b><br>{name}"}
    chart = draw(name, [trace], {"height": 300, "xaxis": {"title": {"text": name}}}, Table(["name"], [[name]]))
    said = json.dumps(chart.figure_json)
    assert not re.search(r"<(?!/?b>|br>)", said)
    assert "&lt;u8>" in said
    assert "<b>%{x}</b><br>" in said


def test_text_of_an_image_has_the_contrast_of_print() -> None:
    assert contrast(theme.template(theme.WHITE)["layout"]["font"]["color"], "#ffffff") > 7


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_marks_can_be_seen_on_either_page(page: str) -> None:
    # WCAG asks for 3 of graphics. Orange and sky blue, for the fifth and sixth variant, fall short on white.
    assert all(contrast(colour, page) > 2.9 for colour in theme.PALETTE[:4])


@pytest.mark.browser
def test_every_chart_can_be_drawn_as_an_image(drawn: dict[str, Chart]) -> None:
    provide_chromium()
    images = png([chart.figure_json for chart in drawn.values()])
    assert len(images) == len(drawn)
    for image, chart in zip(images, drawn.values(), strict=True):
        assert image.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = int.from_bytes(image[16:20]), int.from_bytes(image[20:24])
        assert (width, height) == (1920, 2 * chart.figure_json["layout"]["height"])
    assert len(set(images)) == len(images)


@pytest.mark.browser
def test_nothing_of_another_server_is_in_the_page_that_draws_it(
    drawn: dict[str, Chart], monkeypatch: pytest.MonkeyPatch
) -> None:
    provide_chromium()
    asked: list[bytes] = []

    class Proxy(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_address[1]}")
        png([drawn["ratios"].figure_json])
        proxy.shutdown()
    # The browser asks its own maker for updates.
    assert not [line for line in asked if b"cdn" in line]


@pytest.mark.browser
def test_with_an_image_the_table_does_not_stand_in_its_way(drawn: dict[str, Chart]) -> None:
    provide_chromium()
    data: dict[str, Any] = bundle(drawn["ratios"], with_png=True)
    assert set(data) == {PLOTLY, "text/plain", "image/png"}
    assert data["image/png"].startswith("iVBOR")
