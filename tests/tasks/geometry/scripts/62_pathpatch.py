import matplotlib.pyplot as plt
from matplotlib.path import Path
from matplotlib.patches import PathPatch

verts = [(0, 0), (6, 0), (8, 3), (2, 3), (0, 0)]
codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
diagonals = Path([(0, 0), (8, 3), (6, 0), (2, 3)], [Path.MOVETO, Path.LINETO, Path.MOVETO, Path.LINETO])
fig, ax = plt.subplots(figsize=(6, 4))
ax.add_patch(PathPatch(Path(verts, codes), fill=False, lw=1.6))
ax.add_patch(PathPatch(diagonals, fill=False, lw=1))
for n, x, y, ha, va in (("A", 0, -0.1, "right", "top"), ("B", 6, -0.1, "left", "top"), ("C", 8, 3.1, "left", "bottom"), ("D", 2, 3.1, "right", "bottom"), ("O", 4, 1.65, "center", "bottom")):
    ax.text(x, y, n, ha=ha, va=va, fontsize=14)
ax.set_xlim(-1, 9)
ax.set_ylim(-1, 4.2)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
