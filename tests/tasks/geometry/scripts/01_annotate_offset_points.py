import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
points = {"A": (0, 0), "B": (6, 0), "C": (1.5, 4)}
for start, end in [("A", "B"), ("B", "C"), ("C", "A")]:
    ax.plot([points[start][0], points[end][0]], [points[start][1], points[end][1]], "k-", linewidth=1.5)
offsets = {"A": (-12, -12), "B": (8, -12), "C": (-4, 8)}
for name, (x, y) in points.items():
    ax.annotate(name, (x, y), textcoords="offset points", xytext=offsets[name], fontsize=14)
ax.set_xlim(-1, 7)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
