"""Rhombus ABCD with AC = 24, BD = 10, drawn at one fourth of its size."""
import matplotlib.pyplot as plt

scale = 0.25
half_ac, half_bd = 12 * scale, 5 * scale
A, C = (-half_ac, 0), (half_ac, 0)
B, D = (0, -half_bd), (0, half_bd)
O = (0, 0)
fig, ax = plt.subplots(figsize=(6, 4))
ax.plot(*zip(A, B, C, D, A), "k-", lw=1.5)
ax.plot(*zip(A, C), "k-", lw=1)
ax.plot(*zip(B, D), "k-", lw=1)
ax.text(A[0] - 0.12, A[1], "A", ha="right", va="center", fontsize=14)
ax.text(C[0] + 0.12, C[1], "C", ha="left", va="center", fontsize=14)
ax.text(B[0], B[1] - 0.1, "B", ha="center", va="top", fontsize=14)
ax.text(D[0], D[1] + 0.1, "D", ha="center", va="bottom", fontsize=14)
ax.text(0.1, 0.08, "O", fontsize=14)
ax.text(1.6, 0.95, "13", fontsize=12, ha="center")
ax.set_xlim(-3.8, 3.8)
ax.set_ylim(-2, 2)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
