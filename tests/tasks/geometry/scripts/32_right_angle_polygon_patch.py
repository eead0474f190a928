import matplotlib.pyplot as plt
import numpy as np


def right_angle(ax, vertex, p, q, size=0.35):
    v, u, w = map(np.asarray, (vertex, p, q))
    e1 = (u - v) / np.linalg.norm(u - v) * size
    e2 = (w - v) / np.linalg.norm(w - v) * size
    ax.add_patch(plt.Polygon([v, v + e1, v + e1 + e2, v + e2], fill=False, lw=1))


A, B, C = np.array([0, 0]), np.array([9, 0]), np.array([3, 5])
H = np.array([3, 0])
K = A + (C - A) * np.dot(B - A, C - A) / np.dot(C - A, C - A)
fig, ax = plt.subplots(figsize=(5, 5))
for p, q in ((A, B), (B, C), (C, A), (C, H), (B, K)):
    ax.plot(*np.c_[p, q], "k-", lw=1.3)
right_angle(ax, H, B, C)
right_angle(ax, K, B, A)
for n, p, d in (("A", A, (-0.5, -0.5)), ("B", B, (0.2, -0.5)), ("C", C, (-0.1, 0.6)), ("D", H, (-0.1, -0.7)), ("E", K, (-0.7, 0.1))):
    ax.text(p[0] + d[0], p[1] + d[1], n, fontsize=13)
ax.set_xlim(-1, 10.5)
ax.set_ylim(-1.5, 7.5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
