import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 6), dpi=300)
ax.plot([0, 10, 4, 0], [0, 0, 7, 0], "k-", lw=2)
ax.plot([4, 4], [7, 0], "k--", lw=1.5)
ax.plot([4, 4.5, 4.5], [0.5, 0.5, 0], "k-", lw=1)
for n, x, y, dx, dy in [("A", 0, 0, -0.6, -0.6), ("B", 10, 0, 0.3, -0.6), ("C", 4, 7, -0.2, 0.4), ("D", 4, 0, -0.2, -0.9)]:
    ax.text(x + dx, y + dy, n, fontsize=16)
ax.text(4.2, 3.2, "7", fontsize=14)
ax.set_xlim(-1.5, 11.5)
ax.set_ylim(-2, 8.5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png", dpi=300, bbox_inches="tight")
