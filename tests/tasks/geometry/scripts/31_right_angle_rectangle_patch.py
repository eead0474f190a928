import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle, Polygon

fig, ax = plt.subplots(figsize=(5, 5))
C, A, B = (0, 0), (0, 6), (8, 0)
ax.add_patch(Polygon([A, B, C], closed=True, fill=False, lw=1.8))
ax.add_patch(Rectangle(C, 0.4, 0.4, fill=False, lw=1))
ax.text(-0.5, -0.5, r"$C$", fontsize=14)
ax.text(-0.5, 6.1, r"$A$", fontsize=14)
ax.text(8.1, -0.5, r"$B$", fontsize=14)
ax.text(-0.25, 3, "$6$", ha="right", va="center", fontsize=13)
ax.text(4, -0.25, "$8$", ha="center", va="top", fontsize=13)
ax.text(4.2, 3.2, "$x$", ha="left", va="bottom", fontsize=13)
ax.set_xlim(-1.5, 9.5)
ax.set_ylim(-1.5, 7.5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
