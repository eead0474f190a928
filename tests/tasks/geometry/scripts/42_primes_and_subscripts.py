import matplotlib.pyplot as plt
import numpy as np

tri = np.array([[1, 1], [3, 1], [1.5, 3]])
moved = tri + [4, 1]
fig, ax = plt.subplots(figsize=(6, 5))
for shape, labels in ((tri, ["A", "B", "C"]), (moved, ["A'", "B'", "C'"])):
    ax.fill(shape[:, 0], shape[:, 1], fill=False, edgecolor="black", linewidth=1.5)
    c = shape.mean(axis=0)
    for p, name in zip(shape, labels):
        d = (p - c) / np.linalg.norm(p - c) * 0.28
        ax.text(*(p + d), f"${name}$", ha="center", va="center", fontsize=13)
ax.set_xlim(0, 8)
ax.set_ylim(0, 5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
