import matplotlib.pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.patches import Circle

fig, ax = plt.subplots(figsize=(6, 4))
circles = [Circle((0, 0), 2.5), Circle((3, 0), 2)]
ax.add_collection(PatchCollection(circles, facecolor="none", edgecolor="k", lw=1.4))
d, r1, r2 = 3, 2.5, 2
x = (d * d + r1 * r1 - r2 * r2) / (2 * d)
y = (r1 * r1 - x * x) ** 0.5
ax.text(x, y + 0.15, "P", ha="center", va="bottom", fontsize=13)
ax.text(x, -y - 0.15, "Q", ha="center", va="top", fontsize=13)
ax.plot([0, 3], [0, 0], "k.", ms=5)
ax.text(-0.15, 0, "A", ha="right", va="center", fontsize=13)
ax.text(3.15, 0, "B", ha="left", va="center", fontsize=13)
ax.set_xlim(-3, 5.5)
ax.set_ylim(-3, 3)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
