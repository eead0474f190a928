import numpy as np
import matplotlib.pyplot as plt

A, B, C, D = np.array([0., 0.]), np.array([6., 0.]), np.array([7.5, 3.]), np.array([1.5, 3.])
s = np.linspace(0, 1, 60)[:, None]
fig, ax = plt.subplots(figsize=(6, 4))
for P, Q in [(A, B), (B, C), (C, D), (D, A), (A, C)]:
    line = P + s * (Q - P)
    ax.plot(line[:, 0], line[:, 1], "k-", lw=1.4)
for name, P, shift in [("A", A, (-0.35, -0.3)), ("B", B, (0.1, -0.35)), ("C", C, (0.12, 0.1)), ("D", D, (-0.35, 0.12))]:
    ax.text(*(P + shift), name, fontsize=14)
ax.set_xlim(-1, 8.5)
ax.set_ylim(-1, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
