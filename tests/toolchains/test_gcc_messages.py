"""Compilers' messages, as GCC 12, Clang 14 and GNU ld print them."""

from __future__ import annotations

from perflab.topics.compiling import Message, Place, read_messages

CELL = "Cell In[3]"


def test_an_error_has_its_place_and_what_is_printed_below_it_is_left_out() -> None:
    said = [
        "Cell In[3]: In member function 'void MyCup::put(int)':",
        "Cell In[3]:5:42: error: 'limit' was not declared in this scope",
        "    5 |     void put(int number) { all.push_back(limit); }",
        "      |                                          ^~~~~",
    ]
    assert read_messages(said) == [Message("error", "'limit' was not declared in this scope", Place(CELL, 5, 42))]


def test_an_error_in_a_template_knows_who_asked_for_it() -> None:
    said = [
        "In file included from plugin.cpp:1:",
        "/lab/ring.hpp: In instantiation of 'void Ring<T>::push(T) [with T = int]':",
        "Cell In[3]:8:12:   required from here",
        "/lab/ring.hpp:20:5: error: static assertion failed: a slot is a cache line",
        "/lab/ring.hpp:20:5: note: the comparison reduces to '(4 == 64)'",
    ]
    (message,) = read_messages(said)
    assert message.place == Place("/lab/ring.hpp", 20, 5)
    assert message.place_in(CELL) == Place(CELL, 8, 12)
    assert message.notes == ("the comparison reduces to '(4 == 64)'",)


def test_who_asked_for_a_note_did_not_ask_for_the_next_error() -> None:
    said = [
        "main.cpp:3:53: error: no matching function for call to 'bench<MyCup>()'",
        "Cell In[3]:3:53:   required from here",
        "cup.hpp:13:14: note: the required expression 'cup.get()' is invalid",
        "main.cpp:4:1: error: expected '}' at end of input",
    ]
    assert [message.place_in(CELL) for message in read_messages(said)] == [None, None]


def test_clang_counts_as_well_and_a_fatal_error_is_one() -> None:
    said = [
        "Cell In[3]:2:10: fatal error: 'ring.hpp' file not found",
        '#include "ring.hpp"',
        "         ^~~~~~~~~~",
        "1 error generated.",
    ]
    assert [(one.kind, one.place) for one in read_messages(said)] == [("error", Place(CELL, 2, 10))]


def test_what_the_linker_misses_is_said_once_and_has_no_place() -> None:
    said = [
        "/usr/bin/ld: /tmp/ccx.o: in function `main':",
        "Cell In[3]:(.text+0x9): undefined reference to `pour()'",
        "/usr/bin/ld: Cell In[3]:5: undefined reference to `pour()'",
        "collect2: error: ld returned 1 exit status",
    ]
    assert read_messages(said) == [Message("error", "undefined reference to `pour()'")]
