"""What the verifiers of the caption families have in common, from a row's stored bytes alone."""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO

import numpy as np
from PIL import Image as Pillow

from counterfoil.renderers.raster import encode_png
from counterfoil.storage.pictures import explain_unreadable
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.caption.scenes.graph import Scene, SceneError, read_scene, write_scene
from counterfoil.tasks.caption.scenes.language.alone import can_be
from counterfoil.tasks.caption.scenes.language.read import Reading, ReadingError, read_caption
from counterfoil.tasks.caption.scenes.layout import LayoutError
from counterfoil.tasks.caption.scenes.picture import draw_scene, paint, seed_drawing
from counterfoil.tasks.caption.scenes.sight.judge import Sight, judge
from counterfoil.tasks.caption.scenes.sight.regions import SIDE, SightError
from counterfoil.tasks.caption.scenes.slots import is_drawn
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.redrawing import check_drawn
from counterfoil.tasks.contract.verdict import CheckError, Checks

SCENE = "scene"
"""The code language of anchors that are scenes of our own."""
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def split_words(text: str) -> list[str]:
    """Words and signs of a caption, as they stand.

    >>> split_words("Two dogs' toys, on a t-shirt.")
    ['Two', 'dogs', "'", 'toys', ',', 'on', 'a', 't-shirt', '.']
    """
    return _TOKEN.findall(text)


def is_scene(anchor: Anchor) -> bool:
    return anchor.code_language == SCENE


def read_scene_code(code: str | None) -> Scene:
    """The scene that a row's code is.

    Raises:
        CheckError: it is none.
    """
    try:
        return read_scene(code or "")
    except SceneError as error:
        raise CheckError(f"scene_read: {error}") from error


def paint_png(vector: str, size: int) -> bytes:
    """The picture of a scene's SVG as PNG."""
    return write_png(paint(vector, size))


def write_png(pixels: np.ndarray) -> bytes:
    """Pixels (height, width, 3), uint8, as PNG."""
    opaque = np.full((*pixels.shape[:2], 4), 255, np.uint8)
    opaque[..., :3] = pixels
    return encode_png(opaque)


def look(checks: Checks, vector: str | None, image: bytes | None, size: int) -> Sight:
    """What is seen in a scene's picture, once the picture is found to be what its SVG paints.

    Raises:
        CheckError: picture and SVG differ, or a thing cannot be seen.
    """
    checks.require("picture_stored", bool(vector and image), "a scene needs image and vector")
    assert vector is not None and image is not None
    same = _painted.recall(lambda: paint_png(vector, size) == image, vector, image, size)
    checks.require("picture_painted", same, "the picture is not what its SVG paints")
    sight = open_sight(vector)
    checks.require("things_seen", True, "")
    return sight


def check_scene_drawn(checks: Checks, vector: str | None, code: str | None, source_id: str) -> None:
    """The SVG is what the scene draws: nothing more is in it, nothing less, and everything where it belongs.

    Raises:
        CheckError: it is another drawing, or the code is no scene as scenes are written.
    """
    scene = read_scene_code(code)
    check_written(checks, scene, code)
    check_drawn(checks, vector or "", draw_anew(scene, source_id))
    counts = [len(thing.copies) for thing in open_sight(vector or "").things]
    if counts != [thing.count for thing in scene.things]:  # a thing hides behind another alone, whatever its number
        raise CheckError("drawn_as_recorded: the scene has another number of a thing than is drawn")


def check_written(checks: Checks, scene: Scene, code: str | None) -> None:
    """The code is the scene as scenes are written, and says nothing of a thing that no drawing of it shows.

    Raises:
        CheckError: it is not.
    """
    checks.require("scene_read", write_scene(scene) == code, "it holds more than a scene, or is written otherwise")
    unseen = next((thing for thing in scene.things if not is_drawn(thing)), None)
    checks.require("scene_read", unseen is None, lambda: f"no {unseen and unseen.noun} is drawn so")


def draw_anew(scene: Scene, source_id: str) -> str:
    """The SVG of a scene of that source row.

    Raises:
        CheckError: it cannot be drawn.
    """
    try:
        return draw_scene(scene, seed_drawing(source_id))
    except (LayoutError, LookupError, ValueError) as error:
        raise CheckError(f"drawn_as_recorded: the scene cannot be drawn: {error}") from error


_painted = Memo[bool](4096)


@lru_cache(maxsize=128)
def open_sight(vector: str) -> Sight:
    """What is seen of an SVG. Remembered (a megabyte each): the contrasts of one anchor ask the same of its picture,
    and what is mined is another anchor's.

    Raises:
        CheckError: it cannot be looked at.
    """
    try:
        return Sight(vector, paint(vector, SIDE))
    except (SightError, ValueError) as error:
        raise CheckError(f"things_seen: {error}") from error


def read_text(text: str | None) -> Reading:
    """What a caption of a scene states.

    Raises:
        CheckError: it cannot be read.
    """
    try:
        return read_caption(text or "")
    except ReadingError as error:
        raise CheckError(f"caption_read: {error}") from error


def check_false_of_scene(checks: Checks, text: str | None, anchor: Anchor) -> None:
    """The caption is seen to be false of the anchor's picture; photographs are not asked."""
    if not is_scene(anchor):
        return
    finding = judge(read_text(text), open_sight(anchor.vector or ""))
    said = "true of the picture" if finding.holds else f"not to be told: {finding.claim}"
    checks.require("false_of_anchor", finding.holds is False, said)


def check_possible(checks: Checks, text: str | None, anchor: Anchor) -> None:
    """Some scene is as the caption says, where the anchor is one: no windmill is surprised."""
    if is_scene(anchor):
        checks.require("possible", can_be(read_text(text)), f"no scene is as {text!r} says")


def check_kept(checks: Checks, contrast: Contrast, *, has_scene: bool = False) -> None:
    """A text contrast is text alone and says so, but for the scene that it is drawn by where it has one."""
    alone = contrast.image is None and contrast.vector is None and (has_scene or contrast.code is None)
    checks.require("text_alone", alone, "a text negative has no picture, and no code")
    checks.require("has_text", bool(contrast.text and contrast.text.strip()), "there is no text")


def open_picture(data: bytes) -> np.ndarray:
    """A stored picture's pixels (height, width, 3), uint8.

    Raises:
        CheckError: the bytes are no picture.
    """
    try:
        with Pillow.open(BytesIO(data)) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError) as error:
        raise CheckError(f"picture_read: {explain_unreadable(error)}") from error
