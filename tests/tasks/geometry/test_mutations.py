"""Accepted rows, broken in every way we could think of: the verifiers catch each one.

A mutation is a function from the accepted rows of two anchors to a broken (row, anchor) or a broken anchor. Some break
the picture, some the text, some only what belongs to what.
"""

# ruff: noqa: ARG005
from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from PIL import Image as Pillow

from counterfoil.renderers.raster import encode_png
from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image
from counterfoil.tasks.audit.derived import find_misfits
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.geometry.domain import DOMAIN
from tests.tasks.geometry.figures import draw_anchor, midsegment, parallelogram


@dataclass(frozen=True)
class Rows:
    """An anchor with its accepted rows, and another anchor with its own."""

    anchor: Anchor
    captions: list[Contrast]
    images: list[Contrast]
    rules: list[Contrast]
    other: Anchor


@pytest.fixture(scope="module")
def rows(context) -> Rows:
    anchor = draw_anchor(midsegment(), context.renderer, "midsegment")
    made = [
        row
        for name in ("geometry.image", "geometry.rule")
        for row in make_contrasts(group_families(DOMAIN, [name])[0], anchor, context)
        if isinstance(row, Contrast)
    ]
    families = {
        name: [row for row in made if row.family == f"geometry.{name}"] for name in ("caption", "image", "rule")
    }
    other = draw_anchor(parallelogram(), context.renderer, "parallelogram")
    return Rows(anchor, families["caption"], families["image"], families["rule"], other)


def encode(pixels: np.ndarray) -> Image:
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "PNG")
    return Image(buffer.getvalue(), "broken.png")


def decode(image: Image | None) -> np.ndarray:
    assert image is not None
    return np.asarray(Pillow.open(io.BytesIO(image.bytes)).convert("L")).copy()


def recolour(image: Image | None) -> Image:
    """The picture with every grey in a colour that is as bright."""
    grey = decode(image).astype(int)
    red = np.clip(grey + 3, 0, 255)
    return Image(encode_png(np.dstack([red, grey, grey]).astype(np.uint8)), "broken.png")


def with_number(rows: Rows) -> Contrast:
    """An image whose edit is of the one length, BC = 9."""
    return next(row for row in rows.images if any(edit.kind == "number" for edit in row.edits))


def redraw(row: Contrast, code: str, context) -> Contrast:
    """The row with other code and the picture that it really draws."""
    rendering = context.renderer.render(code)
    assert rendering.png is not None, rendering
    return replace(row, code=code, image=Image(rendering.png, "redrawn.png") if row.image else None)


def swap_letters(text: str, first: str, second: str) -> str:
    return text.translate(str.maketrans(first + second, second + first))


def drop_block(code: str, name: str) -> str:
    """Leave out the loop that draws ``name`` (``names``, ``numbers``, ``segments``, ...)."""
    return re.sub(rf"\nfor [^\n]* in {name}(?:\.items\(\))?:\n(?:    [^\n]*\n)+", "\n", code)


IMAGE_MUTATIONS: dict[str, Callable[[Rows, object], Contrast]] = {
    "picture of another contrast": lambda r, c: replace(r.images[0], image=r.images[1].image),
    "picture of the anchor": lambda r, c: replace(r.images[0], image=r.anchor.image),
    "picture and code of the anchor": lambda r, c: replace(r.images[0], image=r.anchor.image, code=r.anchor.code),
    "picture and code of another contrast": lambda r, c: replace(
        r.images[0], image=r.images[1].image, code=r.images[1].code
    ),
    "code of another contrast": lambda r, c: replace(r.images[0], code=r.images[1].code),
    "no code": lambda r, c: replace(r.images[0], code=None),
    "no picture": lambda r, c: replace(r.images[0], image=None),
    "white picture": lambda r, c: replace(r.images[0], image=encode(np.full((512, 512), 255, np.uint8))),
    "no image bytes": lambda r, c: replace(r.images[0], image=Image(b"not a picture", "x.png")),
    "one line painted out": lambda r, c: replace(r.images[0], image=encode(paint(decode(r.images[0].image)))),
    "mirrored picture": lambda r, c: replace(r.images[0], image=encode(decode(r.images[0].image)[:, ::-1])),
    "equal grey in other colours": lambda r, c: replace(r.images[0], image=recolour(r.images[0].image)),
    "half-size picture": lambda r, c: replace(r.images[0], image=encode(decode(r.images[0].image)[::2, ::2])),
    "caption of the anchor": lambda r, c: replace(r.images[0], text=r.anchor.caption),
    "caption of another contrast": lambda r, c: replace(r.images[0], text=r.images[1].text),
    "anchor's caption in other words": lambda r, c: replace(r.images[0], text=r.anchor.captions[1]),
    "empty caption": lambda r, c: replace(r.images[0], text=""),
    "no caption": lambda r, c: replace(r.images[0], text=None),
    "caption that claims more": lambda r, c: replace(r.images[0], text=f"{r.images[0].text} AB = 77."),
    "caption with an unknown letter": lambda r, c: replace(r.images[0], text=f"{r.images[0].text} AZ = 5."),
    "caption nobody can check": lambda r, c: replace(r.images[0], text=f"{r.images[0].text} It is pretty."),
    "role positive": lambda r, c: replace(r.images[0], role="positive"),
    "modality text": lambda r, c: replace(r.images[0], modality="text"),
    "family of captions": lambda r, c: replace(r.images[0], family="geometry.caption"),
    "another anchor's id": lambda r, c: replace(r.images[0], anchor_id=r.other.anchor_id),
    "no edits": lambda r, c: replace(r.images[0], edits=()),
    "edit that did not happen": lambda r, c: replace(r.images[0], edits=(Edit("number", "AB = 1", "AB = 2"),)),
    "edit of an unknown kind": lambda r, c: replace(r.images[0], edits=(replace(r.images[0].edits[0], kind="mood"),)),
    "a point shifted": lambda r, c: redraw(r.images[0], shift_point(r.images[0].code or "", "M"), c),
    "labels left out": lambda r, c: redraw(r.images[0], drop_block(r.images[0].code or "", "names"), c),
    "one label left out": lambda r, c: redraw(
        r.images[0], re.sub(r'(names = \{\n)    "A": [^\n]*\n', r"\1", r.images[0].code or ""), c
    ),
    "numbers left out": lambda r, c: redraw(r.images[0], drop_block(r.images[0].code or "", "numbers"), c),
    "strokes left out": lambda r, c: redraw(r.images[0], drop_block(r.images[0].code or "", "segments"), c),
    "one stroke left out": lambda r, c: redraw(
        r.images[0], re.sub(r'segments = \[\("\w", "\w"\), ', "segments = [", r.images[0].code or ""), c
    ),
    "another number written": lambda r, c: redraw(
        r.images[0], re.sub(r'(numbers = \[\n    \("[^"]*", r?")[^"]*', r"\g<1>33", r.images[0].code or ""), c
    ),
    "two labels exchanged": lambda r, c: redraw(
        r.images[0], re.sub(r'"A": (.*)\n    "B": ', r'"B": \1\n    "A": ', r.images[0].code or ""), c
    ),
    "drawn in red": lambda r, c: redraw(r.images[0], (r.images[0].code or "").replace('"black"', '"red"'), c),
    "a title": lambda r, c: redraw(
        r.images[0], (r.images[0].code or "").replace("fig.savefig", 'ax.set_title("AB = 4", y=0.9)\nfig.savefig'), c
    ),
    "code that fails": lambda r, c: replace(r.images[0], code="raise ValueError"),
    "code that draws nothing": lambda r, c: replace(r.images[0], code="x = 1"),
}

TEXT_MUTATIONS: dict[str, Callable[[Rows, object], Contrast]] = {
    "anchor's caption": lambda r, c: replace(r.captions[0], text=r.anchor.caption),
    "anchor's caption in other words": lambda r, c: replace(r.captions[0], text=r.anchor.captions[1]),
    "a true weaker claim": lambda r, c: replace(
        r.captions[0], text=(r.anchor.caption or "").replace("the midpoint of", "a point on")
    ),
    "names reversed": lambda r, c: replace(r.captions[0], text=(r.anchor.caption or "").replace("BC", "CB")),
    "half of the caption": lambda r, c: replace(r.captions[0], text=(r.captions[0].text or "").split(". ")[0] + "."),
    "letters of another figure": lambda r, c: replace(
        r.captions[0], text=swap_letters(r.captions[0].text or "", "A", "Q")
    ),
    "parallel turned perpendicular": lambda r, c: replace(
        r.captions[0], text=re.sub(r"\\parallel|is parallel to", r"\\perp", r.anchor.caption or "")
    ),
    "a picture": lambda r, c: replace(r.captions[0], image=r.images[0].image),
    "code of the anchor": lambda r, c: replace(r.captions[0], code=r.anchor.code),
    "no code": lambda r, c: replace(r.captions[0], code=None),
    "role positive": lambda r, c: replace(r.captions[0], role="positive"),
    "edit that did not happen": lambda r, c: replace(r.captions[0], edits=(Edit("shape", "AB", "square"),)),
}

RULE_MUTATIONS: dict[str, Callable[[Rows, object], Contrast]] = {
    "anchor's caption": lambda r, c: replace(r.rules[0], text=r.anchor.caption),
    "anchor's caption in other words": lambda r, c: replace(r.rules[0], text=r.anchor.captions[2]),
    "five edits": lambda r, c: replace(r.rules[0], edits=r.rules[0].edits * 5),
    "code": lambda r, c: replace(r.rules[0], code="x = 1"),
    "a picture": lambda r, c: replace(r.rules[0], image=r.anchor.image),
    "edit of position": lambda r, c: replace(r.rules[0], edits=(replace(r.rules[0].edits[0], kind="position"),)),
    "unknown letter": lambda r, c: replace(r.rules[0], text=f"{r.rules[0].text} XY = 5."),
    "another anchor's id": lambda r, c: replace(r.rules[0], anchor_id=r.other.anchor_id),
}

ANCHOR_MUTATIONS: dict[str, Callable[[Rows, object], Anchor]] = {
    "picture of a negative": lambda r, c: replace(r.anchor, image=r.images[0].image),
    "code of a negative": lambda r, c: replace(r.anchor, code=r.images[0].code),
    "picture and code of a negative": lambda r, c: replace(r.anchor, image=r.images[0].image, code=r.images[0].code),
    "caption of a negative": lambda r, c: replace(r.anchor, caption=r.images[0].text),
    "one of its captions false": lambda r, c: replace(r.anchor, captions=(*r.anchor.captions, r.rules[0].text or "")),
    "one of its captions shorter": lambda r, c: replace(r.anchor, captions=(*r.anchor.captions, "BC = 9.")),
    "no caption": lambda r, c: replace(r.anchor, caption=None, captions=()),
    "no picture": lambda r, c: replace(r.anchor, image=None),
    "a fact that is not so": lambda r, c: add_fact(r.anchor, Fact("equilateral", ("A", "B", "C"))),
    "a stroke that is not there": lambda r, c: add_fact(r.anchor, Fact("segment", ("B", "N"))),
    "a point that is not there": lambda r, c: add_fact(r.anchor, Fact("point", ("Z",), "1 1")),
    "a length invented": lambda r, c: add_fact(r.anchor, Fact("mark_length", ("A", "M"), "x")),
    "a right angle's square invented": lambda r, c: add_fact(r.anchor, Fact("mark_right", ("A", "B", "C"))),
    "ticks invented": lambda r, c: add_fact(r.anchor, Fact("mark_ticks", ("A", "B"), "1")),
    "an angle invented": lambda r, c: add_fact(r.anchor, Fact("mark_angle", ("A", "C", "B"), "x")),
    "a stroke stated twice": lambda r, c: add_fact(r.anchor, Fact("segment", ("M", "B"))),
    "a mark forgotten": lambda r, c: replace(r.anchor, facts=tuple(f for f in r.anchor.facts if f.value != "9")),
    "a stroke more": lambda r, c: draw_more(r.anchor, "ax.plot([5.5, 0], [3, 0], 'k', lw=1.5)", c),
    "a stub": lambda r, c: draw_more(r.anchor, "ax.plot([9, 9.3], [0, 0.4], 'k', lw=1.5)", c),
    "a side drawn too long": lambda r, c: draw_more(r.anchor, "ax.plot([0, -0.3], [0, -0.9], 'k', lw=1.5)", c),
    "a circle more": lambda r, c: draw_more(r.anchor, "ax.add_patch(plt.Circle((4, 1.5), 0.8, fill=False))", c),
    "a tick more": lambda r, c: draw_more(r.anchor, "ax.plot([4.5, 4.5], [-0.15, 0.15], 'k', lw=1.1)", c),
    "an arc outside the angle": lambda r, c: draw_more(
        r.anchor, "ax.add_patch(Arc((0, 0), 1, 1, theta1=75, theta2=130, lw=1.1))", c
    ),
    "a stray number": lambda r, c: draw_more(r.anchor, "ax.text(4.5, 7, '12', fontsize=13.5, family='serif')", c),
    "a dot at nothing": lambda r, c: draw_more(r.anchor, "ax.plot([7], [6], 'ko', ms=4)", c),
    "facts nobody can read": lambda r, c: add_fact(r.anchor, Fact("pretty", ("A",))),
}


def add_fact(anchor: Anchor, fact: Fact) -> Anchor:
    return replace(anchor, facts=(*anchor.facts, fact))


def draw_more(anchor: Anchor, line: str, context) -> Anchor:
    """The anchor with a script that draws one thing more, and the picture that it really draws."""
    code = (anchor.code or "").replace("fig.savefig", f"{line}\nfig.savefig")
    rendering = context.renderer.render(code)
    assert rendering.png is not None, rendering
    return replace(anchor, code=code, image=Image(rendering.png, "redrawn.png"))


def paint(pixels: np.ndarray) -> np.ndarray:
    """White out a band through the middle."""
    pixels[200:320, 200:300] = 255
    return pixels


def shift_point(code: str, name: str) -> str:
    """Move one point of the script, and only it, by a fifth of the figure."""
    match = re.search(rf'points = \{{.*?"{name}": \(([-\d.]+), ([-\d.]+)\)', code, re.DOTALL)
    assert match is not None
    moved = f"({float(match[1]) + 1.8}, {float(match[2]) + 0.9})"
    return code[: match.start(1) - 1] + moved + code[match.end(2) + 1 :]


def judge(row: Contrast, anchor: Anchor, context) -> Verdict:
    family = DOMAIN.families[row.family]
    verdict = family.verify(row, anchor, context)
    return replace(verdict, reasons=(*find_misfits(row, family, anchor), *verdict.reasons))


def test_rows_are_accepted_before_they_are_broken(rows, context) -> None:
    assert len(rows.captions) == len(rows.images) == len(rows.rules) == 10
    for row in (*rows.captions, *rows.images, *rows.rules):
        assert judge(row, rows.anchor, context).passed
    assert DOMAIN.verify_anchor(rows.anchor, context).passed


CONTRAST_MUTATIONS = {
    f"{family}: {name}": mutate
    for family, table in (("image", IMAGE_MUTATIONS), ("caption", TEXT_MUTATIONS), ("rule", RULE_MUTATIONS))
    for name, mutate in table.items()
}


@pytest.mark.parametrize("name", CONTRAST_MUTATIONS)
def test_broken_contrast_is_caught(name, rows, context) -> None:
    broken = CONTRAST_MUTATIONS[name](rows, context)
    assert broken not in (*rows.captions, *rows.images, *rows.rules)
    verdict = judge(broken, rows.anchor, context)
    assert not verdict.passed
    assert all(": " in reason for reason in verdict.reasons)


@pytest.mark.parametrize("name", ANCHOR_MUTATIONS)
def test_broken_anchor_is_caught(name, rows, context) -> None:
    broken = ANCHOR_MUTATIONS[name](rows, context)
    assert broken != rows.anchor
    assert not DOMAIN.verify_anchor(broken, context).passed


@pytest.mark.parametrize("family", ["captions", "images", "rules"])
def test_row_of_one_anchor_is_no_row_of_another(family, rows, context) -> None:
    row = replace(getattr(rows, family)[0], anchor_id=rows.other.anchor_id)
    assert not judge(row, rows.other, context).passed


def test_every_swap_of_pictures_is_caught(rows, context) -> None:
    swaps = [(first, other) for first in rows.images for other in rows.images if first.image.bytes != other.image.bytes]
    assert swaps
    for first, other in swaps:
        assert not judge(replace(first, image=other.image), rows.anchor, context).passed
