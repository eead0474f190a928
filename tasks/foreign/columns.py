"""Which columns of a file that others made are what: anchor, texts that are true of it, texts that are not, pictures.

By their names first (sentence-transformers, open_clip and NegCLIP, SugarCrepe and SugarCrepe++, ARO, VALSE, Winoground,
MTEB's reranking), then by their order, as sentence-transformers reads them. ``--columns`` overrules it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.files import Row

Part = Literal["anchor", "positive", "negative", "options", "label", "picture", "negative_picture", "kind", "sharing"]
"""What a column is: ``options`` hold the true text and then false ones; ``label`` says of each text whether it is true;
``sharing`` names what rows have in common, such as a picture that is not here."""
PARTS: tuple[Part, ...] = (
    "anchor",
    "positive",
    "negative",
    "options",
    "label",
    "picture",
    "negative_picture",
    "kind",
    "sharing",
)
_NAMES: Mapping[Part, str] = {
    "negative": r"(?:hard_?)?neg(?:ative)?s?(?:_caption|_text|_sentence|_passage|_document)?s?(?:_?\d+)?"
    r"|(?:negative|false|neg)_captions?(?:_?\d+)?|foils?|distractors?(?:_?\d+)?|caption_1"
    r"|rejected|(?:hard_)?negative_ctxs",
    "positive": r"pos(?:itive)?s?(?:_caption|_text|_passage|_document)?s?(?:_?\d+)?|caption_?2|paraphrases?"
    r"|chosen|positive_ctxs",
    "anchor": r"anchor|query|prompt|true_caption|caption|caption_0|premise|question|sentence1|title|sentence|text",
    "options": r"caption_options|options",
    "label": r"labels?",
    "negative_picture": r"(?:hard_?)?neg(?:ative)?_images?(?:_?\d+)?|image_1|foil_image",
    "picture": r"image|image_0|images?_?path|filepath|file_?name|image_file|picture",
    "kind": r"type|category|collapsed_tag|tag|kind|linguistic_phenomena|relation_name",
    "sharing": r"image_id|img_id|group|source_id",
}
_PATTERNS = {part: re.compile(rf"(?:{names})", re.IGNORECASE) for part, names in _NAMES.items()}
_ANCHORS = (
    "anchor",
    "query",
    "true_caption",
    "caption_0",
    "caption",
    "prompt",
    "premise",
    "question",
    "sentence1",
    "title",
)


OWN = "counterfoil_"
"""Columns that `counterfoil.tasks.foreign.clean` adds begin so: a file that was cleaned is read as before."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What each part of a row is called, and which columns are not used."""

    columns: Mapping[Part, tuple[str, ...]]
    left_out: tuple[str, ...]

    def list_texts(self, cells: Mapping[str, Any], part: Part) -> list[tuple[str, int | None, str]]:
        """The texts of a part: column, place in its list (None where it is none), and the text, stripped."""
        return [
            (column, place, text.strip())
            for column in self.columns.get(part, ())
            for place, item in list_items(cells.get(column))
            # A passage is often a title and a text.
            if isinstance(text := item.get("text") if isinstance(item, Mapping) else item, str) and text.strip()
        ]

    def describe(self) -> str:
        """Which columns were taken as what, in one line."""
        return ", ".join(f"{part} = {' '.join(names)}" for part, names in self.columns.items() if names)


def list_items(value: Any) -> list[tuple[int | None, Any]]:
    """A cell's items: of a list, or of a list that a CSV holds as Python writes it.

    >>> list_items("['a dog', 'a cat']")
    [(0, 'a dog'), (1, 'a cat')]
    """
    if isinstance(value, str) and value[:2] in ("['", '["') and value.endswith("]"):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return [(None, value)]
    return list(enumerate(value)) if isinstance(value, list) else [(None, value)]


def understand(rows: Sequence[Row], said: Mapping[str, str] | None = None) -> Layout:
    """Which columns are what, from the first rows of a file.

    ``said`` maps parts to columns (several by spaces) and overrules the names.

    Raises:
        ForeignError: no anchor or no negative is found.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.cells if not name.startswith(OWN)))
    found = _take_said(said or {}, names)
    taken = {name for columns in found.values() for name in columns}
    for part, pattern in _PATTERNS.items():
        if part not in found:
            fitting = [name for name in names if name not in taken and pattern.fullmatch(_plain(name))]
            if part == "anchor":
                fitting = sorted(fitting, key=_rank_anchor)[:1]
            if part == "kind":
                # Winoground's few kinds before its many.
                fitting.sort(key=lambda name: not name.startswith("collapsed"))
            if part == "negative_picture":
                # NegCLIP's are numbers of rows.
                fitting = [name for name in fitting if not _is_numbered(rows, name)]
            if fitting:
                found[part] = fitting
                taken.update(fitting)
    texts = [name for name in names if name not in taken and _is_text(rows, name)]
    if "anchor" not in found and "options" not in found and texts:
        found["anchor"] = [texts.pop(0)]
    if "positive" not in found and texts and _has_ranked(found, names):
        # sentence-transformers names columns as the source did, and knows them by their order.
        found["positive"] = [texts.pop(0)]
    if "anchor" not in found and "positive" in found:
        found["anchor"] = [found["positive"].pop(0)]
    _require(found, names, rows)
    used = {name for columns in found.values() for name in columns}
    ordered = {part: tuple(found[part]) for part in PARTS if found.get(part)}
    return Layout(ordered, tuple(name for name in names if name not in used))


def _take_said(said: Mapping[str, str], names: Sequence[str]) -> dict[Part, list[str]]:
    found: dict[Part, list[str]] = {}
    for part, columns in said.items():
        if part not in PARTS:
            raise ForeignError(f"--columns: {part!r} is nothing a column can be; there are {', '.join(PARTS)}")
        found[part] = columns.split()
        if missing := [name for name in found[part] if name not in names]:
            raise ForeignError(f"--columns: there is no column {missing[0]!r}; there are {', '.join(names)}")
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip())


def _rank_anchor(name: str) -> int:
    plain = _plain(name).lower()
    return _ANCHORS.index(plain) if plain in _ANCHORS else len(_ANCHORS)


def _is_text(rows: Sequence[Row], name: str) -> bool:
    cells = [item for row in rows for _, item in list_items(row.cells.get(name))]
    texts = [cell for cell in cells if isinstance(cell, str)]
    return len(texts) > len(cells) / 2 and any(" " in text.strip() for text in texts)


def _is_numbered(rows: Sequence[Row], name: str) -> bool:
    cells = [item for row in rows for _, item in list_items(row.cells.get(name)) if item is not None]
    return bool(cells) and all(re.fullmatch(r"\[?[\d\s,]*\]?", str(cell)) for cell in cells)


def _has_ranked(found: Mapping[Part, Sequence[str]], names: Sequence[str]) -> bool:
    """Whether the file is as sentence-transformers writes triplets and labelled pairs."""
    return "label" in found or any(re.fullmatch(r"negative(?:_\d+)?", name) for name in found.get("negative", names))


def _require(found: Mapping[Part, Sequence[str]], names: Sequence[str], rows: Sequence[Row]) -> None:
    where = rows[0].file if rows else "the file"
    seen = f"{where} has the columns {', '.join(names) or 'none'}"
    told = "say which is what: --columns anchor=COLUMN,negative=COLUMN"
    if found.get("options"):
        return
    if not found.get("anchor"):
        raise ForeignError(f"{seen}, and none of them is an anchor's text by its name; {told}")
    labelled = found.get("label") and found.get("positive")
    if not (found.get("negative") or found.get("negative_picture") or labelled):
        raise ForeignError(f"{seen}, and none of them holds negatives by its name; {told}")
