"""HTML of others, of which nothing runs, loads from elsewhere or covers the page."""

from __future__ import annotations

import re

import nh3
from markupsafe import Markup
from pygments.token import STANDARD_TYPES

_EVERYWHERE = {"class", "id", "title", "lang", "dir", "style", "role", "tabindex", "aria-label"}
_STYLES = {
    "background-color",
    "color",
    "font-style",
    "font-weight",
    "opacity",
    "text-align",
    "text-decoration",
    "vertical-align",
    "white-space",
}
# The shorthand has a thickness, and a line may be as thick as the page is long; what is raised covers what is above.
_WORDS_OF = {
    "text-decoration": {"none", "underline", "overline", "line-through"},
    "vertical-align": {"baseline", "sub", "super", "top", "text-top", "middle", "bottom", "text-bottom"},
}
_PICTURE = re.compile(r"data:image/(gif|jpeg|png|svg\+xml|webp);base64,[A-Za-z0-9+/=\s]*")

# From a file, //host is a file of another machine, and so is /.//host. Browsers skip what is between the two.
_HOST = re.compile(r"[^?#]*[/\\][\s\x00-\x1f]*[/\\]")
_ELSEWHERE = re.compile(r"[\s\x00-\x1f]*(https?|mailto):", re.IGNORECASE)
"""Addresses of the web: a reader sees where they lead, and nothing is loaded from there."""

# Those that the style sheets have for notebooks and documents: with others, text would look like a verdict, or move.
_CLASSES = {"highlight", "in-checkout", "input_area", "output_html", "output_text", "scroll", "text_cell"}
_CLASSES |= set(STANDARD_TYPES.values())
_COLOUR = re.compile(r"ansi-[a-z-]+")


def _kept(tag: str, name: str, value: str) -> str | None:
    """What stays of an attribute; None if nothing does."""
    if name == "class":
        return " ".join(one for one in value.split() if one in _CLASSES or _COLOUR.fullmatch(one)) or None
    if name == "id" and tag not in _HEADINGS:
        return None
    return value if _leads_nowhere_else(tag, name, value) else None


_HEADINGS = {f"h{level}" for level in range(1, 7)}
"""What links lead to."""

_CLEANER = nh3.Cleaner(
    attributes={**nh3.ALLOWED_ATTRIBUTES, "*": _EVERYWHERE},
    attribute_filter=_kept,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


_SKIPPED = "".join(map(chr, range(0x21)))


def _leads_nowhere_else(tag: str, name: str, value: str) -> bool:
    """Whether an address leads to a page or a file here, or is a picture, in which a browser runs no script."""
    if name == "style":
        return _is_flat(value)
    if name not in {"href", "src", "cite"}:
        return True
    # As a browser reads it: it skips these at the ends, and line ends and tabs everywhere.
    value = re.sub(r"[\t\n\r]", "", value).strip(_SKIPPED)
    if not value.lower().startswith("data:"):
        elsewhere = _ELSEWHERE.match(value) is not None
        return name == "href" if elsewhere else not _HOST.match(value)
    return (tag, name) == ("img", "src") and _PICTURE.fullmatch(value) is not None


def _is_flat(style: str) -> bool:
    """Whether nothing of a style can reach beyond its own text."""
    if "\\" in style or "/*" in style:
        return False
    pairs = (one.lower().partition(":") for one in style.split(";"))
    return all(value.strip() in _WORDS_OF.get(name.strip(), {value.strip()}) for name, _, value in pairs)


def sanitized(html: str) -> Markup:
    """The HTML without scripts, handlers, frames, forms, styles of pages, and links to anything but pages and files."""
    return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
