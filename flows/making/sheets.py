"""Samples of a family: some anchors with their contrasts, and the contact sheet that shows them."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.engine.shards import StageJob

ROWS, COLUMNS = 4, 4
CELL, TEXT = 220, 84
"""Pixels: the side of a picture's square, and the height of the text below it. Prefect keeps each sheet three times."""
MARGIN, FONT = 8, 15
LETTERS, LINES = 27, 4
INK, FAINT, ANCHOR = "#1a1a1a", "#d0d0d0", "#eef4ff"


@dataclass(frozen=True)
class Sample:
    """A row as it is shown."""

    text: str
    picture: bytes | None = None


@dataclass(frozen=True)
class Samples:
    """Some anchors, each with some of its contrasts."""

    family: str
    rows: Sequence[tuple[Sample, Sequence[Sample]]]


def find_samples(staged: StagedShards, family: str, jobs: Sequence[StageJob]) -> Samples | None:
    """The first anchors that have contrasts of the family, from its finished shards; None where none has."""
    rows: list[tuple[Sample, list[Sample]]] = []
    for job in jobs:
        rows += _read_rows(staged, family, job)
        if len(rows) >= ROWS:
            break
    return Samples(family, rows[:ROWS]) if rows else None


def _read_rows(staged: StagedShards, family: str, job: StageJob) -> Iterator[tuple[Sample, list[Sample]]]:
    shard, upstream = staged.find(job.fingerprint), staged.find(job.upstream[0])
    if shard is None or upstream is None:
        return
    made: dict[str, list[Sample]] = {}
    columns = ["anchor_id", "rank", "text", "image"]
    for row in sorted(shard.read(f"contrasts/family={family}", columns).to_pylist(), key=lambda each: each["rank"]):
        if row["anchor_id"] in made or len(made) < ROWS:
            made.setdefault(row["anchor_id"], []).append(_take(row["text"], row["image"]))
    for row in upstream.read(f"anchors/domain={job.domain}", ["anchor_id", "caption", "image"]).to_pylist():
        if row["anchor_id"] in made:
            yield _take(row["caption"], row["image"]), made[row["anchor_id"]][: COLUMNS - 1]


def _take(text: str | None, image: dict[str, bytes] | None) -> Sample:
    return Sample(text or "", image["bytes"] if image else None)


def draw_sheet(samples: Samples) -> bytes | None:
    """The contact sheet as PNG; None where no contrast has a picture."""
    if not any(each.picture for _, contrasts in samples.rows for each in contrasts):
        return None
    columns = 1 + max(len(contrasts) for _, contrasts in samples.rows)
    width, height = columns * (CELL + MARGIN) + MARGIN, len(samples.rows) * (CELL + TEXT + MARGIN) + MARGIN
    sheet = Image.new("RGB", (width, height), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.truetype(_find_font(), FONT)
    for row, (anchor, contrasts) in enumerate(samples.rows):
        for column, sample in enumerate([anchor, *contrasts]):
            x, y = MARGIN + column * (CELL + MARGIN), MARGIN + row * (CELL + TEXT + MARGIN)
            box = (x, y, x + CELL, y + CELL + TEXT)
            pen.rectangle(box, fill=ANCHOR if column == 0 else "white", outline=FAINT)
            _place(sheet, sample.picture, x, y)
            title = "anchor" if column == 0 else samples.family
            lines = textwrap.wrap(sample.text, LETTERS, max_lines=LINES - 1, placeholder=" ...")
            pen.multiline_text((x + 6, y + CELL), "\n".join([title, *lines]), fill=INK, font=font, spacing=3)
    out = io.BytesIO()
    sheet.quantize(64, Image.Quantize.FASTOCTREE).save(out, "PNG")
    return out.getvalue()


def _place(sheet: Image.Image, data: bytes | None, x: int, y: int) -> None:
    """Put a picture into the middle of its square."""
    if data is None:
        return
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    picture.thumbnail((CELL - 8, CELL - 8))
    sheet.paste(picture, (x + (CELL - picture.width) // 2, y + (CELL - picture.height) // 2))


def _find_font() -> str:
    """The font of the figures, which has the signs of geometry; matplotlib has it, and takes long to import."""
    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None
    return str(Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf")
