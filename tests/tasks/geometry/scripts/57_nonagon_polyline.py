import numpy as np
import matplotlib.pyplot as plt

n = 9
ang = np.pi / 2 + 2 * np.pi * np.arange(n + 1) / n
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot(4 * np.cos(ang), 4 * np.sin(ang), "k-", lw=1.5)
for name, a in zip("ABCDEFGHI", ang):
    ax.text(4.4 * np.cos(a), 4.4 * np.sin(a), name, ha="center", va="center", fontsize=13)
ax.set_xlim(-5, 5)
ax.set_ylim(-5, 5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
