"""Rows made ready to show: texts compared, pictures compared and encoded, filters named. No HTML here."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PIL import Image as Pillow

from storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance
from tasks.report.facts import RejectSample, ReportData, Sample
from tasks.report.pictures import Album, EncodedPicture
from tasks.report.regions import Difference, PictureError, compare_pictures, open_picture
from tasks.report.tallies import Histogram, Tally
from tasks.report.words import Piece, TextDiff, compare_code, compare_with_nearest

MOST_CHARACTERS = 4_000
"""Longer texts are cut on the page; the tables hold them whole."""
PICTURE_BUDGET = 6_000_000
"""Characters of data URIs in one page: keeps it below 8 MB with its texts."""
REDRAWN = 0.6
"""Share of changed ink from which boxes tell less than the words "drawn anew"."""
FACETS = {"domain": "Domain", "family": "Family", "role": "Role", "edit": "Edit kind", "split": "Split"}
_MOST_CODE_LINES = 60

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Choice:
    """One value of a filter. ``token`` stands for it in the page's attributes."""

    token: str
    value: str
    count: int


@dataclass(frozen=True)
class Facet:
    name: str
    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class PictureView:
    """A picture on the page; ``problem`` says why there is none."""

    place: int | None
    """Where it stands in `PageView.pictures`."""
    alt: str
    difference: Difference | None = None
    problem: str = ""
    vector_uri: str = ""

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
    """One contrast beside its anchor."""

    row_id: str
    values: tuple[tuple[str, str], ...]
    """What the filters know it by: (facet, value)."""
    role: str
    kinds: tuple[str, ...]
    text: TextDiff | None
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
    values: tuple[tuple[str, str], ...]
    domain: str
    split: str
    source: str
    picture: PictureView | None
    caption: str
    texts: tuple[tuple[str, str], ...]
    captions: tuple[str, ...]
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


@dataclass(frozen=True)
class PageView:
    """All that the template shows besides the counts of `ReportData`."""

    tickets: tuple[Ticket, ...]
    rejects: Mapping[str, tuple[RejectView, ...]]
    facets: tuple[Facet, ...]
    cards: int
    pictures: tuple[EncodedPicture, ...]
    changed_words: Histogram | None
    picture_shares: Histogram | None
    """Of the sampled rows, in per cent."""


def build_page(
    data: ReportData, budget: int = PICTURE_BUDGET, on_ticket: Callable[[], None] = lambda: None
) -> PageView:
    """Compare, cut and encode what ``data`` holds of rows."""
    builder = _Builder()
    tickets = []
    for sample in data.samples:
        tickets.append(builder.build_ticket(sample))
        on_ticket()
    rejects = {
        clean(code): tuple(builder.build_reject(each) for each in rows) for code, rows in data.rejects.items() if rows
    }
    return PageView(
        tickets=tuple(tickets),
        rejects=rejects,
        facets=builder.list_facets(),
        cards=sum(len(group.cards) for ticket in tickets for group in ticket.groups),
        pictures=tuple(builder.album.encode(budget)),
        changed_words=builder.changed_words.bin(),
        picture_shares=builder.picture_shares.bin(),
    )


class _Builder:
    def __init__(self) -> None:
        self.album = Album()
        self.changed_words, self.picture_shares = Tally(1), Tally(0.1)
        self._choices: dict[str, Counter[str]] = {name: Counter() for name in FACETS}

    def build_ticket(self, sample: Sample) -> Ticket:
        anchor = sample.anchor
        before = self._open(anchor.image.bytes)[0] if anchor.image else None
        groups: list[Group] = []
        for family in dict.fromkeys(contrast.family for contrast in sample.contrasts):
            rows = [contrast for contrast in sample.contrasts if contrast.family == family]
            cards = tuple(self._build_card(row, anchor, before) for row in rows)
            groups.append(Group(clean(family), rows[0].role, rows[0].modality, cards, sample.more.get(family, 0)))
        groups.sort(key=lambda group: (group.modality != "image", group.role != "negative", group.family))
        texts = (("Question", anchor.question), ("Answer", anchor.answer), ("Solution", anchor.solution))
        return Ticket(
            row_id=anchor.anchor_id,
            values=tuple((facet, value) for facet, value in _list_anchor_values(anchor)),
            domain=clean(anchor.domain),
            split=clean(anchor.split),
            source=clean(f"{anchor.source} {anchor.source_id}".strip()),
            picture=self._show(anchor.image, anchor.vector, f"Anchor: {anchor.caption or anchor.source_id}"),
            caption=clean(anchor.caption or ""),
            texts=tuple((label, clean(text)) for label, text in texts if text),
            captions=tuple(clean(each) for each in anchor.captions if each != anchor.caption),
            facts=tuple(
                Fact(clean(fact.predicate), tuple(map(clean, fact.arguments)), fact.value and clean(fact.value))
                for fact in anchor.facts
            ),
            code=clean(anchor.code or ""),
            code_language=clean(anchor.code_language or "code"),
            provenance=_describe_provenance(anchor.provenance),
            groups=tuple(groups),
        )

    def _build_card(self, row: Contrast, anchor: Anchor, before: Pillow.Image | None) -> Card:
        kinds = tuple(dict.fromkeys(clean(edit.kind) for edit in row.edits))
        values = (
            *_list_anchor_values(anchor),
            ("family", clean(row.family)),
            ("role", row.role),
            *(("edit", kind) for kind in kinds),
        )
        for facet, value in values:
            self._choices[facet][value] += 1
        picture = self._show(row.image, row.vector, _describe_picture(row), before)
        text = compare_with_nearest(row.text, _list_bases(anchor)) if row.text is not None else None
        if row.role == "negative":
            if text is not None and text.changed_words is not None:
                self.changed_words.add(text.changed_words)
            if picture is not None and picture.difference is not None:
                self.picture_shares.add(100 * picture.difference.share)
        numbers = (("similarity", row.similarity), ("concreteness", row.concreteness))
        return Card(
            row_id=row.contrast_id,
            values=values,
            role=row.role,
            kinds=kinds,
            text=_clean_diff(text),
            is_code=text is not None and _is_code(row, text),
            picture=picture,
            checks=tuple(map(clean, row.checks)),
            edits=tuple(Edit(clean(each.kind), clean(each.target), clean(each.replacement)) for each in row.edits),
            code=_compare_scripts(anchor, row),
            numbers=tuple((name, f"{number:.3f}") for name, number in numbers if number is not None),
            provenance=_describe_provenance(row.provenance),
        )

    def build_reject(self, sample: RejectSample) -> RejectView:
        reject, anchor = sample.reject, sample.anchor
        row = reject.contrast
        before = self._open(anchor.image.bytes)[0] if anchor is not None and anchor.image else None
        text = None
        if row is not None and row.text is not None:
            text = compare_with_nearest(row.text, _list_bases(anchor) if anchor else ())
        return RejectView(
            family=clean(reject.family),
            reasons=tuple(map(clean, reject.reasons)),
            source=clean(f"{reject.source} {reject.source_id}".strip()),
            anchor_id=reject.anchor_id or "",
            caption=clean((anchor.caption or "") if anchor else ""),
            text=_clean_diff(text),
            role=row.role if row else "negative",
            kinds=tuple(dict.fromkeys(clean(edit.kind) for edit in row.edits)) if row else (),
            picture=self._show(row.image, row.vector, _describe_picture(row), before) if row else None,
            anchor_picture=self._show(anchor.image, anchor.vector, "Anchor") if anchor and row else None,
            raw=clean(reject.raw or reject.source_row or ""),
        )

    def list_facets(self) -> tuple[Facet, ...]:
        """The filters, their values by name. A value's token is the facet's letter and the value's place."""
        facets = []
        for name, label in FACETS.items():
            ordered = sorted(self._choices[name].items())
            choices = (Choice(f"{name[0]}{i}", value, count) for i, (value, count) in enumerate(ordered))
            facets.append(Facet(name, label, tuple(choices)))
        return tuple(facets)

    def _open(self, data: bytes) -> tuple[Pillow.Image | None, str]:
        try:
            return open_picture(data), ""
        except PictureError as error:
            return None, str(error)

    def _show(
        self, image: Image | None, vector: str | None, alt: str, before: Pillow.Image | None = None
    ) -> PictureView | None:
        """The row's picture, else its drawing as SVG (an ``img`` runs and fetches nothing), else None."""
        if image is None:
            if not vector:
                return None
            uri = "data:image/svg+xml;base64," + base64.b64encode(vector.encode("utf-8", "replace")).decode()
            return PictureView(None, clean(alt)[:300], vector_uri=uri)
        after, problem = self._open(image.bytes)
        if after is None:
            return PictureView(None, clean(alt)[:300], problem=clean(problem))
        difference = compare_pictures(before, after) if before is not None else None
        return PictureView(self.album.add(image.bytes), clean(alt)[:300], difference)


def clean(text: str) -> str:
    """Text fit for a page: cut at `MOST_CHARACTERS`, and without characters that cannot be shown or turn others around.

    >>> clean("AB\u202e = 8")
    'AB\ufffd = 8'
    """
    text = text.replace("\r\n", "\n")
    cut = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} … ({len(text):,} characters in all)"
    return make_printable(cut)


def make_printable(text: str) -> str:
    """Replace control characters, lone surrogates and those that turn the text around them."""
    return _CONTROL.sub("\ufffd", text)


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


def _list_anchor_values(anchor: Anchor) -> tuple[tuple[str, str], ...]:
    return (("domain", clean(anchor.domain)), ("split", clean(anchor.split)))


def _list_bases(anchor: Anchor) -> list[tuple[str, str]]:
    """The anchor's texts that a contrast's may have been made from."""
    bases = [("caption", anchor.caption), *(("captions", each) for each in anchor.captions)]
    bases += [("code", anchor.code), ("question", anchor.question), ("solution", anchor.solution)]
    return [(field, text) for field, text in bases if text]


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
