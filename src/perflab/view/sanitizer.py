"""HTML of others, of which nothing runs, loads from elsewhere or covers the page."""

from __future__ import annotations

import re
from itertools import accumulate

import nh3
from markupsafe import Markup

from perflab.model.portable import portable

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
_PICTURE = re.compile(r"data:image/(gif|jpeg|png|svg\+xml|webp);base64,[A-Za-z0-9+/=\s]*")

# From a file, //host is a file of another machine, and so is /.//host. Browsers skip what is between the two.
_HOST = re.compile(r"[^?#]*[/\\][\s\x00-\x1f]*[/\\]")
_ELSEWHERE = re.compile(r"[\s\x00-\x1f]*(https?|mailto):", re.IGNORECASE)
"""Addresses of the web: a reader sees where they lead, and nothing is loaded from there."""

_CLEANER = nh3.Cleaner(
    attributes={**nh3.ALLOWED_ATTRIBUTES, "*": _EVERYWHERE},
    attribute_filter=lambda tag, name, value: value if _leads_nowhere_else(tag, name, value) else None,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


def _leads_nowhere_else(tag: str, name: str, value: str) -> bool:
    """Whether an address leads to a page or a file here, or is a picture, in which a browser runs no script."""
    if name not in {"href", "src", "cite"}:
        return True
    if not value.strip().lower().startswith("data:"):
        # What `portable` changes would be another address after it.
        return (not _HOST.match(value) or _ELSEWHERE.match(value) is not None) and portable(value) == value
    return (tag, name) == ("img", "src") and _PICTURE.fullmatch(value) is not None


_DEEPEST = 2000
"""Parsing takes the square of the depth: 2 s for twenty thousand elements, minutes for ten times as many."""

# Those of one tag have no end.
_TAG = re.compile(r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)[a-z]", re.IGNORECASE)


def _depth(html: str) -> int:
    return max(accumulate(-1 if tag[1] else 1 for tag in _TAG.finditer(html)), default=0)


def sanitized(html: str) -> Markup:
    """The HTML without scripts, handlers, frames, forms, styles of pages, and links to anything but pages and files.

    Raises:
        ValueError: If it is nested too deeply.
    """
    if _depth(html) > _DEEPEST:
        raise ValueError(f"elements are nested more than {_DEEPEST} times")
    return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
