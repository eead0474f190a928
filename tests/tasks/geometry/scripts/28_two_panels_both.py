import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
for ax, names, k in ((left, "ABC", 1.0), (right, "DEF", 1.5)):
    pts = [(0, 0), (2 * k, 0), (0.5 * k, 1.5 * k)]
    ax.add_patch(plt.Polygon(pts, fill=False, ec="k"))
    for n, (x, y) in zip(names, pts):
        ax.annotate(n, (x, y), xytext=(4, 4), textcoords="offset points")
    ax.set_xlim(-0.5, 3.5)
    ax.set_ylim(-0.5, 3)
    ax.set_aspect("equal")
    ax.axis("off")
fig.savefig("question.png")
