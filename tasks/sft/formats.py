"""Instruction rows as files that trainers read: LLaVA's conversations, or messages as TRL and chat templates take them.

``llava`` is one JSON list a split (``id``, ``image``, ``conversations`` with ``<image>`` where a picture stands), as
LLaVA-1.5's loader reads it: one picture a row. Rows of several pictures, whose ``image`` is a list as
LLaVA-NeXT-Interleave has it, are in a file of their own, ``SPLIT.several.json``. ``messages`` is one JSON object a line
(``messages`` with typed content, ``images``). Both also keep ``kind``, ``domain``, ``anchor_id`` and the ``answer`` to
score.
A picture is written once, under the hash of its bytes. The folder appears under its name only when it is whole.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.storage.errors import StorageError
from counterfoil.storage.export import clean_split
from counterfoil.storage.exported import Exported, describe_exported, open_target
from counterfoil.storage.json_files import JsonFiles
from counterfoil.storage.pictures import PictureChange
from counterfoil.storage.rows import Image
from counterfoil.storage.webdataset import name_ending
from counterfoil.tasks.sft.asking import LeftOut
from counterfoil.tasks.sft.rows import KINDS, Instruction

FORMATS = ("llava", "messages")
Describe = Callable[[Instruction, list[str]], dict[str, Any]]


def describe_llava(row: Instruction, names: list[str]) -> dict[str, Any]:
    """A row in LLaVA's format; ``names`` are its pictures' paths."""
    return {
        "id": row.row_id,
        "image": names[0] if len(names) == 1 else names,
        "conversations": [
            {"from": "human", "value": "<image>\n" * len(names) + row.prompt},
            {"from": "gpt", "value": row.response},
        ],
        **_tell(row),
    }


def describe_messages(row: Instruction, names: list[str]) -> dict[str, Any]:
    """A row as messages with typed content."""
    shown = [{"type": "image"} for _ in names]
    return {
        "id": row.row_id,
        "messages": [
            {"role": "user", "content": [*shown, {"type": "text", "text": row.prompt}]},
            {"role": "assistant", "content": [{"type": "text", "text": row.response}]},
        ],
        "images": names,
        **_tell(row),
    }


def _tell(row: Instruction) -> dict[str, str]:
    return {"kind": row.kind, "domain": row.domain, "anchor_id": row.anchor_id, "answer": row.answer}


def write_instructions(
    rows: Iterable[Instruction],
    to: str | Path,
    format: str,
    *,
    change: PictureChange | None = None,
    left_out: LeftOut | None = None,
    title: str = "Instruction rows",
    licence: str = "unknown",
) -> Exported:
    """Write the rows into the new or empty folder ``to``, a file a split, with a README that counts them.

    Raises:
        StorageError: the format is unknown, the folder is not empty, there is no row, or the disk is full.
    """
    if format not in FORMATS:
        raise StorageError(f"there is no format '{format}' of instruction rows: use {', '.join(FORMATS)}")
    with open_target(to) as folder:
        (folder / "images").mkdir()
        with JsonFiles(folder) as files:
            written = _Written(folder, files, format, change or PictureChange())
            for row in rows:
                written.add(row)
        if not written.splits:
            raise StorageError("no instruction row came of the dataset: it has no anchors with pictures")
        (folder / "README.md").write_text(_write_card(written, title, licence, left_out), encoding="utf-8")
    return describe_exported(to, {"instructions": sum(written.splits.values())})


@dataclass
class _Written:
    """The files of an export, and what was counted."""

    folder: Path
    files: JsonFiles
    format: str
    change: PictureChange
    splits: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    _names: dict[bytes, str] = field(default_factory=dict)

    def add(self, row: Instruction) -> None:
        """Write one row, and its pictures where they are new."""
        split = clean_split(row.split)
        names = [self._place(picture) for picture in row.pictures]
        described = describe_llava(row, names) if self.format == "llava" else describe_messages(row, names)
        several = ".several" if self.format == "llava" and len(names) > 1 else ""
        self.files.add(f"{split}.jsonl" if self.format == "messages" else f"{split}{several}.json", described)
        self.splits[split] += 1
        self.kinds[row.kind] += 1
        if row.kind in _FEW:
            self.answers.setdefault(row.kind, Counter())[row.answer] += 1

    def _place(self, picture: bytes) -> str:
        key = hashlib.sha256(picture).digest()
        if key not in self._names:
            changed = self.change.apply(Image(picture, "picture.png")).bytes if self.change.changes else picture
            name = f"images/{key.hex()[:32]}.{name_ending(changed) or 'png'}"
            (self.folder / name).write_bytes(changed)
            self._names[key] = name
        return self._names[key]


_FEW = ("which_caption", "which_picture", "true", "choice")


def _write_card(files: _Written, title: str, licence: str, left_out: LeftOut | None) -> str:
    kinds = "\n".join(
        f"| {kind} | {files.kinds[kind]:,} | {told} | {_tell_answers(files.answers, kind)} |"
        for kind, told in KINDS.items()
        if files.kinds[kind]
    )
    splits = ", ".join(f"{split} {count:,}" for split, count in sorted(files.splits.items()))
    missing: Mapping[str, int] = left_out.counts if left_out else {}
    omitted = "".join(f"- {reason}: {count:,}\n" for reason, count in sorted(missing.items()) if count)
    llava = "LLaVA's conversations (those of several pictures in files of their own)"
    how = llava if files.format == "llava" else "messages with typed content"
    return (
        f"---\nlicense: {json.dumps(licence)}\ntask_categories: [visual-question-answering]\n---\n\n# {title}\n\n"
        f"Instruction rows as {how}, made by Counterfoil from verified facts, captions and hard negatives: {splits}. "
        f"Pictures are {files.change}.\n\n"
        f"| kind | rows | what | answers |\n| --- | --- | --- | --- |\n{kinds}\n"
        + (f"\nNot asked:\n\n{omitted}" if omitted else "")
    )


def _tell_answers(answers: Mapping[str, Counter[str]], kind: str) -> str:
    return ", ".join(f"{a} {n:,}" for a, n in sorted(answers[kind].items())) if kind in _FEW else ""
