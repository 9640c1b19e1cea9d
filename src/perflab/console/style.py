"""How the console looks; `console.css`, as a part of the page."""

from __future__ import annotations

from pathlib import Path

STYLE = f"<style>{Path(__file__).with_name('console.css').read_text(encoding='utf-8')}</style>"
