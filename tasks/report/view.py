"""Rows made ready to show: texts compared, pictures compared and encoded. No HTML here."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PIL import Image as Pillow

from counterfoil.storage.grades import MEANINGS, name_grade
from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance
from counterfoil.tasks.report.facts import RejectSample
from counterfoil.tasks.report.regions import Difference, compare_pictures
from counterfoil.tasks.report.samples import Sample
from counterfoil.tasks.report.sentences import describe_change
from counterfoil.tasks.report.tallies import Tally
from counterfoil.tasks.report.words import Piece, TextDiff, compare_code, compare_with_nearest
from counterfoil.tasks.showing.notation import make_readable
from counterfoil.tasks.showing.pictures import PictureError, ShownPicture, open_picture, show_picture
from counterfoil.tasks.showing.texts import MOST_CHARACTERS, clean, show_text

REDRAWN = 0.6
"""Share of changed ink from which boxes tell less than the words "drawn anew"."""
_MOST_CODE_LINES = 60


@dataclass(frozen=True)
class PictureView:
    """A picture on the page; ``problem`` says why there is none."""

    place: int | None
    """Where it stands among the pictures of the same view."""
    alt: str
    difference: Difference | None = None
    problem: str = ""

    @property
    def redrawn(self) -> bool:
        """Whether most ink changed, or a mark would frame half the picture."""
        if self.difference is None:
            return False
        half = self.difference.width * self.difference.height / 2
        framed = any((x1 - x0) * (y1 - y0) > half for x0, y0, x1, y1 in self.difference.boxes)
        return framed or self.difference.ink_share >= REDRAWN


@dataclass(frozen=True)
class Card:
    """One contrast next to its anchor."""

    row_id: str
    role: str
    kinds: tuple[str, ...]
    changes: tuple[str, ...]
    """What differs, measured on what is shown; empty where nothing measures it."""
    sentence: str
    """What was changed, in words."""
    grade: str
    grade_means: str
    text: TextDiff | None
    stored: str
    """The text as the table has it, where that is not as it is shown."""
    is_code: bool
    picture: PictureView | None
    checks: tuple[str, ...]
    edits: tuple[Edit, ...]
    code: tuple[Piece, ...]
    numbers: tuple[tuple[str, str], ...]
    provenance: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Group:
    family: str
    role: str
    modality: str
    cards: tuple[Card, ...]
    more: int


@dataclass(frozen=True)
class Ticket:
    """One anchor with its contrasts by family."""

    row_id: str
    domain: str
    split: str
    source: str
    picture: PictureView | None
    caption: str
    texts: tuple[tuple[str, str], ...]
    captions: tuple[str, ...]
    stored: str
    """The caption as the table has it, where that is not as it is shown."""
    facts: tuple[Fact, ...]
    code: str
    code_language: str
    provenance: tuple[tuple[str, str], ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class RejectView:
    family: str
    reasons: tuple[str, ...]
    source: str
    anchor_id: str
    caption: str
    text: TextDiff | None
    role: str
    kinds: tuple[str, ...]
    picture: PictureView | None
    anchor_picture: PictureView | None
    raw: str


@dataclass
class Difficulty:
    """How much negatives change: words, and pixels in per cent of the picture."""

    negatives: int = 0
    words: Tally = field(default_factory=lambda: Tally(1))
    pixels: Tally = field(default_factory=lambda: Tally(0.1))

    def add_all(self, other: Difficulty) -> None:
        """Add what was counted of others."""
        self.negatives += other.negatives
        self.words.add_all(other.words)
        self.pixels.add_all(other.pixels)


@dataclass(frozen=True)
class SampleView:
    """Some anchors with their contrasts, and the pictures that they refer to by place."""

    tickets: tuple[Ticket, ...]
    pictures: tuple[ShownPicture, ...]
    difficulty: Mapping[str, Difficulty]
    """Family to how much its negatives change."""


@dataclass(frozen=True)
class RejectsView:
    """A few of what was thrown away, by reason code, and their pictures."""

    rejects: Mapping[str, tuple[RejectView, ...]]
    pictures: tuple[ShownPicture, ...]


def view_samples(samples: Sequence[Sample]) -> SampleView:
    """Compare, cut and encode some anchors and their contrasts."""
    builder = _Builder()
    tickets = tuple(builder.build_ticket(sample) for sample in samples)
    return SampleView(tickets, tuple(builder.pictures), builder.difficulty)


def view_rejects(rejects: Mapping[str, Sequence[RejectSample]]) -> RejectsView:
    """Compare, cut and encode the shown rejects."""
    builder = _Builder()
    views = {code: tuple(builder.build_reject(each) for each in rows) for code, rows in rejects.items() if rows}
    return RejectsView(views, tuple(builder.pictures))


class _Builder:
    """Builds views that share pictures: the same bytes are encoded, and written, once."""

    def __init__(self) -> None:
        self.pictures: list[ShownPicture] = []
        self.difficulty: defaultdict[str, Difficulty] = defaultdict(Difficulty)
        self._places: dict[bytes, int] = {}

    def build_ticket(self, sample: Sample) -> Ticket:
        anchor = sample.anchor
        before = _open(anchor.image)
        groups: list[Group] = []
        bases = _list_bases(anchor)
        for family, modality in dict.fromkeys((each.family, each.modality) for each in sample.contrasts):
            rows = [each for each in sample.contrasts if (each.family, each.modality) == (family, modality)]
            cards = tuple(self._build_card(row, anchor, before, bases) for row in rows)
            groups.append(Group(clean(family), rows[0].role, modality, cards, sample.more.get(family, 0)))
        groups.sort(key=lambda group: (group.modality != "image", group.role != "negative", group.family))
        texts = (("Question", anchor.question), ("Answer", anchor.answer), ("Solution", anchor.solution))
        return Ticket(
            row_id=anchor.anchor_id,
            domain=clean(anchor.domain),
            split=clean(anchor.split),
            source=clean(f"{anchor.source} {anchor.source_id}".strip()),
            picture=self._show(anchor.image, anchor.vector, f"Anchor: {anchor.caption or anchor.source_id}"),
            caption=show_text(anchor.caption or ""),
            texts=tuple((label, show_text(text)) for label, text in texts if text),
            captions=tuple(show_text(each) for each in anchor.captions if each != anchor.caption),
            stored=_keep_stored(anchor.caption),
            facts=tuple(
                Fact(clean(fact.predicate), tuple(map(show_text, fact.arguments)), fact.value and show_text(fact.value))
                for fact in anchor.facts
            ),
            code=clean(anchor.code or ""),
            code_language=clean(anchor.code_language or "code"),
            provenance=_describe_provenance(anchor.provenance),
            groups=tuple(groups),
        )

    def _build_card(
        self, row: Contrast, anchor: Anchor, before: Pillow.Image | None, bases: Sequence[tuple[str, str]]
    ) -> Card:
        kinds = tuple(dict.fromkeys(clean(edit.kind) for edit in row.edits))
        picture = self._show(row.image, row.vector, _describe_picture(row), before)
        text = _compare_text(row, bases)
        if row.role == "negative":
            difficulty = self.difficulty[row.family]
            difficulty.negatives += 1
            if text is not None and text.changed_words is not None:
                difficulty.words.add(text.changed_words)
            if picture is not None and picture.difference is not None:
                difficulty.pixels.add(100 * picture.difference.share)
        numbers = (("similarity", row.similarity), ("concreteness", row.concreteness))
        edits = tuple(Edit(clean(e.kind), show_text(e.target), show_text(e.replacement)) for e in row.edits)
        changes = tuple(map(clean, row.changes or ()))
        return Card(
            row_id=row.contrast_id,
            role=row.role,
            kinds=kinds,
            changes=changes,
            sentence=describe_change(row.role, edits, changes),
            grade=clean(name_grade(row.grade)),
            grade_means=MEANINGS.get(name_grade(row.grade), ""),
            text=_clean_diff(text),
            stored=_keep_stored(row.text),
            is_code=text is not None and _is_code(row, text),
            picture=picture,
            checks=tuple(map(clean, row.checks)),
            edits=edits,
            code=_compare_scripts(anchor, row),
            numbers=tuple((name, f"{number:.3f}") for name, number in numbers if number is not None),
            provenance=_describe_provenance(row.provenance),
        )

    def build_reject(self, sample: RejectSample) -> RejectView:
        reject, anchor = sample.reject, sample.anchor
        row = reject.contrast
        before = _open(anchor.image) if anchor is not None else None
        text = _compare_text(row, _list_bases(anchor) if anchor else ()) if row else None
        return RejectView(
            family=clean(reject.family),
            reasons=tuple(map(clean, reject.reasons)),
            source=clean(f"{reject.source} {reject.source_id}".strip()),
            anchor_id=reject.anchor_id or "",
            caption=show_text((anchor.caption or "") if anchor else ""),
            text=_clean_diff(text),
            role=row.role if row else "negative",
            kinds=tuple(dict.fromkeys(clean(edit.kind) for edit in row.edits)) if row else (),
            picture=self._show(row.image, row.vector, _describe_picture(row), before) if row else None,
            anchor_picture=self._show(anchor.image, anchor.vector, "Anchor") if anchor and row else None,
            raw=clean(reject.raw or reject.source_row or ""),
        )

    def _show(
        self, image: Image | None, vector: str | None, alt: str, before: Pillow.Image | None = None
    ) -> PictureView | None:
        """The row's picture, else its drawing as SVG (an ``img`` runs and fetches nothing), else None."""
        alt = show_text(alt)[:300]
        if image is None:
            return self._show_vector(vector, alt) if vector else None
        try:
            after = open_picture(image.bytes)
        except PictureError as error:
            return PictureView(None, alt, problem=clean(str(error)))
        if image.bytes not in self._places:
            self._places[image.bytes] = self._keep(show_picture(after))
        difference = compare_pictures(before, after) if before is not None else None
        return PictureView(self._places[image.bytes], alt, difference)

    def _show_vector(self, vector: str, alt: str) -> PictureView:
        uri = "data:image/svg+xml;base64," + base64.b64encode(vector.encode("utf-8", "replace")).decode()
        return PictureView(self._keep(ShownPicture(uri, 0, 0)), alt)

    def _keep(self, picture: ShownPicture) -> int:
        self.pictures.append(picture)
        return len(self.pictures) - 1


def _open(image: Image | None) -> Pillow.Image | None:
    try:
        return open_picture(image.bytes) if image is not None else None
    except PictureError:
        return None  # its place on the page says why


def _clean_diff(diff: TextDiff | None) -> TextDiff | None:
    """The same pieces, cut where together they are too long."""
    if diff is None:
        return None
    left, pieces = MOST_CHARACTERS, []
    for piece in diff.pieces:
        if left <= 0:
            break
        pieces.append(Piece(piece.change, clean(piece.text if len(piece.text) <= left else piece.text[:left] + " …")))
        left -= len(piece.text)
    return TextDiff(tuple(pieces), diff.changed_words, diff.base)


def _list_bases(anchor: Anchor) -> list[tuple[str, str]]:
    """The anchor's texts that a contrast's may have been made from, readable but for its code."""
    bases = [("caption", anchor.caption), *(("captions", each) for each in anchor.captions)]
    bases += [("question", anchor.question), ("solution", anchor.solution)]
    readable = [(field, make_readable(text)) for field, text in bases if text]
    return [*readable, ("code", anchor.code)] if anchor.code else readable


def _compare_text(row: Contrast, bases: Sequence[tuple[str, str]]) -> TextDiff | None:
    if row.text is None:
        return None
    return compare_with_nearest(row.text if row.text == row.code else make_readable(row.text), bases)


def _keep_stored(text: str | None) -> str:
    return clean(text) if text is not None and make_readable(text) != text else ""


def _is_code(row: Contrast, diff: TextDiff) -> bool:
    return diff.base == "code" or (row.code is not None and row.text == row.code)


def _compare_scripts(anchor: Anchor, row: Contrast) -> tuple[Piece, ...]:
    if not anchor.code or not row.code or row.code == row.text:
        return ()
    pieces = compare_code(anchor.code, row.code)
    cut = pieces[:_MOST_CODE_LINES]
    if len(pieces) > len(cut):
        cut += (Piece("same", f"… and {len(pieces) - len(cut)} more lines"),)
    return tuple(Piece(piece.change, clean(piece.text)) for piece in cut)


def _describe_picture(row: Contrast) -> str:
    return f"{row.role.capitalize()}: {row.text or ', '.join(edit.kind for edit in row.edits) or row.family}"


def _describe_provenance(provenance: Provenance) -> tuple[tuple[str, str], ...]:
    """What is worth telling of who made a row, as (name, value)."""
    cost = "unknown" if provenance.cost_usd is None else f"{provenance.cost_usd:.6f}"
    told = {
        "author": provenance.author,
        "model": provenance.model,
        "prompt": provenance.prompt_id,
        "seed": str(provenance.seed),
        "attempts": str(provenance.attempts) if provenance.attempts != 1 else None,
        "tokens": f"{provenance.input_tokens:,} in, {provenance.output_tokens:,} out" if provenance.model else None,
        "USD": cost if provenance.model else None,
        "code": provenance.code_version,
    }
    return tuple((name, clean(value)) for name, value in told.items() if value)
