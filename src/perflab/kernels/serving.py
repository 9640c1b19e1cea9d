"""`python -m perflab.kernels.serving`: Voilà with an end, on a page as light or dark as its reader's others."""

from __future__ import annotations

import html
import time
import webbrowser
from pathlib import Path
from typing import Any

import click
import tornado.web
from tornado.ioloop import IOLoop, PeriodicCallback
from traitlets import Integer
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

_LOOK_EVERY_MS = 10_000
_SECONDS_PER_MINUTE = 60

_ASK_THE_BROWSER = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>perflab</title><script>
const here = new URL(location.href);
here.searchParams.set("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
location.replace(here);
</script></head><body><noscript>This page needs JavaScript.</noscript></body></html>"""


class Page(TornadoVoilaHandler):  # type: ignore[misc] # untyped
    """The notebook, once it is known how it should look: only the browser knows what its reader prefers."""

    @tornado.web.authenticated
    async def get(self, path: str | None = None) -> None:
        """Ask the browser, or serve the notebook."""
        if path or self.get_argument("theme", None) is not None:
            await super().get(path)
        else:
            self.finish(_ASK_THE_BROWSER)


class Dashboard(Voila):  # type: ignore[misc] # untyped
    """Voilà that ends when nobody has had it open for a while, and says where it is."""

    idle_minutes = Integer(240, config=True, help="After so long without an open page it stops.")

    def init_handlers(self) -> list[Any]:
        """Register Voilà's handlers with our page."""
        handlers = []
        for handler in super().init_handlers():
            path, served, *rest = handler
            handlers.append((path, Page if served is TornadoVoilaHandler else served, *rest))
        return handlers

    def listen(self) -> None:
        """Serve until Ctrl-C, SIGTERM, or the idle timeout."""
        self._seen = time.monotonic()
        PeriodicCallback(self._look_round, _LOOK_EVERY_MS).start()
        IOLoop.current().add_callback(lambda: click.echo(f"The tuning console is at {self.address}\nCtrl-C ends it."))
        super().listen()

    def launch_browser(self) -> None:
        """Open the browser through a file only its owner can read: a command line would expose the token."""
        page = Path(self.connection_dir) / "open.html"
        target = html.escape(self.address, quote=True)
        page.write_text(f'<meta http-equiv="refresh" content="0; url={target}">', encoding="utf-8")
        IOLoop.current().run_in_executor(None, webbrowser.open, page.as_uri())

    @property
    def address(self) -> str:
        """URL with the token."""
        token = self.identity_provider.token
        return f"{self.connection_url}?token={token}" if token else str(self.connection_url)

    def _look_round(self) -> None:
        if list(self.kernel_manager.list_kernel_ids()):
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > self.idle_minutes * _SECONDS_PER_MINUTE:
            click.echo(f"Nobody has had it open for {self.idle_minutes} minutes: it ends.")
            self.ioloop.stop()


if __name__ == "__main__":
    Dashboard.launch_instance()
