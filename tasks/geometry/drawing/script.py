"""A scene as a self-contained matplotlib script: the anchor's ``code``, and the only road to its picture."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.tasks.geometry.drawing.axes import GRID_INK, GRID_WIDTH
from counterfoil.tasks.geometry.drawing.board import AngleArc, Stroke
from counterfoil.tasks.geometry.drawing.crowding import MATH_FONTS
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.preview import Layout, PlacedText
from counterfoil.tasks.geometry.drawing.style import PLAIN, Style
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene, count_digits

_HEAD = """\
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
"""

_FRAME = """\
fig, ax = plt.subplots(figsize=({wide}, {tall}), dpi=100)
fig.subplots_adjust(left=0, right=1, bottom=0, top=1)
ax.set_xlim({x0}, {x1})
ax.set_ylim({y0}, {y1})
ax.set_aspect("equal")
ax.axis("off")
ax.set_autoscale_on(False)
"""

_SEGMENTS = """
for p, q in segments:
    (x0, y0), (x1, y1) = points[p], points[q]
    ax.plot([x0, x1], [y0, y1], color="{ink}", linewidth={line:g}, solid_capstyle="round", gid=f"segment {{p}} {{q}}")
"""

_GRID = """
for xs, ys in grid:
    ax.plot(xs, ys, color="{ink}", linewidth={width:g}, zorder=0, gid="grid")
"""

_CIRCLES = """
for name, (x, y, r) in circles.items():
    ax.add_patch(Circle((x, y), r, fill=False, edgecolor="{ink}", linewidth={line:g}, gid=f"circle {{name}}"))
"""

_DOTS = """
for name in dots:
    x, y = points[name]
    ax.plot([x], [y], "o", color="{ink}", markersize={dot:g}, gid=f"dot {{name}}")
"""

_STROKES = """
for gid, xs, ys in {name}:
    ax.plot(xs, ys, color="{ink}", linewidth={width:g}, gid=gid)
"""

_ARCS = """
for gid, x, y, r, start, end in {name}:
    ax.add_patch(Arc((x, y), 2 * r, 2 * r, theta1=start, theta2=end, edgecolor="{ink}", linewidth={width:g}, gid=gid))
"""

_NAMES = """
for name, (x, y) in names.items():
    gid = f"label {{name}}"
    ax.text(x, y, name, fontsize={name_size:g}, {look}, ha="center", va="center", gid=gid)
"""

_NUMBERS = """
for gid, text, x, y in numbers:
    ax.text(x, y, text, fontsize={number_size:g}, {look}, ha="center", va="center", gid=gid)
"""

_PAPER = """fig.set_facecolor("{paper}")
"""

_FILL = """
ax.fill([points[name][0] for name in region], [points[name][1] for name in region], facecolor="{fill}", zorder=0)
"""

_SWAY = """
for artist in (*ax.lines, *ax.patches):
    if (artist.get_gid() or "").startswith(("segment ", "circle ")):
        artist.set_sketch_params({sway:g}, 110, 3)
"""

_MATH = """
plt.rcParams["mathtext.fontset"] = "{fontset}"
"""

_TAIL = """
fig.savefig("question.png")
"""


def write_script(scene: Scene, style: Style = PLAIN, markings: bool = True) -> str:
    """The script that draws ``scene`` as ``question.png``, 512 x 512 pixels, black on white.

    The same scene gives the same text on every machine.
    """
    return write_layout(lay_out(scene, style, markings))


def write_layout(layout: Layout) -> str:
    """The script that draws a layout."""
    digits, style = count_digits(layout.scene.extent), layout.style
    numbers = [text for text in layout.texts if not text.gid.startswith("label ")]
    names = [text for text in layout.texts if text.gid.startswith("label ")]
    strokes = {
        "strokes": ([stroke for stroke in layout.strokes if not stroke.thin], style.mark),
        "thin_strokes": ([stroke for stroke in layout.strokes if stroke.thin], style.aid),
    }
    arcs = {
        "arcs": ([arc for arc in layout.arcs if not arc.thin], style.mark),
        "thin_arcs": ([arc for arc in layout.arcs if arc.thin], style.aid),
    }
    patches = [name for name, used in (("Arc", layout.arcs), ("Circle", layout.scene.circles)) if used]
    blocks = [_HEAD]
    if patches:
        blocks.append(f"from matplotlib.patches import {', '.join(patches)}\n")
    data = [write_data(layout.scene)]
    for name, (listed, _) in strokes.items():
        data += _write_strokes(name, listed, digits)
    for name, (rounds, _) in arcs.items():
        data += _write_arcs(name, rounds, digits)
    data += _write_strokes("curves", layout.curves, digits)
    if layout.grid:
        ruled = ([[_number(end[axis], digits) for end in ends] for axis in (0, 1)] for ends in layout.grid)
        data += ["grid = [", *(f"    ([{', '.join(xs)}], [{', '.join(ys)}])," for xs, ys in ruled), "]"]
    data += _write_texts(layout, names, numbers, digits)
    blocks.append("\n" + "\n".join(data) + "\n")
    if any("$" in text.text for text in numbers):
        blocks.append(_MATH.format(fontset=MATH_FONTS[style.font]))
    blocks.append("\n" + _write_frame(layout, digits))
    region = find_region(layout.scene) if style.fill else ()
    if region:
        blocks.append(_FILL.format(fill=style.fill).replace("region", repr(list(region)).replace("'", '"')))
    parts: list[tuple[object, str]] = [
        (layout.grid, _GRID.format(width=GRID_WIDTH, ink=GRID_INK)),
        (layout.curves, _STROKES.format(name="curves", width=style.line, ink=style.ink)),
        (layout.scene.segments, _SEGMENTS.format(line=style.line, ink=style.ink)),
        (layout.scene.circles, _CIRCLES.format(line=style.line, ink=style.ink)),
        *(
            (listed, _STROKES.format(name=name, width=width, ink=style.ink))
            for name, (listed, width) in strokes.items()
        ),
        *((rounds, _ARCS.format(name=name, width=width, ink=style.ink)) for name, (rounds, width) in arcs.items()),
        (layout.dots, _DOTS.format(dot=style.dot, ink=style.ink)),
        (names, _NAMES.format(name_size=style.name_size, look=_write_look(style, style.slanted_names))),
        (numbers, _NUMBERS.format(number_size=style.number_size, look=_write_look(style, False))),
    ]
    blocks += [text for used, text in parts if used]
    if style.sway:
        blocks.append(_SWAY.format(sway=style.sway))
    return "".join(blocks) + _TAIL


def _write_frame(layout: Layout, digits: int) -> str:
    x0, y0, wide, tall = layout.page.window
    ends = [_number(value, digits) for value in (x0, x0 + wide, y0, y0 + tall)]
    width, height = (pixels / 100 for pixels in layout.page.canvas)
    frame = _FRAME.format(wide=width, tall=height, x0=ends[0], x1=ends[1], y0=ends[2], y1=ends[3])
    paper = layout.style.paper
    return frame if paper == "white" else frame + _PAPER.format(paper=paper)


def _write_look(style: Style, slanted: bool) -> str:
    look = f'family="{style.font}"' + (', style="italic"' if slanted else "")
    return look if style.letters == "black" else f'{look}, color="{style.letters}"'


def find_region(scene: Scene) -> tuple[str, ...]:
    """The corners of the first region that the scene states, which a style may fill; empty where it states none."""
    return next((fact.arguments for fact in scene.facts if fact.predicate in (*SHAPES, "triangle")), ())


def write_data(scene: Scene) -> str:
    """The literal coordinates at the top of a scene's script: its points, segments and circles, and no others."""
    digits = count_digits(scene.extent)
    lines = ["points = {", *(f'    "{name}": {_pair(p, digits)},' for name, p in scene.points.items()), "}"]
    if scene.segments:
        lines.append(f"segments = [{', '.join(f'({_quote(p)}, {_quote(q)})' for p, q in scene.segments)}]")
    if scene.circles:
        lines += ["circles = {"]
        for name, c in scene.circles.items():
            lines.append(f'    "{name}": ({_number(c[0], digits)}, {_number(c[1], digits)}, {_number(c[2], digits)}),')
        lines += ["}"]
    return "\n".join(lines)


def _write_strokes(name: str, strokes: Sequence[Stroke], digits: int) -> list[str]:
    if not strokes:
        return []
    lines = [f"{name} = ["]
    for stroke in strokes:
        xs, ys = ([_number(p[axis], digits) for p in stroke.points] for axis in (0, 1))
        lines.append(f"    ({_quote(stroke.gid)}, [{', '.join(xs)}], [{', '.join(ys)}]),")
    return [*lines, "]"]


def _write_arcs(name: str, arcs: Sequence[AngleArc], digits: int) -> list[str]:
    if not arcs:
        return []
    lines = [f"{name} = ["]
    for arc in arcs:
        place = f"{_number(arc.centre[0], digits)}, {_number(arc.centre[1], digits)}, {_number(arc.radius, digits)}"
        lines.append(f"    ({_quote(arc.gid)}, {place}, {arc.start:.2f}, {arc.end:.2f}),")
    return [*lines, "]"]


def _write_texts(layout: Layout, names: Sequence[PlacedText], numbers: Sequence[PlacedText], digits: int) -> list[str]:
    lines: list[str] = []
    if layout.dots:
        lines.append(f"dots = [{', '.join(map(_quote, layout.dots))}]")
    if names:
        lines += ["names = {", *(f"    {_quote(t.text)}: {_pair(t.position, digits)}," for t in names), "}"]
    if numbers:
        lines += ["numbers = ["]
        for text in numbers:
            x, y = (_number(value, digits) for value in text.position)
            lines.append(f"    ({_quote(text.gid)}, {_quote(text.text)}, {x}, {y}),")
        lines += ["]"]
    return lines


def _quote(text: str) -> str:
    prefix = "r" if "\\" in text else ""
    return f'{prefix}"{text}"'


def _pair(p: Point, digits: int) -> str:
    return f"({_number(p[0], digits)}, {_number(p[1], digits)})"


def _number(value: float, digits: int) -> str:
    return repr(round(float(value), digits) + 0.0)
