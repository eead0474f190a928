import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
P = {"A": (0, 0), "B": (7, 0), "C": (5.5, 3), "D": (1.5, 3)}
order = "ABCDA"
for u, v in zip(order, order[1:]):
    ax.plot(*zip(P[u], P[v]), "k-")
for y, x in ((0, 3.5), (3, 3.5)):
    ax.plot([x - 0.15, x, x - 0.15], [y + 0.12, y, y - 0.12], "k-", lw=1)
pos = {"A": "right", "B": "left", "C": "left", "D": "right"}
for n, (x, y) in P.items():
    ax.text(x + (0.12 if pos[n] == "left" else -0.12), y + (0.1 if y else -0.1), n, ha=pos[n], va="bottom" if y else "top", fontsize=14)
ax.axis("equal")
ax.axis("off")
plt.savefig("question.png")
