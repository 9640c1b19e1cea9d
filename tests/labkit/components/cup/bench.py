"""Cups of its own it has none: it becomes the plug-in."""

import os
import sys

at = sys.argv.index("--plugin")
path = sys.argv[at + 1]
os.execv(path, [path, *sys.argv[1:at], *sys.argv[at + 2 :]])  # noqa: S606 - what it is for
