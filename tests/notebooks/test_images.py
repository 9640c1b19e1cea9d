"""Images of charts have few colours, and all that a reader tells lines apart by."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from perflab.kernels import notebooks as images

BLUE = (0, 114, 178)


def test_a_colour_that_only_the_legend_has_stays_what_it_is() -> None:
    shades = Image.linear_gradient("L").resize((960, 260))
    orange = Image.merge(
        "RGB", [shades, shades.point(lambda shade: shade * 3 // 4), shades.point(lambda shade: shade // 4)]
    )
    ImageDraw.Draw(orange).rectangle((40, 20, 52, 32), fill=BLUE)
    chart = io.BytesIO()
    orange.save(chart, format="PNG")
    few = images._with_few_colours(chart.getvalue())  # noqa: SLF001 - what is around it takes a browser
    with Image.open(io.BytesIO(few)) as small:
        assert small.mode == "P"
        found = small.convert("RGB").crop((46, 26, 47, 27)).tobytes()
    assert all(abs(drawn - meant) < 16 for drawn, meant in zip(found, BLUE, strict=True)), found
