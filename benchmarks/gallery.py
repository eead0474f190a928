"""A page with one row of every family: the anchor, its contrast, and what changed.

    python -m benchmarks.gallery data/demo

It writes `docs/gallery.md` and the pictures beside it, `docs/gallery/`. A page built from the same dataset has the same
bytes: of each family, the first contrast is taken by its id whose anchor no family before showed.
"""

from __future__ import annotations

import argparse
import difflib
import html
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

import counterfoil
from counterfoil.flows.making.showing import list_family_facts
from counterfoil.tasks.showing.notation import make_readable

PAGE, PICTURES = Path("docs/gallery.md"), Path("docs/gallery")
SIDE = 320
LONGEST = 600
COLUMNS = [
    "contrast_id",
    "anchor_id",
    "family",
    "role",
    "modality",
    "text",
    "image",
    "code",
    "edits",
    "changes",
    "checks",
]


def main() -> None:
    """Write the page of a dataset."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description=__doc__)
    parser.add_argument("dataset")
    data = counterfoil.open(parser.parse_args().dataset)
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    PAGE.write_text("\n".join(_write(data)) + "\n", encoding="utf-8")


def _write(data: counterfoil.Dataset) -> Iterator[str]:
    yield from [
        "# Gallery",
        "",
        "One row of every family in the demo's dataset, made by `python -m benchmarks.gallery`.",
        "",
    ]
    anchors = {
        row["anchor_id"]: row
        for row in data.anchors.select(["anchor_id", "domain", "caption", "captions", "image", "code", "code_language"])
        .arrow()
        .to_pylist()
    }
    shown: set[str] = set()
    for fact in list_family_facts():
        try:
            rows = data.contrasts.select(COLUMNS, family=fact["family"]).arrow().to_pylist()
        except counterfoil.StorageError:
            continue  # the dataset has no such family
        rows.sort(key=lambda row: row["contrast_id"])
        row = next((each for each in rows if each["anchor_id"] not in shown), rows[0])
        shown.add(row["anchor_id"])
        yield from _write_row(fact, row, anchors[row["anchor_id"]])


def _write_row(fact: dict[str, Any], row: dict[str, Any], anchor: dict[str, Any]) -> Iterator[str]:
    yield from [f"## `{fact['family']}`", "", f"{fact['role'].capitalize()} {fact['modality']}: {fact['how']}.", ""]
    yield "| the anchor | the contrast |"
    yield "| --- | --- |"
    words = _split(row["text"] or "")
    sayings = [each for each in (anchor["caption"], *(anchor["captions"] or ()), anchor["code"]) if each] or [""]
    before = max(sayings, key=lambda each: difflib.SequenceMatcher(None, _split(each), words, autojunk=False).ratio())
    left, right = _save(anchor, "anchor", row), _save(row, "contrast", row)
    if row["text"]:
        texts = _compare(before or "", row["text"])
        left, right = f"{left}{texts[0]}", f"{right}{texts[1]}"
    else:
        left = f"{left}{_cell(make_readable(anchor['caption'] or ''))}"
    yield f"| {left} | {right or 'the same picture'} |"
    yield ""
    changed = ", ".join(row["changes"] or []) or "nothing that is stated"
    yield f"What changed: {changed}. Checks passed: {len(row['checks'] or [])}."
    yield ""


def _save(row: dict[str, Any], part: str, contrast: dict[str, Any]) -> str:
    """The picture as a file, and the Markdown that shows it; empty where there is none."""
    if not row.get("image") or not row["image"].get("bytes"):
        return ""
    name = f"{contrast['family'].replace('.', '-')}-{part}.png"
    with Image.open(io.BytesIO(row["image"]["bytes"])) as opened:
        picture = opened.convert("RGB")
        picture.thumbnail((SIDE, SIDE))
        picture.quantize(32).save(PICTURES / name, optimize=True)
    return f"![{part}](gallery/{name}){{ width={picture.width} }}<br>"


def _compare(before: str, after: str) -> tuple[str, str]:
    """Both texts with the words that differ in bold."""
    words = [_split(before), _split(after)]
    sides: list[list[str]] = [[], []]
    for kind, *spans in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        for side, (start, end) in enumerate((spans[:2], spans[2:])):
            said = html.escape(" ".join(words[side][start:end]))
            if said:
                sides[side].append(said if kind == "equal" else f"<b>{said}</b>")
    return _cell(" ".join(sides[0]), escape=False), _cell(" ".join(sides[1]), escape=False)


def _split(text: str) -> list[str]:
    """Words and line ends, mathematics in signs."""
    text = make_readable(text).strip()
    return re.findall(r"\n|\S+", text if len(text) <= LONGEST else text[:LONGEST] + " …")


def _cell(text: str, escape: bool = True) -> str:
    return (
        (html.escape(text[:LONGEST]) if escape else text)
        .replace("|", "&#124;")
        .replace("\n", "<br>")
        .replace("*", "&#42;")
    )


if __name__ == "__main__":
    main()
