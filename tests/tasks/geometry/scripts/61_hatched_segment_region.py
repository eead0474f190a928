import numpy as np
import matplotlib.pyplot as plt

r = 3
a1, a2 = np.radians(30), np.radians(150)
t = np.linspace(a1, a2, 80)
fig, ax = plt.subplots(figsize=(5, 5))
ax.add_patch(plt.Circle((0, 0), r, fill=False, lw=1.5))
ax.fill(r * np.cos(t), r * np.sin(t), facecolor="none", hatch="///", edgecolor="k", lw=1)
A = r * np.array([np.cos(a2), np.sin(a2)])
B = r * np.array([np.cos(a1), np.sin(a1)])
for p in (A, B):
    ax.plot([0, p[0]], [0, p[1]], "k-", lw=1.2)
ax.text(A[0] - 0.4, A[1] + 0.05, "A", fontsize=14)
ax.text(B[0] + 0.12, B[1] + 0.05, "B", fontsize=14)
ax.text(-0.1, -0.5, "O", fontsize=14)
ax.set_xlim(-4, 4)
ax.set_ylim(-4, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
