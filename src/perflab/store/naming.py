"""The one that is meant by a name, by a part of it, or by `latest`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

_SHOWN = 5


def meant_by(name: str, names: Collection[str], kind: str, make: str) -> str:
    """The name that is meant.

    Args:
        name: A whole name, an unambiguous part of one, or `latest`.
        names: Those there are; they sort by time.
        kind: What they are names of, as in `run`.
        make: The command that makes one.

    Raises:
        UsageError: If none is meant, or more than one.
    """
    if not names:
        raise UsageError(f"there are no {kind}s yet", f"make one with {make}")
    in_time = sorted(names)
    if name in in_time:
        return name
    fitting = in_time[-1:] if name == "latest" else [one for one in in_time if name in one]
    if len(fitting) != 1:
        what = f"more than one {kind} fits" if fitting else f"no {kind}"
        raise UsageError(f"{what} {name!r}", f"the newest: {', '.join((fitting or in_time)[-_SHOWN:])}")
    return fitting[0]
