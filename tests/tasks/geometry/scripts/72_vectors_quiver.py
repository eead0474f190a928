import numpy as np
import matplotlib.pyplot as plt

u, v = np.array([4, 1]), np.array([1, 3])
fig, ax = plt.subplots(figsize=(5, 5))
ax.quiver(0, 0, *u, angles="xy", scale_units="xy", scale=1, width=0.006)
ax.quiver(0, 0, *v, angles="xy", scale_units="xy", scale=1, width=0.006)
ax.plot(*np.array([u, u + v]).T, "k--", lw=1)
ax.plot(*np.array([v, u + v]).T, "k--", lw=1)
ax.text(-0.1, -0.1, "O", ha="right", va="top", fontsize=13)
for name, p in (("A", u), ("B", v), ("C", u + v)):
    ax.text(p[0] + 0.15, p[1] + 0.1, name, fontsize=13)
ax.set_xlim(-1, 6)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
