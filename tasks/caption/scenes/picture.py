"""A scene as SVG, and its pixels.

The SVG says of each group which thing it draws (``data-thing``, ``data-copy``, ``data-noun``), so that a checker can
tell whose pixels it sees; of looks it says nothing but its paint.
"""

from __future__ import annotations

import hashlib

import novasvg
import numpy as np

from counterfoil.tasks.caption.scenes.graph import Scene
from counterfoil.tasks.caption.scenes.layout import Placement, lay_out
from counterfoil.tasks.caption.scenes.stage import SIDE, paint_backdrop
from counterfoil.tasks.caption.scenes.thing import draw_thing, measure_thing


def seed_drawing(source_id: str) -> np.random.SeedSequence:
    """What decides how a scene is drawn: for one scene always the same, so that an edited one keeps its looks."""
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:16], "big"))


def draw_scene(scene: Scene, seed: np.random.SeedSequence) -> str:
    """The picture of ``scene`` as SVG. Equal seeds and scenes give equal pictures, and where only one thing differs,
    the rest keeps its looks: each thing, the backdrop and the layout have randomness of their own.

    Raises:
        LayoutError: the scene cannot be laid out.
    """
    layout_seed, stage_seed, *thing_seeds = seed.spawn(2 + len(scene.things))
    placements = lay_out(scene, np.random.default_rng(layout_seed))
    stage = paint_backdrop(scene, np.random.default_rng(stage_seed))
    defs: list[str] = [stage.defs]
    groups: list[tuple[tuple[int, ...], str]] = []
    for placement in placements:
        thing = scene.things[placement.thing]
        holding = any(r.name == "holding" and r.subject == placement.thing for r in scene.relations)
        rng = np.random.default_rng([*thing_seeds[placement.thing].generate_state(2), placement.copy])
        name = f"t{placement.thing}c{placement.copy}"
        drawing = draw_thing(thing, holding, placement.scale, name, rng)
        defs.append(drawing.defs)
        groups.append(((*placement.layer, 0), _group(placement, thing.noun, drawing.back)))
        if drawing.front:
            groups.append(((*placement.layer, 4), _group(placement, thing.noun, drawing.front)))
    shadows = "".join(_shadow(p, scene) for p in placements if _stands(p, scene))
    painted = "".join(svg for _, svg in sorted(groups, key=lambda pair: pair[0]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}">'
        f"<defs>{''.join(defs)}</defs><g>{stage.behind}{shadows}</g>{painted}<g>{stage.before}</g></svg>"
    )


def paint(svg: str, side: int = SIDE) -> np.ndarray:
    """The pixels of ``svg`` (side, side, 3), uint8, over white.

    Raises:
        ValueError: it cannot be painted (what is wrong).
    """
    try:
        document = novasvg.Document.load_from_data(svg)
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"novasvg: {error}") from error
    # Premultiplied BGRA over opaque white: the colour channels are final. One by one they are turned ten times as fast.
    painted = document.render_to_bitmap(side, side, 0xFFFFFFFF).numpy()
    pixels = np.empty((side, side, 3), np.uint8)
    for channel in range(3):
        pixels[..., channel] = painted[..., 2 - channel]
    return pixels


def _group(placement: Placement, noun: str, body: str) -> str:
    sx = -placement.scale if placement.flip else placement.scale
    return (
        f'<g data-thing="{placement.thing}" data-copy="{placement.copy}" data-noun="{noun}" '
        f'transform="translate({placement.x:.2f} {placement.y:.2f}) scale({sx:.4f} {placement.scale:.4f})" '
        f'stroke-linejoin="round">{body}</g>'
    )


def _stands(placement: Placement, scene: Scene) -> bool:
    """Whether it throws a shadow on the ground: it is not in the air, in the water, or borne by another."""
    borne = any(
        (r.subject == placement.thing and r.name in ("on", "in", "above"))
        or (r.object == placement.thing and r.name == "holding")
        for r in scene.relations
    )
    return not borne and placement.y > 230 and scene.place != "lake" and scene.things[placement.thing].noun != "rug"


def _shadow(placement: Placement, scene: Scene) -> str:
    thing = scene.things[placement.thing]
    box = measure_thing(thing.noun, thing.posture, None)
    rx = box.width * placement.scale * 0.44
    cx = placement.x + (box.x0 + box.x1) / 2 * placement.scale * (-1 if placement.flip else 1)
    return (
        f'<ellipse cx="{cx:.1f}" cy="{placement.y:.1f}" rx="{rx:.1f}" ry="{min(7.0, rx * 0.16):.1f}" '
        'fill="#2b2a33" opacity="0.2"/>'
    )
