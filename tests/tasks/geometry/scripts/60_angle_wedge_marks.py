import matplotlib.pyplot as plt
from matplotlib.patches import Wedge
import numpy as np

A, B, C = np.array([0, 0]), np.array([6, 0]), np.array([1.5, 4])
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot(*np.vstack([A, B, C, A]).T, "k-", lw=1.5)
base = np.degrees(np.arctan2(C[1], C[0]))
ax.add_patch(Wedge(A, 0.7, 0, base, fill=False, lw=1))
ax.text(0.95, 0.55, r"$\alpha$", fontsize=12)
end = np.degrees(np.arctan2(*(C - B)[::-1]))
ax.add_patch(Wedge(B, 0.9, end, 180, facecolor="0.9", edgecolor="k", lw=1))
ax.text(4.45, 0.4, "42°", fontsize=10)
for n, p, d in zip("ABC", (A, B, C), ((-0.4, -0.35), (0.15, -0.35), (-0.1, 0.2))):
    ax.text(*(p + d), n, fontsize=14)
ax.set_xlim(-1, 7)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
