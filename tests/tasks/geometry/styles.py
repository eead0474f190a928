"""One figure in the styles of many authors, each of which a viewer reads alike.

Every script draws the right triangle ABC with D on BC, the line AD, AB = 8, and often AC = 6 and the square at A.
``START`` and ``END`` open and save a figure; a style says what lies between, or all of it.
"""

from __future__ import annotations

START = """
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import collections, lines, patches, patheffects
A, B, C, D = map(np.array, [(0, 0), (8, 0), (0, 6), (4, 3)])
def side(p, q, *look, **more):
    return plt.plot([p[0], q[0]], [p[1], q[1]], *look, **more)[0]
NAMES = {"A": (-.45, -.45), "B": (8.45, -.4), "C": (-.45, 6.35), "D": (4.5, 3.45)}
def name(**look):
    for text, (x, y) in NAMES.items():
        plt.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": 14, **look})
def number(text="8", x=4, y=-.45, **look):
    plt.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": 12, **look})
def sides(*look, **more):
    for p, q in ((A, B), (B, C), (C, A), (A, D)):
        side(p, q, *look, **more)
"""
OPEN = """
fig, ax = plt.subplots(figsize=(5, 5))
ax.set_aspect("equal")
"""
FRAME = """
ax.set_xlim(-1.5, 9.5); ax.set_ylim(-1.5, 7.5)
"""
OFF = 'ax.axis("off")\n'
END = 'plt.savefig("question.png")\n'
PLAIN = 'sides("k")\nname()\nnumber()\nnumber("6", -.4, 3)\n'


def wrap(body: str, *, before: str = "", axis: str = OFF, end: str = END) -> str:
    """A whole script: settings before the figure, what is drawn, what becomes of the axes, how it is saved."""
    return START + before + OPEN + body + FRAME + axis + end


def use(sheet: str, body: str = PLAIN, axis: str = OFF) -> str:
    """A script under one of matplotlib's style sheets."""
    return wrap(body, before=f'plt.style.use("{sheet}")\n', axis=axis)


COLOURED = 'sides()\nname()\nnumber()\nnumber("6", -.4, 3)\n'
SQUARE = "s = .5\n"

STYLES: dict[str, str] = {
    "plain": wrap(PLAIN),
    "spines hidden one by one": wrap(
        PLAIN, axis="for s in ax.spines.values():\n    s.set_visible(False)\nax.set_xticks([]); ax.set_yticks([])\n"
    ),
    "spines without colour": wrap(PLAIN, axis='ax.spines[:].set_color("none")\nax.set(xticks=[], yticks=[])\n'),
    "no frame, no ticks": wrap(PLAIN, axis="ax.set_frame_on(False)\nax.set_xticks([]); ax.set_yticks([])\n"),
    "box off, ticks off": wrap(
        PLAIN, axis="plt.box(False)\nplt.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)\n"
    ),
    "axes invisible": wrap(
        PLAIN, axis="ax.get_xaxis().set_visible(False); ax.get_yaxis().set_visible(False); ax.set_frame_on(False)\n"
    ),
    "title": wrap(PLAIN + 'plt.title("Right triangle ABC")\n'),
    "title of the figure": wrap(PLAIN + 'fig.suptitle("Problem 12", fontweight="bold")\n'),
    "caption below": wrap(PLAIN + 'fig.text(.5, .04, "Find the length of BC.", ha="center")\n'),
    "blue lines, red letters": wrap('sides("b-", lw=2)\nname(color="red")\nnumber(color="darkred")\n'),
    "every side its colour": wrap(
        'for c, (p, q) in zip(["C0", "C1", "C2", "C3"], ((A, B), (B, C), (C, A), (A, D))):\n'
        "    side(p, q, color=c, lw=2)\nname()\nnumber()\n"
    ),
    "default colours": wrap(COLOURED),
    "dark background": use("dark_background", 'sides("w")\nname()\nnumber()\n'),
    "black page by hand": wrap(
        'fig.patch.set_facecolor("black")\nsides(color="white")\nname(color="yellow")\nnumber(color="cyan")\n'
    ),
    "tinted page": wrap('fig.patch.set_facecolor("#fdf6e3")\n' + PLAIN),
    "tinted axes": wrap(
        PLAIN,
        axis='ax.set_facecolor("#eef3fb")\nax.set(xticks=[], yticks=[])\nax.spines[:].set_visible(False)\n',
    ),
    "seaborn": use("seaborn-v0_8", COLOURED),
    "seaborn white": use(
        "seaborn-v0_8-white", PLAIN, "ax.set(xticks=[], yticks=[])\nax.spines[:].set_visible(False)\n"
    ),
    "seaborn dark, no ticks": use("seaborn-v0_8-dark", COLOURED, "ax.set(xticks=[], yticks=[])\n"),
    "ggplot": use("ggplot", COLOURED),
    "five thirty eight": use("fivethirtyeight", COLOURED),
    "bayesian methods": use("bmh", COLOURED),
    "grayscale": use("grayscale", PLAIN),
    "classic": use("classic", PLAIN),
    "hand-drawn": wrap(PLAIN, before='plt.rcParams["path.sketch"] = (1, 100, 2)\n'),
    "comic": START + "with plt.xkcd():\n    fig, ax = plt.subplots(figsize=(5, 5)); ax.set_aspect('equal')\n"
    '    sides("k"); name(); number()\n    ax.set_xlim(-1.5, 9.5); ax.set_ylim(-1.5, 7.5); ax.axis("off")\n'
    '    plt.savefig("question.png")\n',
    "square of two strokes": wrap(
        PLAIN + SQUARE + 'side((s, 0), (s, s), "k", lw=1)\nside((0, s), (s, s), "k", lw=1)\n'
    ),
    "square as a polyline": wrap(PLAIN + SQUARE + 'plt.plot([s, s, 0], [0, s, s], "k", lw=1)\n'),
    "square as a patch": wrap(PLAIN + SQUARE + "ax.add_patch(patches.Rectangle((0, 0), s, s, fill=False))\n"),
    "white square": wrap(PLAIN + SQUARE + 'ax.add_patch(patches.Rectangle((0, 0), s, s, fc="w", ec="k", zorder=3))\n'),
    "square in grey": wrap(
        PLAIN + SQUARE + 'ax.add_patch(patches.Rectangle((0, 0), s, s, fc="0.8", ec="k", zorder=0))\n'
    ),
    "number touching its line": wrap('sides("k")\nname()\nnumber(y=-.27)\n'),
    "number on its line, on white": wrap(
        'sides("k")\nname()\nnumber(y=0, bbox=dict(fc="white", ec="none", pad=1.5))\n'
    ),
    "number with a halo on its line": wrap(
        'sides("k")\nname()\nnumber(y=.05, path_effects=[patheffects.withStroke(linewidth=5, foreground="w")])\n'
    ),
    "letters touching lines": wrap(
        'sides("k")\nfor t, p, o in (("A", A, (-4, -13)), ("B", B, (5, -4)), ("C", C, (-12, 3)), ("D", D, (4, 2))):\n'
        '    ax.annotate(t, p, textcoords="offset points", xytext=o, fontsize=13)\nnumber()\n'
    ),
    "boxed number": wrap(
        'sides("k")\nname()\nnumber(y=-.6, bbox=dict(boxstyle="round", fc="wheat", ec="k", pad=.2))\n'
    ),
    "dots at points": wrap('sides("k")\nplt.plot(*zip(A, B, C, D), "ko", ms=5)\nname()\nnumber()\n'),
    "coloured dots": wrap(
        'sides("gray")\nplt.scatter(*zip(A, B, C, D), c="crimson", s=40, zorder=5)\nname(color="navy")\nnumber()\n'
    ),
    "open dots": wrap('sides("k")\nplt.plot(*zip(A, B, C, D), "o", mfc="w", mec="k", ms=7)\nname()\nnumber()\n'),
    "shaded": wrap('plt.fill(*zip(A, B, C), color="skyblue", alpha=.4)\n' + PLAIN),
    "filled below the lines": wrap(
        'ax.add_patch(patches.Polygon([A, B, C], fc="lightyellow", ec="black"))\nside(A, D, "k")\nname()\nnumber()\n'
    ),
    "thick": wrap('sides("k", lw=4)\nname(fontsize=18)\nnumber(y=-.6, fontsize=16)\n'),
    "thin": wrap('sides("k", lw=.7)\nname(fontsize=11)\nnumber(fontsize=9)\n'),
    "dashed cevian": wrap(
        'for p, q in ((A, B), (B, C), (C, A)):\n    side(p, q, "k")\nside(A, D, "k--", lw=1)\nname()\nnumber()\n'
    ),
    "dimension line": wrap(
        'sides("k")\nname()\nax.annotate("", (0, -1.2), (8, -1.2), arrowprops=dict(arrowstyle="<->", color="gray"))\n'
        'number(y=-1.2, bbox=dict(fc="w", ec="none"))\n'
    ),
    "angle in colour": wrap(
        PLAIN + 'ax.add_patch(patches.Wedge(B, 1.6, 143.13, 180, fc="orange", alpha=.4))\n'
        'ax.add_patch(patches.Arc(B, 3.2, 3.2, theta1=143.13, theta2=180, color="darkorange"))\n'
    ),
    "mathematics": wrap(
        'sides("k")\nfor t, (x, y) in NAMES.items():\n'
        '    plt.text(x, y, f"${t}$", ha="center", va="center", fontsize=15)\nnumber(r"$8\\,\\mathrm{cm}$")\n'
    ),
    "fonts of TeX": wrap(
        'sides("k")\nname(family="serif", style="italic")\nnumber("$8$")\n',
        before='plt.rcParams.update({"mathtext.fontset": "cm", "font.family": "serif"})\n',
    ),
    "fine page": wrap(PLAIN, end='plt.savefig("question.png", dpi=200)\n'),
    "tight page": wrap(PLAIN, end='plt.savefig("question.png", bbox_inches="tight", pad_inches=.1)\n'),
    "tight layout": wrap(PLAIN + "plt.tight_layout()\n"),
    "legend": wrap(
        'for p, q in ((A, B), (B, C), (C, A)):\n    side(p, q, "k")\n'
        'side(A, D, "r--", label="median")\nname()\nnumber()\nplt.legend(loc="upper right")\n'
    ),
}

REFUSED = {"dimension line": "stands at a line without letters"}
"""What is lost: an arrow as thick as the sides is not taken for a dimension line."""
