import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection

pts = dict(A=(0, 0), B=(8, 0), C=(5, 6), D=(4, 0))
segments = [[pts[a], pts[b]] for a, b in ("AB", "BC", "CA", "CD")]
fig, ax = plt.subplots(figsize=(5, 5))
ax.add_collection(LineCollection(segments, colors="k", linewidths=1.5))
label_shift = dict(A=(-14, -6), B=(6, -6), C=(-4, 6), D=(-4, -18))
for n, p in pts.items():
    ax.annotate(f"${n}$", xy=p, xytext=label_shift[n], textcoords="offset points", size=15)
ax.autoscale()
ax.margins(0.15)
ax.set_aspect("equal")
plt.axis("off")
plt.savefig("question.png")
