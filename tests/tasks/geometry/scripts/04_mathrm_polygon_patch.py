import matplotlib.pyplot as plt
from matplotlib.patches import Polygon

vertices = [(0, 0), (5, 0), (6.5, 2.5), (1.5, 2.5)]
names = ["A", "B", "C", "D"]
fig, ax = plt.subplots()
ax.add_patch(Polygon(vertices, closed=True, fill=False, edgecolor="black", linewidth=1.8))
centre_x = sum(v[0] for v in vertices) / 4
centre_y = sum(v[1] for v in vertices) / 4
for (x, y), name in zip(vertices, names):
    dx, dy = x - centre_x, y - centre_y
    norm = (dx**2 + dy**2) ** 0.5
    ax.text(x + 0.35 * dx / norm, y + 0.35 * dy / norm, rf"$\mathrm{{{name}}}$", ha="center", va="center", fontsize=15)
ax.set_xlim(-1, 7.5)
ax.set_ylim(-1, 3.5)
ax.set_aspect("equal", adjustable="box")
ax.set_axis_off()
fig.savefig("question.png")
