"""The rows of the tables as frozen dataclasses, and their content-hash ids.

Nothing that differs from run to run (clock, host, path) is in a row, so the same input gives the same
row, the same id and the same file bytes on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Role = Literal["negative", "positive"]
Modality = Literal["image", "text"]
Grade = Literal["proved", "refuted", "contradicts", "undecided", "unjudged"]
"""How far a contrast is shown to be what its role says: ``proved`` by its verifier on what was drawn or written;
``refuted`` by a stored witness; ``contradicts`` its anchor, and so is only as false as its anchor is true;
``undecided``: neither shown true nor false; ``unjudged``: nobody looked."""
UNVOUCHED = ("unjudged",)
"""Grades of contrasts that nobody vouches for. They are read where they are asked for, with no others by default."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A checked statement about an anchor: ``Fact("length", ("A", "B"), "8")``.

    >>> str(Fact("length", ("A", "B"), "8"))
    'length(A, B) = 8'
    """

    predicate: str
    arguments: tuple[str, ...] = ()
    value: str | None = None

    def __str__(self) -> str:
        text = f"{self.predicate}({', '.join(self.arguments)})"
        return text if self.value is None else f"{text} = {self.value}"


@dataclass(frozen=True, slots=True)
class Edit:
    """What was changed to make a contrast: ``Edit("number", "AB = 8", "AB = 6")``."""

    kind: str
    target: str
    replacement: str


BESIDE = "beside"
"""The kind of the edit of a text that is judged beside another than its anchor's caption: its target is that text, the
true one, its replacement the row's own, the false one (a unit and its foil, a true text and a half-truth)."""

STATED, DENIED = "stated", "denied"
"""The kinds of edits that name whole statements: what the true text states or denies, and in its place the false."""


def find_beside(edits: Iterable[Edit | Mapping[str, str]] | None) -> str | None:
    """The true text that a row's edits say it stands beside; None where they say nothing of it.

    >>> find_beside([Edit("noun", "dog", "cat"), Edit("beside", "a dog", "a cat")])
    'a dog'
    """
    for edit in edits or ():
        kind, target = (edit.kind, edit.target) if isinstance(edit, Edit) else (edit["kind"], edit["target"])
        if kind == BESIDE:
            return target
    return None


@dataclass(frozen=True, slots=True)
class View:
    """One way of saying what an anchor says: ``View("lean_type", "∀ n : ℕ, Even n → Even (n ^ 2)")``.

    Two views of one anchor are positives of each other and never negatives.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An encoded picture; ``path`` is the file name that an export gives it."""

    bytes: bytes
    path: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who made a row and at what cost. Tokens and USD are 0 for the procedural author.

    ``cost_usd`` is None where the model's price is unknown.
    """

    author: str = "procedural"
    model: str | None = None
    prompt_id: str | None = None
    prompt_sha256: str | None = None
    request_sha256: str | None = None
    seed: int = 0
    attempts: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    code_version: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One positive: an image and/or a statement with its caption, code, question and facts."""

    anchor_id: str
    domain: str
    source: str
    source_id: str
    split: str
    image: Image | None = None
    vector: str | None = None
    caption: str | None = None
    captions: tuple[str, ...] = ()
    code: str | None = None
    code_language: str | None = None
    question: str | None = None
    answer: str | None = None
    solution: str | None = None
    facts: tuple[Fact, ...] = ()
    group: str | None = None
    """Shared by the anchors of a domain that have an equal picture or equal facts; None in tables of before."""
    provenance: Provenance = Provenance()
    views: tuple[View, ...] = ()
    """The ways in which the anchor is said, where a domain has several (theorems: informal, Lean type, ...)."""
    steps: int | None = None
    """In how many steps its answer follows, where its solution numbers them."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One near miss (``role="negative"``) or hard positive of an anchor.

    ``contrast_id`` and ``rank`` are set by the stage runner (`accept`); a maker leaves them at their defaults.
    ``text`` and ``image`` may both be set: a negative image carries the caption that is true of it.
    """

    anchor_id: str
    family: str
    role: Role
    modality: Modality
    text: str | None = None
    image: Image | None = None
    vector: str | None = None
    code: str | None = None
    edits: tuple[Edit, ...] = ()
    concreteness: float | None = None
    similarity: float | None = None
    checks: tuple[str, ...] = ()
    provenance: Provenance = Provenance()
    rank: int = 0
    contrast_id: str = ""
    grade: Grade | None = None
    """Set with the checks; None in tables of before."""
    witness: str | None = None
    """Of a row that is ``refuted``: what shows it false, in words."""
    changes: tuple[str, ...] | None = None
    """Of a negative, what differs from the anchor, measured on what was drawn or written: kinds of `storage.changes`.
    None where nothing measures it, and in tables of before."""

    def accept(
        self,
        rank: int,
        checks: tuple[str, ...],
        grade: Grade | None = "proved",
        witness: str | None = None,
        changes: tuple[str, ...] | None = None,
    ) -> Contrast:
        """The row as it enters the table: ranked, with the checks that it passed, its grade, its witness, what it
        changes and its id."""
        ranked = replace(self, rank=rank, checks=checks, grade=grade, witness=witness, changes=changes, contrast_id="")
        return replace(ranked, contrast_id=contrast_id(ranked))


@dataclass(frozen=True, slots=True)
class Reject:
    """What was thrown away, kept with the reasons and counted.

    An anchor that could not be made has ``anchor_id=None``, ``family="<domain>.anchor"`` and its source row in
    ``source_row`` (JSON). A reason is ``"code: details"``; reports count by the code.
    """

    family: str
    reasons: tuple[str, ...]
    source: str = ""
    source_id: str = ""
    anchor_id: str | None = None
    contrast: Contrast | None = None
    source_row: str | None = None
    raw: str | None = None
    """The author's raw answer, where one was rejected."""
    provenance: Provenance = Provenance()

    @property
    def reject_id(self) -> str:
        """The id of what was thrown away, from what a reader sees of it: its family, where from, why, and the row."""
        shown = contrast_id(self.contrast) if self.contrast is not None else None
        reasons = [keep_storable(reason) for reason in self.reasons]
        row = keep_storable(self.source_row) if self.source_row is not None else None
        return content_id("reject", self.family, reasons, self.source, self.source_id, self.anchor_id, shown, row)


def keep_storable(text: str) -> str:
    """A model's answer may hold lone surrogates, which UTF-8 has no bytes for; a reject shows them escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def content_id(*parts: Any) -> str:
    """32 hex digits of the SHA-256 of ``parts`` as canonical JSON (bytes enter by their own SHA-256).

    >>> content_id("geometry", {"b": 1, "a": b"x"}) == content_id("geometry", {"a": b"x", "b": 1})
    True
    """
    return fingerprint(*parts)[:32]


def fingerprint(*parts: Any) -> str:
    """SHA-256 (64 hex digits) of ``parts`` as canonical JSON."""
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()
    ).hexdigest()


def contrast_id(contrast: Contrast) -> str:
    """The id of a contrast from what a reader sees of it; provenance and checks do not enter."""
    image = contrast.image.bytes if contrast.image else None
    edits = [(e.kind, e.target, e.replacement) for e in contrast.edits]
    return content_id(
        contrast.anchor_id, contrast.family, contrast.role, contrast.rank, contrast.text, image, contrast.code, edits
    )


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"cannot take {type(value).__name__} into a content hash")
