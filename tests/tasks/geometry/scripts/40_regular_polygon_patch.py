import numpy as np
import matplotlib.pyplot as plt
from matplotlib.patches import RegularPolygon

fig, ax = plt.subplots(figsize=(5, 5))
ax.add_patch(RegularPolygon((0, 0), numVertices=5, radius=3, orientation=0, fill=False, edgecolor="k"))
for k, name in enumerate("ABCDE"):
    t = np.pi / 2 + 2 * np.pi * k / 5
    ax.text(3.35 * np.cos(t), 3.35 * np.sin(t), name, fontsize=14, ha="center", va="center")
ax.set_xlim(-4, 4)
ax.set_ylim(-4, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
