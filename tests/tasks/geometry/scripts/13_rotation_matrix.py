import numpy as np
import matplotlib.pyplot as plt

deg = 30
c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
rot = np.array([[c, -s], [s, c]])
base = np.array([[0, 0], [4, 0], [4, 2], [0, 2]])
rotated = base @ rot.T
fig, ax = plt.subplots(figsize=(5, 5))
closed = np.vstack([rotated, rotated[0]])
ax.plot(closed[:, 0], closed[:, 1], "k-", lw=2)
center = rotated.mean(axis=0)
for name, p in zip("ABCD", rotated):
    v = (p - center) / np.linalg.norm(p - center)
    q = p + 0.3 * v
    ax.text(q[0], q[1], name, fontsize=14, ha="center", va="center")
ax.set_aspect("equal")
ax.axis("off")
ax.set_xlim(-2, 4.5)
ax.set_ylim(-1, 4.6)
plt.savefig("question.png")
