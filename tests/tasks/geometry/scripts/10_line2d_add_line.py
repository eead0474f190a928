from matplotlib.figure import Figure
from matplotlib.lines import Line2D
import matplotlib.pyplot as plt

fig = plt.figure(figsize=(5, 5))
ax = fig.add_axes([0.05, 0.05, 0.9, 0.9])
ax.set_xlim(0, 10)
ax.set_ylim(0, 10)
coords = {"K": (1, 2), "L": (9, 2), "M": (7, 8), "N": (3, 8)}
edges = ["KL", "LM", "MN", "NK", "KM", "LN"]
for e in edges:
    (x1, y1), (x2, y2) = coords[e[0]], coords[e[1]]
    ax.add_line(Line2D([x1, x2], [y1, y2], color="black", linewidth=1.4))
ax.text(0.6, 1.4, "K", fontsize=14)
ax.text(9.1, 1.4, "L", fontsize=14)
ax.text(7.1, 8.2, "M", fontsize=14)
ax.text(2.5, 8.2, "N", fontsize=14)
ax.text(4.8, 6.25, "P", fontsize=14)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
