import numpy as np
import matplotlib.pyplot as plt

A, B, C = np.array([0, 0]), np.array([14, 0]), np.array([5, 12])
a, b, c = np.linalg.norm(B - C), np.linalg.norm(C - A), np.linalg.norm(A - B)
I = (a * A + b * B + c * C) / (a + b + c)
s = (a + b + c) / 2
area = abs(np.cross(B - A, C - A)) / 2 if not hasattr(np, "_no") else 0
r = area / s


def foot(P, U, V):
    d = (V - U) / np.linalg.norm(V - U)
    return U + d * np.dot(P - U, d)


D, E, F = foot(I, B, C), foot(I, C, A), foot(I, A, B)
fig, ax = plt.subplots(figsize=(5, 5))
ax.add_patch(plt.Polygon([A, B, C], fill=False, lw=1.5))
ax.add_patch(plt.Circle(I, r, fill=False, lw=1.2))
for T in (D, E, F):
    ax.plot([I[0], T[0]], [I[1], T[1]], "k--", lw=0.9)
for name, p, (dx, dy) in [("A", A, (-0.9, -0.7)), ("B", B, (0.3, -0.7)), ("C", C, (-0.2, 0.5)), ("D", D, (0.3, 0.3)), ("E", E, (-1.0, 0.2)), ("F", F, (-0.2, -1.1)), ("I", I, (0.3, -0.9))]:
    ax.text(p[0] + dx, p[1] + dy, name, fontsize=13)
ax.set_xlim(-2, 16)
ax.set_ylim(-2.5, 14)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
