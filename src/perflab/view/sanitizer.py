"""HTML of others, of which nothing runs, loads from elsewhere or covers the page."""

from __future__ import annotations

import re

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

_HOST = re.compile(r"[\s\x00-\x1f]*[/\\][\s\x00-\x1f]*[/\\]")

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
        # From a file, //host is a file of another machine. What `portable` changes would be another address after it.
        return _HOST.match(value) is None and portable(value) == value
    return (tag, name) == ("img", "src") and _PICTURE.fullmatch(value) is not None


def sanitized(html: str) -> Markup:
    """The HTML without scripts, handlers, frames, forms, styles of pages, and links to anything but pages and files."""
    return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
