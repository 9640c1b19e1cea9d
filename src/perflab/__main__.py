"""`python -m perflab`, which is what `./lab` runs."""

from __future__ import annotations

import io
import signal
import sys
import warnings


def main() -> None:
    """Run the command line."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # a library's, which a user can do nothing about
    try:
        # The package must be importable without click.
        from perflab.cli.main import lab  # noqa: PLC0415
        from perflab.cli.output import Output, exit_status  # noqa: PLC0415
        from perflab.model.lab import program  # noqa: PLC0415
    except ImportError as error:
        sys.stderr.write(f"error: the Python environment is not whole: {error}\n  fix: remove .venv, and start again\n")
        sys.exit(3)

    for stream in (sys.stdout, sys.stderr):
        # A sign that the encoding lacks is written as its number: no command fails for one.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # A closed terminal or a cancelled job ends a measurement as Ctrl-C does: children ended, the partial run kept.
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.default_int_handler)
    with exit_status(Output("human")):
        sys.exit(lab.main(prog_name=program().rpartition("/")[2], standalone_mode=False))


if __name__ == "__main__":
    main()
