import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots()
O = np.zeros(2)
for n, a, l in (("A", 10, 5), ("B", 45, 5), ("C", 80, 5)):
    p = l*np.array([np.cos(np.radians(a)), np.sin(np.radians(a))])
    ax.annotate("", xy=p, xytext=O, arrowprops=dict(arrowstyle="-|>", color="k", shrinkA=0, shrinkB=0))
    q = p*0.8
    ax.plot(*q, "ko", ms=4)
    ax.annotate(n, q, xytext=(6, -12), textcoords="offset points", fontsize=12)
ax.annotate("O", O, xytext=(-14, -8), textcoords="offset points", fontsize=12)
for a, b, t in ((10, 45, "35°"), (45, 80, "35°")):
    s = np.radians(np.linspace(a, b, 25)); ax.plot(np.cos(s), np.sin(s), "k", lw=1)
    m = np.radians((a+b)/2); ax.text(1.35*np.cos(m), 1.35*np.sin(m), t, fontsize=9, ha="center", va="center")
ax.set_xlim(-1, 6); ax.set_ylim(-1, 6); ax.set_aspect("equal"); ax.axis("off"); plt.savefig("question.png")
