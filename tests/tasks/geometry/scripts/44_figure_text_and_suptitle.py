import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
fig.text(0.5, 0.02, "Figure 3. Not drawn to scale", ha="center", fontsize=9)
fig.suptitle("Problem 7")
ax.plot([0, 5, 3, 0], [0, 0, 4, 0], "k")
for s, (x, y), ha, va in [("A", (0, 0), "right", "top"), ("B", (5, 0), "left", "top"), ("C", (3, 4), "center", "bottom")]:
    ax.text(x, y, s, ha=ha, va=va, fontsize=14)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
