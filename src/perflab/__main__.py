"""`python -m perflab`, which is what `./lab` runs."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line."""
    from perflab.ui.main import lab  # noqa: PLC0415 - the package must be importable without click

    # A closed terminal or a cancelled job ends a measurement as Ctrl-C does: children ended, the partial run kept.
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.default_int_handler)
    lab(prog_name="lab")


if __name__ == "__main__":
    main()
