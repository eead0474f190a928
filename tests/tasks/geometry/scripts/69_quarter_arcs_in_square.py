import matplotlib.pyplot as plt
from matplotlib.patches import Arc, Rectangle

fig, ax = plt.subplots(figsize=(5, 5))
side = 4
ax.add_patch(Rectangle((0, 0), side, side, facecolor="none", edgecolor="black", linewidth=1.5))
ax.add_patch(Arc((0, 0), 2 * side, 2 * side, angle=0, theta1=0, theta2=90, linewidth=1.2))
ax.add_patch(Arc((side, side), 2 * side, 2 * side, angle=180, theta1=0, theta2=90, linewidth=1.2))
corners = [("A", 0, 0, "right", "top"), ("B", side, 0, "left", "top"), ("C", side, side, "left", "bottom"), ("D", 0, side, "right", "bottom")]
for n, x, y, ha, va in corners:
    ax.text(x, y, f" {n} ", ha=ha, va=va, fontsize=14)
ax.text(2, -0.15, "4", ha="center", va="top", fontsize=12)
ax.set_xlim(-0.8, 4.8)
ax.set_ylim(-0.8, 4.8)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
