import matplotlib.pyplot as plt
from matplotlib.transforms import offset_copy

fig, ax = plt.subplots(figsize=(5, 5))
star = [(0, 3), (0.9, 0.9), (3, 0), (0.9, -0.9), (0, -3), (-0.9, -0.9), (-3, 0), (-0.9, 0.9)]
ax.fill(*zip(*star), facecolor="#dddddd", edgecolor="k", lw=1.3)
shift = {0: (0, 8), 2: (8, 0), 4: (0, -8), 6: (-8, 0)}
for (i, (dx, dy)), n in zip(shift.items(), "ABCD"):
    trans = offset_copy(ax.transData, fig=fig, x=dx, y=dy, units="points")
    ax.text(*star[i], n, transform=trans, ha="center", va="center", fontsize=13)
ax.set_xlim(-4, 4)
ax.set_ylim(-4, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
