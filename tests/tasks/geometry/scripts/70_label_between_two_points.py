import matplotlib.pyplot as plt

# the label B is as near to the one end as to the other
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 6], [0, 0], "k-")
ax.plot([2.8, 2.8, 3.2, 3.2], [0, 2, 2, 0], "k-")
ax.text(-0.3, -0.2, "A", ha="center", va="top", fontsize=13)
ax.text(3, 2.1, "B", ha="center", va="bottom", fontsize=13)
ax.set_xlim(-1, 7)
ax.set_ylim(-3, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
