"""Draw the README's picture: an anchor, a negative picture of it, and the sentence that fails, from a dataset.

`python -m benchmarks.draw_pair data/demo 6239bd docs/pair.png`
"""

from __future__ import annotations

import io
import re
import sys
import textwrap
from pathlib import Path

import matplotlib
from PIL import Image, ImageDraw, ImageFont

import counterfoil

SIDE, MARGIN, TEXT, LINE, LETTERS = 420, 24, 184, 27, 40
INK, FAILS, HOLDS = "#1a1a1a", "#b3261e", "#1b6e3c"
SIGNS = {r"\triangle ": "△", r"\odot ": "⊙", r"\angle ": "∠", r"^\circ": "°", r"\perp": "⊥", r"\parallel": "∥"}


def draw_pair(dataset: str, anchor_id: str, to: Path, family: str = "geometry.image") -> None:
    """Write the picture of an anchor and of its first negative of ``family``."""
    opened = counterfoil.open(dataset)
    anchor = opened.find(anchor_id)
    rows = opened.contrasts.select(family=family).rows()
    negative = min((each for each in rows if each.anchor_id == anchor.anchor_id), key=lambda each: each.rank)
    sheet = Image.new("RGB", (2 * SIDE + 3 * MARGIN, SIDE + TEXT), "white")
    pen = ImageDraw.Draw(sheet)
    fonts = {name: ImageFont.truetype(str(find_font(name)), 19) for name in ("DejaVuSans", "DejaVuSans-Bold")}
    titles = ("anchor", "negative: the anchor's caption is false of this picture")
    for column, (image, title) in enumerate(zip((anchor.image, negative.image), titles, strict=True)):
        x = MARGIN + column * (SIDE + MARGIN)
        picture = Image.open(io.BytesIO(image.bytes)).convert("RGB").resize((SIDE, SIDE))
        sheet.paste(picture, (x, 0))
        pen.rectangle((x, 0, x + SIDE, SIDE), outline="#d0d0d0")
        y = SIDE + 12
        for line in textwrap.wrap(title, LETTERS):
            pen.text((x, y), line, INK, fonts["DejaVuSans-Bold"])
            y += LINE
        for sentence in split_sentences(anchor.caption):
            fails = column == 1 and sentence not in split_sentences(negative.text)
            mark = "✗ " if fails else "✓ "
            for line in textwrap.wrap(mark + sentence, LETTERS):
                pen.text((x, y), line, FAILS if fails else HOLDS, fonts["DejaVuSans-Bold" if fails else "DejaVuSans"])
                y += LINE
    sheet.quantize(64).save(to, optimize=True)


def split_sentences(caption: str) -> list[str]:
    """The sentences of a caption, with signs for its LaTeX."""
    for latex, sign in SIGNS.items():
        caption = caption.replace(latex, sign)
    return re.split(r"(?<=\.) (?=[A-Z△⊙∠])", caption)


def find_font(name: str) -> Path:
    """A font of matplotlib's: it has the signs of geometry."""
    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"


if __name__ == "__main__":
    draw_pair(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
