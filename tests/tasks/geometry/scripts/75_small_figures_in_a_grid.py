import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([1, 4, 1, 1], [1, 1, 3, 1], "k", lw=1)
ax.plot([6, 7, 7, 6, 6], [2, 2, 3, 3, 2], "k")
for a, b in (((-6, -6), (-5, -6)), ((-5, -6), (-5, -5)), ((-5, -5), (-6, -6))):
    ax.plot([a[0], b[0]], [a[1], b[1]], "k")
for n, p in {"A": (1, 1), "B": (4, 1), "C": (1, 3)}.items(): ax.annotate(n, p, xytext=(-10 if p[0]<2 else 3, -10 if p[1]<2 else 3), textcoords="offset points", fontsize=9)
for n, p, o in (("P", (-6, -6), (-9, -9)), ("Q", (-5, -6), (2, -9)), ("R", (-5, -5), (2, 2))): ax.annotate(n, p, xytext=o, textcoords="offset points", fontsize=9)
ax.axhline(0, color="k", lw=.7); ax.axvline(0, color="k", lw=.7)
ax.set_xlim(-10, 10); ax.set_ylim(-10, 10); ax.set_aspect("equal"); ax.axis("off"); plt.savefig("question.png")
