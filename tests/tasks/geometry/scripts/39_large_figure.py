import matplotlib.pyplot as plt
import numpy as np

fig = plt.figure(figsize=(12, 12))
ax = fig.add_subplot(111)
O = np.array([0, 0])
r = 5
names = ["A", "B", "C", "D"]
degs = [35, 140, 215, 310]
pts = {n: r * np.array([np.cos(np.deg2rad(d)), np.sin(np.deg2rad(d))]) for n, d in zip(names, degs)}
ax.add_patch(plt.Circle(O, r, fill=False, lw=2))
cycle = names + [names[0]]
for u, v in zip(cycle[:-1], cycle[1:]):
    ax.plot([pts[u][0], pts[v][0]], [pts[u][1], pts[v][1]], "k-", lw=2)
for n, p in pts.items():
    ax.text(*(p * 1.08), n, fontsize=24, ha="center", va="center")
ax.set_xlim(-6, 6)
ax.set_ylim(-6, 6)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
