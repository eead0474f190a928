import matplotlib.pyplot as plt
import numpy as np

A, B, C = np.array([0, 0]), np.array([6, 0]), np.array([2, 4.5])
D = B + (C - B) * 0.4
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot(*np.array([A, B, C, A]).T, color="k", lw=1.5, marker="o", mfc="white", mec="k", ms=7)
ax.plot(*np.array([A, D]).T, color="k", lw=1.2)
ax.plot(*D, marker="o", mfc="white", mec="k", ms=7)
for n, p, o in (("A", A, (-16, -14)), ("B", B, (8, -14)), ("C", C, (-5, 10)), ("D", D, (9, 5))):
    ax.annotate(f"$\\mathbf{{{n}}}$", p, xytext=o, textcoords="offset points", fontsize=13)
ax.margins(0.15)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
