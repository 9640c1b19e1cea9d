"""Programs that fetch: what they say when they fail."""

from __future__ import annotations

import pytest

from perflab.machine.processes import fetch
from perflab.model.errors import MissingError


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("echo 'Picked up JAVA_TOOL_OPTIONS: -Dx' >&2; echo '[ERROR] no such artifact'", "[ERROR] no such artifact"),
        (
            "echo 'npm warn old' >&2; echo 'npm error code 404' >&2; echo 'npm error not found' >&2",
            "npm error not found",
        ),
        ("echo 'no route' >&2", "no route"),
        ("true", "it printed nothing"),
    ],
)
def test_the_error_is_found_on_whichever_stream_it_is(printed: str, said: str) -> None:
    with pytest.raises(MissingError) as caught:
        fetch(["sh", "-c", f"{printed}; exit 1"], "the jar", 10, "check the network")
    assert caught.value.message == f"the jar cannot be fetched: {said}"
    assert caught.value.hint == "check the network"
