import numpy as np
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 8], [1, 1], "k-", lw=1.4)
ax.plot([0, 8], [4, 4], "k-", lw=1.4)
E, F = (3, 1), (5, 4)
direction = np.array([2, 3])
start, end = np.array(E) - 0.7 * direction, np.array(F) + 0.7 * direction
ax.plot([start[0], end[0]], [start[1], end[1]], "k-", lw=1.4)
slope = np.arctan2(3, 2)
for (x, y), first, last, text in [(E, 0, slope, "1"), (F, np.pi, np.pi + slope, "2")]:
    t = np.linspace(first, last, 40)
    ax.plot(x + 0.5 * np.cos(t), y + 0.5 * np.sin(t), "k-", lw=1)
    m = (first + last) / 2
    ax.text(x + 0.8 * np.cos(m), y + 0.8 * np.sin(m), text, ha="center", va="center", fontsize=11)
for n, x, y in [("A", -0.3, 1), ("B", 8.3, 1), ("C", -0.3, 4), ("D", 8.3, 4)]:
    ax.text(x, y, n, ha="center", va="center", fontsize=13)
ax.text(2.75, 1.1, "E", ha="right", va="bottom", fontsize=13)
ax.text(5.2, 3.9, "F", ha="left", va="top", fontsize=13)
ax.set_xlim(-1, 9)
ax.set_ylim(-2, 7)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
