import matplotlib.pyplot as plt

pts = {"Point A": (0, 0), "Point B": (6, 0), "Point C": (6, 3.5)}
fig, ax = plt.subplots(figsize=(7, 5))
xs = [p[0] for p in pts.values()]
ys = [p[1] for p in pts.values()]
ax.plot(xs + xs[:1], ys + ys[:1], "k-o", ms=4)
ax.annotate("Point A\n(0, 0)", (0, 0), xytext=(-18, -34), textcoords="offset points", fontsize=10)
ax.annotate("Point B\n(6, 0)", (6, 0), xytext=(-4, -34), textcoords="offset points", fontsize=10)
ax.annotate("Point C\n(6, 3.5)", (6, 3.5), xytext=(-4, 8), textcoords="offset points", fontsize=10)
ax.set_xlim(-1.5, 8)
ax.set_ylim(-1.5, 5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
