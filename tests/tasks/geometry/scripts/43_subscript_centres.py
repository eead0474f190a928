import matplotlib.pyplot as plt
import numpy as np

fig, ax = plt.subplots(figsize=(6, 4))
th = np.linspace(0, 2 * np.pi, 181)
centres = {"O_1": (0, 0, 2), "O_2": (3, 0, 1.5)}
for name, (cx, cy, r) in centres.items():
    ax.plot(cx + r * np.cos(th), cy + r * np.sin(th), color="k", lw=1.4)
    ax.plot(cx, cy, marker="o", color="k", markersize=3)
    ax.text(cx, cy - 0.35, f"${name}$", ha="center", fontsize=13)
d = 3
x = (d**2 + 2**2 - 1.5**2) / (2 * d)
y = np.sqrt(4 - x**2)
ax.plot([x, x], [-y, y], "k-", lw=1.2)
ax.plot([0, 3], [0, 0], "k-", lw=1.2)
ax.text(x, y + 0.15, "A", ha="center", fontsize=13)
ax.text(x, -y - 0.45, "B", ha="center", fontsize=13)
ax.set_xlim(-2.6, 5.2)
ax.set_ylim(-2.6, 2.6)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
