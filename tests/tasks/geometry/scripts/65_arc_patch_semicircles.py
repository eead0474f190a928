import matplotlib.pyplot as plt
from matplotlib.patches import Arc

fig, ax = plt.subplots(figsize=(6, 5))
ax.plot([0, 8], [0, 0], "k-", lw=1.5)
ax.add_patch(Arc((4, 0), 8, 8, theta1=0, theta2=180, lw=1.5))
ax.add_patch(Arc((2, 0), 4, 4, theta1=0, theta2=180, lw=1.2))
for n, x, y, ha in [("A", 0, -0.15, "center"), ("O", 4, -0.15, "center"), ("B", 8, -0.15, "center")]:
    ax.text(x, y, n, ha=ha, va="top", fontsize=14)
ax.set_xlim(-1, 9)
ax.set_ylim(-1.5, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
