import numpy as np
import matplotlib.pyplot as plt

t = np.linspace(0, np.pi, 150)
r = 3
xs = np.concatenate([r * np.cos(t), [r]])
ys = np.concatenate([r * np.sin(t), [0]])
fig, ax = plt.subplots(figsize=(6, 4))
ax.plot(xs, ys, "k-", lw=1.5)
C = (r * np.cos(np.radians(65)), r * np.sin(np.radians(65)))
ax.plot([-r, C[0], r], [0, C[1], 0], "k-", lw=1.2)
ax.text(-r - 0.1, -0.05, "A", ha="right", va="top", fontsize=14)
ax.text(r + 0.1, -0.05, "B", ha="left", va="top", fontsize=14)
ax.text(C[0] + 0.05, C[1] + 0.1, "C", ha="left", va="bottom", fontsize=14)
ax.plot(0, 0, "ko", ms=3)
ax.text(0, -0.15, "O", ha="center", va="top", fontsize=14)
ax.set_xlim(-4, 4)
ax.set_ylim(-1, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
