"""Small synthetic rows with real pictures, and the tables that hold them, in memory or as a real dataset."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance, Reject, content_id
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.audit.review.rates import Review
from counterfoil.tasks.tells.measure import FamilyAudit

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u202e&amp;"
RECIPE = {
    "dataset": {"path": "data/sample", "seed": 7, "title": ""},
    "author": {"kind": "openai", "base_url": "https://user:secret@localhost/v1", "model": None},
    "geometry": {"source": "procedural:12", "families": ["image", "caption"], "negatives": 6},
}


def draw_triangle(names: str, length: str, apex: int = 150) -> bytes:
    """A black triangle with named corners and one length, 320 x 300."""
    picture = Pillow.new("RGB", (320, 300), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(18)
    corners = [(40, 240), (280, 240), (apex, 60)]
    pen.polygon(corners, outline="black", width=2)
    for name, (x, y), (dx, dy) in zip(names, corners, [(-22, 4), (8, 4), (-5, -28)], strict=True):
        pen.text((x + dx, y + dy), name, fill="black", font=font)
    pen.text((150, 248), length, fill="black", font=font)
    return to_png(picture)


def to_png(picture: Pillow.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def make_geometry(number: int, split: str = "train") -> tuple[Anchor, list[Contrast]]:
    """A triangle and six wrong pictures, each with its caption, and as texts alone; the last anchors have fewer."""
    length = str(5 + number % 9)
    caption = f"In \\triangle ABC, the base AB = {length} lies below C."
    anchor = Anchor(
        anchor_id=content_id("anchor", number),
        domain="geometry",
        source="sample",
        source_id=f"g{number}",
        split=split,
        image=Image(draw_triangle("ABC", length), f"g{number}.png"),
        caption=caption,
        code=f"plot([0, 6], [0, 0])\ntext(3, -1, '{length}')\nshow()\n",
        code_language="python",
        question=f"What is the area of the triangle with base {length}?",
        answer="12",
        facts=(Fact("length", ("A", "B"), length), Fact("shape", ("A", "B", "C"), "triangle")),
    )
    contrasts = []
    for rank in range(6 if number % 4 else 4):
        wrong = str(20 + rank)
        if rank % 2:
            edits = (Edit("label", "ABC", "DBC"),)
            text, picture = caption.replace("ABC", "DBC").replace("AB =", "DB ="), draw_triangle("DBC", length)
            code = anchor.code
        else:
            edits = (Edit("number", length, wrong),)
            text, picture = caption.replace(f"= {length}", f"= {wrong}"), draw_triangle("ABC", wrong)
            code = (anchor.code or "").replace(f"'{length}'", f"'{wrong}'")
        checks = ("caption claims hold on the drawing", "breaks the anchor's caption", "picture differs")
        shared = {"anchor_id": anchor.anchor_id, "role": "negative", "text": text, "edits": edits}
        contrasts.append(
            Contrast(
                **shared,
                family="geometry.image",
                modality="image",
                image=Image(picture, f"g{number}-{rank}.png"),
                code=code,
                similarity=0.9 - rank / 20,
            ).accept(rank, checks)
        )
        contrasts.append(Contrast(**shared, family="geometry.caption", modality="text").accept(rank, checks[1:2]))
    return anchor, contrasts


def make_flowchart(number: int) -> tuple[Anchor, list[Contrast]]:
    """Two boxes and an arrow as code; a hard positive and a negative text. Written by a model at a price."""
    code = f"flowchart TD\n  a[Start {number}] --> b[Check]\n"
    anchor = Anchor(
        anchor_id=content_id("chart", number),
        domain="flowchart",
        source="sample",
        source_id=f"f{number}",
        split="test",
        vector='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60"><rect width="80" height="50"/></svg>',
        caption=f"An arrow points from node Start {number} to node Check.",
        code=code,
        code_language="mermaid",
    )
    paid = Provenance(
        author="openai",
        model="model-x",
        prompt_id="flowchart.swap",
        request_sha256=content_id("request", number),
        input_tokens=100,
        output_tokens=40,
        cost_usd=0.001 if number % 2 else None,
        code_version="1.0",
    )
    swapped = f"An arrow points from node Check to node Start {number}."
    rows = [
        Contrast(anchor.anchor_id, "flowchart.code", "positive", "text", text=code, code=code, provenance=paid).accept(
            0, ("same graph",)
        ),
        Contrast(
            anchor.anchor_id,
            "flowchart.caption",
            "negative",
            "text",
            text=swapped,
            edits=(Edit("swap labels", f"Start {number}, Check", f"Check, Start {number}"),),
            provenance=paid,
        ).accept(0, ("false of the chart",)),
    ]
    return anchor, rows


def make_rejects(anchors: list[Anchor]) -> list[Reject]:
    """Refused contrasts, anchors with a shortfall, and a source row that was none."""
    rejects = [
        Reject(
            "geometry.image",
            ("not_visible: AB looks the same", "duplicate: the anchor already has this contrast"),
            anchor_id=anchors[0].anchor_id,
            source="sample",
            source_id="g0",
            contrast=Contrast(
                anchors[0].anchor_id,
                "geometry.image",
                "negative",
                "image",
                text="In \\triangle ABC, the base BA lies below C.",
                image=Image(draw_triangle("ABC", "9"), "r.png"),
                edits=(Edit("label", "AB", "BA"),),
            ),
        ),
        Reject("geometry.anchor", (f"bad_row: {HOSTILE}",), source="sample", source_id="x", source_row="{broken"),
    ]
    for anchor in anchors[::4]:
        reason = "shortfall: 2 of 6 missing after 3 duplicate, 1 not_visible"
        rejects.append(Reject("geometry.image", (reason,), anchor_id=anchor.anchor_id))
    return rejects


@dataclass
class SampleTables:
    """Rows in memory, read like a dataset."""

    anchor_rows: list[Anchor]
    contrast_rows: list[Contrast]
    reject_rows: list[Reject] = field(default_factory=list)
    name: str = "data/sample"
    review: Review | None = None
    making: Mapping[str, Any] = field(default_factory=lambda: {"sandbox_level": "L3", "recipe": RECIPE})

    def list_families(self) -> list[str]:
        return sorted({row.family for row in self.contrast_rows})

    def anchors(self) -> Iterator[Anchor]:
        return iter(self.anchor_rows)

    def get_anchors(self, anchor_ids: Sequence[str]) -> Mapping[str, Anchor]:
        return {row.anchor_id: row for row in self.anchor_rows if row.anchor_id in set(anchor_ids)}

    def contrasts(self, family: str, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        wanted = None if anchor_ids is None else set(anchor_ids)
        return (row for row in self.contrast_rows if row.family == family and (not wanted or row.anchor_id in wanted))

    def rejects(self) -> Iterator[Reject]:
        return iter(self.reject_rows)

    def read_review(self) -> Review | None:
        return self.review

    def read_audits(self) -> Sequence[FamilyAudit]:
        return ()

    def describe_making(self) -> Mapping[str, Any]:
        return self.making


def make_tables(geometry: int = 12, flowcharts: int = 6, hostile: bool = False) -> SampleTables:
    """A dataset of both domains; ``hostile`` adds an anchor whose every text is an attack on the page."""
    made = [make_geometry(n, "train" if n % 3 else "val") for n in range(geometry)]
    drawn = [anchor for anchor, _ in made]
    made += [make_flowchart(n) for n in range(flowcharts)]
    if hostile:
        made.append(make_hostile())
    rows = [row for _, rows in made for row in rows]
    return SampleTables([anchor for anchor, _ in made], rows, make_rejects(drawn) if drawn else [])


def make_hostile() -> tuple[Anchor, list[Contrast]]:
    anchor = Anchor(
        anchor_id=content_id("hostile"),
        domain="geometry",
        source=HOSTILE,
        source_id='"><script>',
        split='test"><b>',
        caption=f"A caption {HOSTILE}",
        captions=(HOSTILE,),
        code=HOSTILE,
        code_language=HOSTILE,
        question=HOSTILE,
        answer=HOSTILE,
        solution=HOSTILE,
        facts=(Fact(HOSTILE, (HOSTILE,), HOSTILE),),
        image=Image(b"not a picture", "x.png"),
    )
    row = Contrast(
        anchor.anchor_id,
        "geometry.caption",
        "negative",
        "text",
        text=f"A sentence {HOSTILE} javascript:alert(1)",
        edits=(Edit(HOSTILE, HOSTILE, HOSTILE),),
        vector=f"<svg xmlns='http://www.w3.org/2000/svg'>{HOSTILE}</svg>",
        provenance=Provenance(author=HOSTILE, model=HOSTILE, prompt_id=HOSTILE, request_sha256="f" * 64),
    ).accept(0, (HOSTILE,))
    return anchor, [row]


def store_tables(tables: SampleTables, folder: Path) -> Dataset:
    """The same rows as a real dataset of Delta tables."""
    dataset = Dataset(str(folder))
    replacements: dict[str, list[str]] = {}
    for table, column, rows in (
        ("anchors", "domain", tables.anchor_rows),
        ("contrasts", "family", tables.contrast_rows),
        ("rejects", "family", tables.reject_rows),
    ):
        for value in sorted({getattr(row, column) for row in rows}):
            key = f"{table}/{column}={value}"
            fingerprint = content_id(key) * 2
            chosen = [row for row in rows if getattr(row, column) == value]
            dataset.staged.write(fingerprint, {key: to_table(chosen, table)}, {})
            replacements[key] = [fingerprint]
    dataset.publish(replacements, metadata={**tables.making, "finished_at": "2026-01-01T00:00:00+00:00"})
    return dataset
