import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 6, 6, 0, 0], [0, 0, 4, 4, 0], "k", lw=1.5)
for t, x, y in [("A", -0.35, -0.35), ("B", 6.2, -0.35), ("C", 6.2, 4.15), ("D", -0.35, 4.15)]:
    ax.text(x, y, t, fontsize=14)
# dimension lines
ax.annotate("", xy=(0, -0.8), xytext=(6, -0.8), arrowprops=dict(arrowstyle="<->", color="k", lw=0.8))
ax.text(3, -1.05, "12", ha="center", va="top", fontsize=12)
ax.annotate("", xy=(7.1, 0), xytext=(7.1, 4), arrowprops=dict(arrowstyle="<->", color="k", lw=0.8))
ax.text(7.25, 2, "8", ha="left", va="center", fontsize=12)
ax.set_xlim(-1.2, 8.2)
ax.set_ylim(-2, 5.5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
