"""`python -m perflab`, which is what `./lab` runs."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from perflab.cli.main import lab  # noqa: PLC0415 - the package must be importable without click

    lab(prog_name="lab")


if __name__ == "__main__":
    main()
