from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.profile.profile import parse_collapsed, write_collapsed

frame = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"], blacklist_characters=";\x85"), min_size=1)
frame = frame.filter(lambda text: text.strip() == text)
stacks = st.dictionaries(
    st.lists(frame, min_size=1, max_size=6).map(tuple), st.floats(0, 1e15, allow_nan=False), max_size=12
)


@given(stacks)
def test_what_was_written_is_what_is_read(weights: dict[tuple[str, ...], float]) -> None:
    assert parse_collapsed(write_collapsed(weights)) == weights


def test_a_name_may_hold_spaces_and_the_weight_is_what_stands_last() -> None:
    assert parse_collapsed("main;operator new(unsigned long) 17\n") == {("main", "operator new(unsigned long)"): 17}


def test_equal_stacks_on_several_lines_add_up() -> None:
    assert parse_collapsed("a;b 1\na;c 5\n\na;b 2.5\n") == {("a", "b"): 3.5, ("a", "c"): 5}


def test_a_separator_within_a_name_does_not_make_two_frames() -> None:
    written = write_collapsed({("f(Ljava/lang/String;)", "g\nh"): 1.0})
    assert written == "f(Ljava/lang/String,);g h 1\n"


def test_a_line_without_a_weight_is_named() -> None:
    with pytest.raises(ValueError, match=r"line 2 .*'a;b;c'"):
        parse_collapsed("a;b 1\na;b;c\n")


def test_order_does_not_change_the_file() -> None:
    assert write_collapsed({("b",): 1.0, ("a",): 2.0}) == write_collapsed({("a",): 2.0, ("b",): 1.0})
