"""Ordinary scripts in many styles: what their pictures are is compared with plain matplotlib."""

ORDINARY_SCRIPTS = {
    "triangle": """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(5.12, 5.12))
ax.plot([0, 4, 1, 0], [0, 0, 3, 0], color="black", linewidth=1.5)
for name, x, y in (("A", -0.2, -0.2), ("B", 4.1, -0.2), ("C", 1, 3.1)):
    ax.text(x, y, f"${name}$", fontsize=14)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("triangle.png", dpi=100)
""",
    "tight_box": """
import matplotlib.pyplot as plt
plt.figure(figsize=(4, 3))
plt.plot([0, 1, 2], [0, 1, 0], "k--", lw=2)
plt.annotate("peak", xy=(1, 1), xytext=(1.3, 0.8), arrowprops=dict(arrowstyle="->"))
plt.axis("off")
plt.savefig("out.png", bbox_inches="tight", pad_inches=0.05, dpi=120)
""",
    "circle_and_arcs": """
import matplotlib.pyplot as plt
from matplotlib.patches import Arc, Circle, Ellipse, Wedge
fig, ax = plt.subplots()
ax.add_patch(Circle((0, 0), 2, fill=False, color="k"))
ax.add_patch(Arc((0, 0), 1, 1, theta1=0, theta2=60))
ax.add_patch(Ellipse((1, 1), 2, 1, angle=30, alpha=0.5))
ax.add_patch(Wedge((-1, -1), 0.5, 10, 100))
ax.set_xlim(-3, 3); ax.set_ylim(-3, 3); ax.set_aspect("equal")
fig.savefig("circle.png")
""",
    "shown_only": """
import matplotlib.pyplot as plt
import numpy as np
x = np.linspace(0, 6, 200)
plt.plot(x, np.sin(x), label="sine"); plt.plot(x, np.cos(x), label="cosine")
plt.legend(); plt.grid(True); plt.title("Waves"); plt.xlabel("t"); plt.ylabel("u")
plt.show()
""",
    "subplots_grid": """
import matplotlib.pyplot as plt
fig, axes = plt.subplots(2, 2, figsize=(6, 6), layout="constrained")
for i, ax in enumerate(axes.flat):
    ax.bar([1, 2, 3], [i + 1, 2, 3]); ax.set_title(f"panel {i}")
fig.suptitle("four")
fig.savefig("grid.png")
""",
    "scatter_and_colorbar": """
import matplotlib.pyplot as plt
import numpy as np
rng = np.random.default_rng(3)
points = plt.scatter(rng.random(40), rng.random(40), c=rng.random(40), s=50, cmap="viridis")
plt.colorbar(points)
plt.tight_layout()
plt.savefig("scatter.png", dpi=90)
""",
    "mathtext": r"""
import matplotlib.pyplot as plt
fig = plt.figure(figsize=(4, 2))
fig.text(0.1, 0.6, r"$\\frac{\\sqrt{3}}{2} \\cdot \\angle ABC = 60^\\circ$", fontsize=18)
fig.text(0.1, 0.2, r"$\\triangle ABC \\cong \\triangle DEF$", fontsize=14)
fig.savefig("math.png")
""".replace("\\\\", "\\"),
    "style_sheet": """
import matplotlib.pyplot as plt
plt.style.use("ggplot")
plt.hist([1, 2, 2, 3, 3, 3, 4], bins=4)
plt.savefig("hist.png")
""",
    "settings": """
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
plt.rcParams.update({"font.size": 14, "font.family": "serif", "mathtext.fontset": "cm", "axes.linewidth": 2})
plt.plot([1, 2, 3], [3, 1, 2], marker="s")
plt.text(1.5, 2.5, r"$x_1^2$ and words")
plt.savefig("settings.png")
""",
    "three_dimensions": """
import matplotlib.pyplot as plt
fig = plt.figure(figsize=(4, 4))
ax = fig.add_subplot(projection="3d")
ax.plot([0, 1, 1], [0, 0, 1], [0, 1, 0]); ax.text(0, 0, 0, "O")
plt.savefig("cube.png", dpi=80)
""",
    "polar": """
import matplotlib.pyplot as plt
import numpy as np
ax = plt.subplot(projection="polar")
ax.plot(np.linspace(0, 6.28, 100), np.linspace(0, 1, 100))
plt.savefig("polar.png")
""",
    "figure_object": """
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
fig = Figure(figsize=(3, 3), dpi=110)
FigureCanvasAgg(fig)
ax = fig.add_axes([0.1, 0.1, 0.8, 0.8])
ax.fill([0, 1, 0.5], [0, 0, 1], facecolor="lightgray", edgecolor="black", hatch="//")
fig.savefig("object.png")
""",
    "transparent": """
import matplotlib.pyplot as plt
plt.plot([0, 1], [1, 0], "r-", alpha=0.4)
plt.savefig("glass.png", transparent=True)
""",
    "face_colour": """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(3, 2), facecolor="lightyellow")
ax.barh(["a", "b"], [1, 2]); ax.invert_yaxis()
fig.savefig("face.png", facecolor=fig.get_facecolor(), edgecolor="none")
""",
    "log_axes": """
import matplotlib.pyplot as plt
plt.loglog([1, 10, 100], [1, 100, 10], "o-")
plt.axhline(10, color="gray", linestyle=":"); plt.axvline(10)
plt.savefig("log.png")
""",
    "image": """
import matplotlib.pyplot as plt
import numpy as np
plt.imshow(np.arange(64).reshape(8, 8), cmap="gray", interpolation="nearest"); plt.axis("off")
plt.savefig("image.png", bbox_inches="tight")
""",
    "pandas": """
import pandas as pd
import matplotlib.pyplot as plt
pd.DataFrame({"a": [1, 3, 2], "b": [2, 2, 4]}).plot(kind="bar", figsize=(4, 3))
plt.savefig("frame.png")
""",
    "sympy": """
import matplotlib.pyplot as plt
from sympy import Point, Triangle
triangle = Triangle(Point(0, 0), Point(4, 0), Point(1, 3))
xs, ys = zip(*[(float(p.x), float(p.y)) for p in (*triangle.vertices, triangle.vertices[0])])
plt.plot(xs, ys, "k")
centre = triangle.circumcircle.center
plt.plot(float(centre.x), float(centre.y), "ko", markersize=3)
plt.axis("equal")
plt.savefig("triangle.png")
""",
    "saved_twice": """
import os
import matplotlib.pyplot as plt
os.makedirs("/mnt/data", exist_ok=True)
plt.plot([1, 4, 9])
plt.savefig("/mnt/data/first.png")
plt.title("second")
plt.savefig("/mnt/data/second.png", dpi=72)
plt.close("all")
""",
    "path_effects_and_collections": """
import matplotlib.pyplot as plt
import matplotlib.patheffects as effects
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
fig, ax = plt.subplots(figsize=(4, 4), dpi=75)
ax.add_collection(LineCollection([[(0, 0), (1, 1)], [(0, 1), (1, 0)]], linestyles="dashed"))
ax.add_collection(PatchCollection([Rectangle((0.1, 0.1), 0.2, 0.3)], alpha=0.5))
ax.add_patch(FancyArrowPatch((0.2, 0.8), (0.8, 0.8), arrowstyle="-|>", mutation_scale=20))
ax.add_patch(FancyBboxPatch((0.5, 0.4), 0.2, 0.1, boxstyle="round"))
ax.text(0.5, 0.5, "halo", path_effects=[effects.withStroke(linewidth=3, foreground="white")])
fig.savefig("effects.png")
""",
}
