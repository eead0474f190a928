import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 5, 2, 0], [0, 0, 4, 0], "k")
ax.plot([2, 2], [4, 0], "k--")
ax.annotate("U", (0, 0), xytext=(6, -14), textcoords="offset points", fontsize=14)
ax.annotate("V", (5, 0), xytext=(-16, -14), textcoords="offset points", fontsize=14)
ax.annotate("W", (2, 4), xytext=(-4, 6), textcoords="offset points", fontsize=14)
ax.annotate("H", (2, 0), xytext=(-4, -18), textcoords="offset points", fontsize=14)
ax.set_xlim(6, -1)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
