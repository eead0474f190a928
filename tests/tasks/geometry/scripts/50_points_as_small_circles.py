import matplotlib.pyplot as plt
from matplotlib.patches import Circle

pts = {"A": (0, 0), "B": (5, 0.5), "C": (4, 4), "D": (0.5, 3.5)}
fig, ax = plt.subplots(figsize=(5, 5))
names = list(pts)
for i, n in enumerate(names):
    m = names[(i + 1) % len(names)]
    ax.plot([pts[n][0], pts[m][0]], [pts[n][1], pts[m][1]], color="k", lw=1.5, zorder=1)
for n, p in pts.items():
    ax.add_patch(Circle(p, 0.07, facecolor="k", edgecolor="k", zorder=2))
    ax.annotate(n, p, xytext=(10 if p[0] > 2 else -16, 6 if p[1] > 2 else -14), textcoords="offset points", fontsize=13)
ax.set_xlim(-1, 6)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
