"""Scripts whose picture does not show what their record says, and honest ones that look much alike.

All draw a triangle ABC with D on BC, two lengths, and the line AD; each snippet draws AD (`line` is its Line2D where
the snippet needs it drawn first) or the length 6 in a way of its own.
"""

from __future__ import annotations

HEAD = """
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import collections, image, lines, offsetbox, patches, patheffects, text, transforms
from matplotlib.path import Path
P = {"A": (0, 0), "B": (8, 0), "C": (0, 6), "D": (4, 3)}
fig, ax = plt.subplots(figsize=(5.12, 5.12), dpi=100)
fig.subplots_adjust(left=0, right=1, bottom=0, top=1)
ax.set_xlim(-1.5, 9.5); ax.set_ylim(-2.5, 8.5); ax.set_aspect("equal"); ax.axis("off")
def draw(p, q, **look):
    return ax.plot([P[p][0], P[q][0]], [P[p][1], P[q][1]], **{"color": "black", "lw": 1.5, **look})[0]
def write(x, y, s, **look):
    return ax.text(x, y, s, **{"fontsize": 11, "ha": "center", "va": "center", **look})
for p, q in ("AB", "BC", "CA"):
    draw(p, q)
for n, (x, y) in {"A": (-.45, -.4), "B": (8.45, -.35), "C": (-.4, 6.4), "D": (4.5, 3.5)}.items():
    write(x, y, n, fontsize=14)
write(4, -.5, "8")
"""
LINE = 'line = draw("A", "D")\n'
SIX = 'six = write(-.5, 3, "6")\n'
TAIL = '\nfig.savefig("question.png")\n'

HIDDEN_LINES: dict[str, str] = {
    "hairline": 'draw("A", "D", lw=0.05)',
    "transparent": 'draw("A", "D", alpha=0.03)',
    "transparent colour": 'draw("A", "D", color=(0, 0, 0, 0.1))',
    "white": 'draw("A", "D", color="white")',
    "nearly white": 'draw("A", "D", color="0.9")',
    "white fill with a black edge": 'ax.fill([0, 8, 0], [0, 0, 6], facecolor="white", edgecolor="black", zorder=4)',
    "white polygon": 'ax.add_patch(patches.Polygon([P["A"], P["B"], P["C"]], fc="w", ec="k", lw=1.5, zorder=5))',
    "white ellipse": 'ax.add_patch(patches.Ellipse((2, 1.5), 3, 1.6, fc="white", ec="none", zorder=5))',
    "white circle with a rim": 'ax.add_patch(patches.Circle((2, 1.5), 0.9, fc="white", ec="black", zorder=5))',
    "black fill": 'ax.fill([0, 8, 0], [0, 0, 6], color="black")',
    "black box": 'ax.add_patch(patches.Rectangle((1, .6), 2, 1.6, fc="black", ec="none", zorder=9))',
    "fill of a collection": 'ax.fill_between([0, 4], [-.2, 2.6], [.2, 3.4], color="white", zorder=6)',
    "scattered squares": 'ax.scatter([1, 2, 3], [.75, 1.5, 2.25], s=1500, c="white", marker="s", zorder=7)',
    "white marker": 'ax.plot([2], [1.5], "o", color="white", ms=90, zorder=7)',
    "white stroke over it": 'draw("A", "D", color="white", lw=6, zorder=8)',
    "large white text box": 'write(2.6, .9, "5", zorder=9, bbox=dict(fc="white", ec="none", pad=45))',
    "text box without text": 'write(2, 1.5, " ", zorder=9, bbox=dict(fc="white", ec="none", pad=45))',
    "image over it": 'ax.imshow(np.ones((2, 2, 3)), extent=(.5, 3.5, .3, 2.6), zorder=9, aspect="auto")',
    "image of the figure": 'fig.figimage(np.ones((120, 160)), 80, 120, cmap="gray", vmin=0, vmax=1, zorder=9)',
    "axes over it": "fig.add_axes([.16, .25, .3, .2]).set(xticks=[], yticks=[], zorder=9)",
    "patch of the figure": 'fig.patches.append(patches.Rectangle((90, 120), 180, 110, fc="white", zorder=9))',
    "figure rectangle": 'fig.add_artist(patches.Rectangle((.16, .25), .3, .2, fc="white", ec="none", zorder=9))',
    "table over it": 'ax.table(cellText=[[" "]], bbox=[.15, .25, .35, .25], zorder=9)',
    "legend over it": 'ax.legend([lines.Line2D([], [])], ["k"], loc=(.2, .3), framealpha=1, borderpad=4)',
    "clip path": "line.set_clip_path(patches.Circle((100, 100), 1, transform=ax.transData))",
    "clip box": "line.set_clip_box(transforms.Bbox([[0, 0], [30, 30]]))",
    "clip to a corner": "line.set_clip_path(patches.Rectangle((0, 0), 1.6, 1.2, transform=ax.transData))",
    "white path effect": 'line.set_path_effects([patheffects.Stroke(linewidth=3, foreground="white")])',
    "no path effect": "line.set_path_effects([])\nline.draw = lambda renderer: None",
    "agg filter": "line.set_agg_filter(lambda im, dpi: (im * 0, 0, 0))",
    "sparse dashes": "line.set_dashes((1, 40))",
    "dashes of nothing": "line.set_dashes((0.0001, 5000))",
    "half a line by dashes": "line.set_dashes((70, 900))",
    "not drawn": "line.draw = lambda renderer: None",
    "drawn elsewhere": "line._transform_path = lambda *a: None\nline.draw = lambda renderer: None",
    "collection of no alpha": (
        'ax.add_collection(collections.LineCollection([[P["A"], P["D"]]], colors="k", alpha=.02))'
    ),
    "collection of sparse dashes": (
        'ax.add_collection(collections.LineCollection([[P["A"], P["D"]]], colors="k", linestyles=[(0, (0.001, 900))]))'
    ),
    "hairline collection": (
        'ax.add_collection(collections.LineCollection([[P["A"], P["D"]]], colors="k", linewidths=.02))'
    ),
    "hairline patch": 'ax.add_patch(patches.PathPatch(Path([P["A"], P["D"]]), fill=False, lw=.02))',
    "half transparent patch": 'ax.add_patch(patches.PathPatch(Path([P["A"], P["D"]]), fill=False, alpha=.15))',
    "arrow under a fill": (
        'ax.annotate("", P["D"], P["A"], arrowprops=dict(arrowstyle="-"))\n'
        'ax.fill([0, 8, 0], [0, 0, 6], fc="white", ec="black", zorder=6)'
    ),
    "removed after the draw": "fig.canvas.draw()\nline.remove()\nax._children.append(line)\nline.draw = lambda r: None",
    "dense hatch": (
        'ax.add_patch(patches.Polygon([P["A"], P["B"], P["C"]], fill=False, hatch="xxxxxxxxxxxxxxxxx", ec="k", lw=1))'
    ),
    "thick neighbour": 'ax.plot([-.3, 4], [.3, 3.3], color="black", lw=34)',
    "moved when drawn": (
        "def moved(renderer, plain=line.draw):\n    line.set_data([0, 8], [7, 7]); plain(renderer)\n"
        "    line.set_data([0, 4], [0, 3])\nline.draw = moved"
    ),
    "shorter than recorded": (
        "def short(renderer, plain=line.draw):\n    line.set_data([0, 3.2], [0, 2.4]); plain(renderer)\n"
        "    line.set_data([0, 4], [0, 3])\nline.draw = short"
    ),
    "whole line for a cut one": "line.set_data([0, 4, np.nan], [0, 3, np.nan])\nline.set_alpha(.05)",
    "forged line": (
        "line.remove()\nimport sys\nzygote = next(m for n, m in sys.modules.items() if n.endswith('zygote'))\n"
        "def forge(figure, renderer, plain=zygote.record_figure):\n"
        "    drawing = plain(figure, renderer); rows = drawing['panels'][0]['polylines']\n"
        "    rows.append([[[0.0, 0.0], [4.0, 3.0]], *rows[0][1:]]); return drawing\n"
        "zygote.record_figure = forge"
    ),
    "under the next axes": (
        "other = fig.add_axes([0, 0, 1, 1]); other.set(xlim=ax.get_xlim(), ylim=ax.get_ylim(), xticks=[], yticks=[])\n"
        'other.plot([0, 8, 0, 0], [0, 0, 6, 0], "k")'
    ),
}
"""AD is recorded but not seen; `LINE` comes first where the snippet speaks of ``line`` or covers it."""

DRAWS_AD = frozenset(
    """hairline|transparent|transparent colour|white|nearly white|collection of no alpha|collection of sparse dashes
    |hairline collection|hairline patch|half transparent patch""".replace("\n    ", "").split("|")
)
"""Those that draw AD themselves."""
HIDDEN_TEXTS: dict[str, str] = {
    "transparent": 'write(-.5, 3, "6", alpha=.02)',
    "transparent colour": 'write(-.5, 3, "6", color=(0, 0, 0, .01))',
    "no colour": 'write(-.5, 3, "6", color="none")',
    "white": 'write(-.5, 3, "6", color="white")',
    "under a fill": SIX + 'ax.fill([-.9, -.1, -.1, -.9], [2.6, 2.6, 3.4, 3.4], fc="white", ec="none", zorder=9)',
    "under an image": SIX + 'ax.imshow(np.ones((2, 2, 3)), extent=(-1, -.1, 2.5, 3.5), zorder=9, aspect="auto")',
    "under a black box": SIX + 'ax.add_patch(patches.Rectangle((-.9, 2.6), .8, .8, fc="black", zorder=9))',
    "under another text's box": SIX + 'write(-.5, 3.1, " ", zorder=9, bbox=dict(fc="white", ec="none", pad=12))',
    "not drawn": SIX + "six.draw = lambda renderer: six._get_layout(renderer) and None",
    "drawn as another": (
        SIX + "def other(renderer, plain=six.draw):\n    six._text = '9'; plain(renderer)\n    six._text = '6'\n"
        "    six._get_layout(renderer)\nsix.draw = other"
    ),
    "drawn as an 8": (
        SIX + "def other(renderer, plain=six.draw):\n    six._text = '8'; plain(renderer)\n    six._text = '6'\n"
        "    six._get_layout(renderer)\nsix.draw = other"
    ),
    "drawn elsewhere": (
        SIX + "def other(renderer, plain=six.draw):\n    six.set_position((4, 7)); plain(renderer)\n"
        "    six.set_position((-.5, 3)); six._get_layout(renderer)\nsix.draw = other"
    ),
    "upside down": (
        SIX + "def other(renderer, plain=six.draw):\n    six.set_rotation(180); plain(renderer)\n"
        "    six.set_rotation(0); six._get_layout(renderer)\nsix.draw = other"
    ),
    "clipped": SIX + "six.set_clip_on(True)\nsix.set_clip_box(transforms.Bbox([[0, 0], [9, 9]]))",
    "white path effect": SIX + 'six.set_path_effects([patheffects.Stroke(linewidth=4, foreground="white")])',
    "agg filter": SIX + "six.set_agg_filter(lambda im, dpi: (im * 0, 0, 0))",
    "half covered": SIX + 'ax.fill([-.9, -.1, -.1, -.9], [3, 3, 3.4, 3.4], fc="white", ec="none", zorder=9)',
}
"""The length 6 is recorded but not seen, or seen as something else."""

UNRECORDED: dict[str, str] = {
    "image": 'ax.imshow(np.random.rand(20, 20), extent=(4, 7, 4, 7), cmap="gray")',
    "image of the figure": 'fig.figimage(np.random.rand(60, 60), 380, 380, cmap="gray")',
    "table": 'ax.table(cellText=[["AB=99"]], bbox=[.6, .7, .3, .1])',
    "text in an offset box": 'ax.add_artist(offsetbox.AnchoredText("AB = 99", loc="upper right"))',
    "image of a letter": (
        'ax.add_artist(offsetbox.AnnotationBbox(offsetbox.OffsetImage(np.zeros((12, 12)), cmap="gray"), (6, 6)))'
    ),
    "inset axes": 'ax.inset_axes([.6, .6, .3, .3]).plot([0, 1], [0, 1], "k")',
    "polar axes": 'fig.add_axes([.6, .6, .3, .3], projection="polar").plot([0, 1, 2], [1, 1, 1], "k")',
    "grid": 'ax.axis("on"); ax.grid(True); ax.set_frame_on(False); ax.tick_params(length=0, labelsize=0)',
    "line drawn by another's draw": (
        "def both(renderer, plain=line.draw):\n    line.set_data([0, 8], [7, 7]); plain(renderer)\n"
        "    line.set_data([0, 4], [0, 3]); plain(renderer)\nline.draw = both"
    ),
    "an extra digit": (
        SIX + "def two(renderer, plain=six.draw):\n    plain(renderer)\n    six._text = ' 6'; plain(renderer)\n"
        "    six._text = '6'; six._get_layout(renderer)\nsix.draw = two"
    ),
    "number as a marker": 'ax.plot([5], [5], marker="$7$", ms=12, color="black", ls="")',
    "number as a scattered marker": 'ax.scatter([5], [5], marker="$7$", s=150, color="black")',
    "line of dots": 'ax.scatter(np.linspace(3, 8, 60), np.linspace(6, 7, 60), s=9, color="black")',
    "circle as a marker": 'ax.plot([5], [5], "o", ms=120, mfc="none", mec="black")',
    "shape as a text": 'write(6, 5, "\u25b3", fontsize=90)',
    "bracket for a letter": (
        "from matplotlib.font_manager import FontProperties, fontManager\n"
        "path = [f.fname for f in fontManager.ttflist if f.fname.endswith('cmex10.ttf')][0]\n"
        "write(6, 5, 'A', fontproperties=FontProperties(fname=path, size=14))"
    ),
    "forged face": (
        "import sys\nzygote = next(m for n, m in sys.modules.items() if n.endswith('zygote'))\n"
        "def forge(figure, renderer, plain=zygote.record_figure):\n"
        "    drawing = plain(figure, renderer); drawing['panels'][0]['polylines'].pop(); return drawing\n"
        "zygote.record_figure = forge\nax.fill([3, 8, 8, 3], [6, 7, 7.1, 6.1], color='black', lw=0)"
    ),
    "drawing in a hatched region": (
        'ax.fill([3, 9, 9, 3], [4, 4, 8, 8], fill=False, hatch="/", ec="black", lw=0)\n'
        'plt.rcParams["hatch.linewidth"] = 0\n'
        'ax.imshow(np.eye(9), extent=(4, 8, 4.5, 7.5), cmap="gray_r", aspect="auto")'
    ),
    "quiver key": 'ax.quiverkey(ax.quiver([5], [5], [1], [1], scale=9), .8, .8, 1, "AB=9")',
}
"""Something is seen that is not recorded."""

HONEST: dict[str, str] = {
    "plain": LINE,
    "dashed": 'draw("A", "D", linestyle="--")',
    "dotted": 'draw("A", "D", linestyle=":")',
    "dash-dotted": 'draw("A", "D", linestyle="-.")',
    "own dashes": 'draw("A", "D", dashes=(5, 5))',
    "gaps in white": 'draw("A", "D", linestyle="--", gapcolor="white")',
    "thin": 'draw("A", "D", lw=.7)',
    "thick": 'draw("A", "D", lw=4)',
    "grey": 'draw("A", "D", color="0.5")',
    "half transparent": 'draw("A", "D", alpha=.5)',
    "fill below the lines": 'ax.fill([0, 8, 0], [0, 0, 6], fc="white", ec="black", zorder=0)\n' + LINE,
    "shaded below the lines": 'ax.fill([0, 8, 0], [0, 0, 6], color="lightblue", alpha=.5, zorder=0)\n' + LINE,
    "shaded over the lines": LINE + 'ax.fill([0, 8, 0], [0, 0, 6], color="lightblue", alpha=.5, zorder=5)',
    "ticks of many kinds": LINE
    + (
        "for i, m in enumerate('osD^v<>+x*ph'):\n    ax.plot([i * .7], [7.5], m, color='black', ms=6)\n"
        "    ax.scatter([i * .7], [8], marker=m, color='black', s=30)"
    ),
    "text on colour": LINE + 'write(6, 5, "AB", bbox=dict(fc="gold", ec="none"))',
    "dark axes": 'fig.patch.set_facecolor("white"); ax.axis("on"); ax.set(xticks=[], yticks=[], facecolor="#222244")\n'
    'ax.plot([0, 4], [0, 3], color="white")\n[l.set_color("white") for l in ax.lines]\n'
    '[t.set_color("white") for t in ax.texts]\n[s.set_visible(False) for s in ax.spines.values()]',
    "hatched": 'ax.fill([0, 8, 0], [0, 0, 6], fill=False, hatch="/", ec="black")\n' + LINE,
    "square with a white face": LINE + 'ax.add_patch(patches.Rectangle((0, 0), .6, .6, fc="white", ec="k", zorder=9))',
    "open dots": LINE + 'ax.plot(*zip(*P.values()), "o", mfc="white", mec="black", ms=6)',
    "dots": LINE + 'ax.scatter(*zip(*P.values()), c="black", s=16, zorder=5)',
    "number on white paper": LINE + 'write(2, 1.5, "5", zorder=9, bbox=dict(fc="white", ec="none", pad=1))',
    "boxed number": LINE + 'write(2.6, .9, "5", bbox=dict(fc="white", ec="black", pad=2))',
    "arrow": 'ax.annotate("", P["D"], P["A"], arrowprops=dict(arrowstyle="->", shrinkA=0, shrinkB=0))',
    "double arrow": 'ax.annotate("", P["D"], P["A"], arrowprops=dict(arrowstyle="<->"))',
    "filled arrow": 'ax.annotate("", P["D"], P["A"], arrowprops=dict(arrowstyle="-|>", color="black"))',
    "slender arrow": 'ax.arrow(0, 0, 4, 3, width=.01, head_width=.2, length_includes_head=True, color="black")',
    "leader": LINE + 'ax.annotate("E", (2, 1.5), (2.6, .6), arrowprops=dict(arrowstyle="->"))',
    "low order": "draw('A', 'D', zorder=-100)",
    "limits changed afterwards": LINE + 'fig.savefig("question.png"); ax.set_xlim(-100, -90)',
    "rotated text": LINE + 'write(2.2, 2.2, "5 cm", rotation=37)',
    "mathematics": LINE + 'write(2.6, .8, r"$\\frac{1}{2}x_1^2+\\sqrt{10}$")\nwrite(6, 5, r"$\\angle A=60^\\circ$")',
    "other fonts": LINE + 'write(6, 5, "$A_1B\'$", math_fontfamily="cm")\nwrite(6, 6, "AB = 9", family="monospace")',
    "white halo": LINE + 'write(2, 1, "5", path_effects=[patheffects.withStroke(linewidth=3, foreground="w")])',
    "sketchy": LINE + "line.set_sketch_params(2, 100, 2)",
    "circle and arcs": (
        LINE + "ax.add_patch(patches.Circle((4, 3), 5, fill=False))\n"
        "ax.add_patch(patches.Arc((0, 0), 2, 2, theta1=0, theta2=37))\n"
        "ax.add_patch(patches.Arc((8, 0), 3, 1, angle=20, theta1=100, theta2=200))"
    ),
    "line beyond the axes": LINE + "ax.plot([-5, 12], [7, 7.5], color='black')\nax.axline((0, 0), (1, 2), color='k')",
    "line without axes": LINE + 'fig.add_artist(lines.Line2D([.1, .9], [.9, .9], color="black"))',
    "twice": LINE + LINE,
    "polygon collection": LINE
    + 'ax.add_collection(collections.PolyCollection([[(5, 4), (7, 4), (6, 6)]], fc="0.8", ec="k"))',
    "black triangle": LINE + 'ax.fill([5, 7, 6], [4, 4, 6], color="black")',
    "grey disc": LINE + 'ax.add_patch(patches.Circle((6, 5), 1, fc="gray", ec="none"))',
    "wedge": LINE + 'ax.add_patch(patches.Wedge((6, 5), 1.5, 20, 110, fc="lightgray", ec="black"))',
    "transparent page": LINE + 'fig.savefig("question.png", transparent=True)',
    "tight page": LINE + 'fig.savefig("question.png", bbox_inches="tight", pad_inches=.2)',
    "fine page": LINE + 'fig.savefig("question.png", dpi=220)',
    "title": LINE + 'ax.set_title("Triangle ABC", y=.93)',
    "legend": LINE + 'ax.legend([line], ["AD"], loc="upper right")',
}
"""Nothing to find fault with."""


def write_script(snippet: str, *, line: bool = False, six: bool = True) -> str:
    """A whole script around a snippet, with AD and the length 6 drawn plainly first where asked."""
    saves = "savefig" in snippet
    return HEAD + (SIX if six else "") + (LINE if line else "") + snippet + ("\n" if saves else TAIL)
