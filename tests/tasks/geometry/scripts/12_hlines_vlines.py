import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
# rectangle EFGH made of horizontal and vertical lines
ax.hlines([0, 3], 0, 5, colors="k")
ax.vlines([0, 5], 0, 3, colors="k")
ax.text(-0.1, -0.1, "E", ha="right", va="top", fontsize=14)
ax.text(5.1, -0.1, "F", ha="left", va="top", fontsize=14)
ax.text(5.1, 3.1, "G", ha="left", va="bottom", fontsize=14)
ax.text(-0.1, 3.1, "H", ha="right", va="bottom", fontsize=14)
ax.text(2.5, -0.15, "5 cm", ha="center", va="top", fontsize=12)
ax.text(5.15, 1.5, "3 cm", ha="left", va="center", fontsize=12)
ax.set_xlim(-1, 6.5)
ax.set_ylim(-1.5, 4.5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
