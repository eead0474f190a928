import numpy as np
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 6, 2, 0], [0, 0, 4, 0], "k-", lw=1.5)
xs = np.linspace(2, 6, 50)
ax.plot([2, 2], [0, 4], "k-", lw=1.2)
ax.fill_between(xs, 0, 6 - xs, color="lightgray")
ax.text(-0.35, -0.3, "A", fontsize=14)
ax.text(6.15, -0.3, "B", fontsize=14)
ax.text(1.9, 4.2, "C", fontsize=14)
ax.text(1.9, -0.5, "D", fontsize=14)
ax.set_xlim(-1, 7)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
