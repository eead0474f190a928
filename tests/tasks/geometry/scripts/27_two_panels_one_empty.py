import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(8, 4))
ax = axes[0]
ax.plot([0, 4, 4, 0, 0], [0, 0, 3, 3, 0], "k-")
ax.text(-0.3, -0.35, "A", fontsize=12)
ax.text(4.1, -0.35, "B", fontsize=12)
ax.text(4.1, 3.1, "C", fontsize=12)
ax.text(-0.3, 3.1, "D", fontsize=12)
ax.set_aspect("equal")
ax.set_xlim(-1, 5)
ax.set_ylim(-1, 4)
ax.axis("off")
axes[1].axis("off")
plt.tight_layout()
plt.savefig("question.png")
