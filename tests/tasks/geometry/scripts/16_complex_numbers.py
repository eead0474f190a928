import cmath
import math
import matplotlib.pyplot as plt

# regular hexagon on the unit circle, as complex numbers
n = 6
vertices = [cmath.exp(2j * math.pi * k / n) for k in range(n)]
fig, ax = plt.subplots(figsize=(5, 5))
for k in range(n):
    z, w = vertices[k], vertices[(k + 1) % n]
    ax.plot([z.real, w.real], [z.imag, w.imag], "k-", lw=1.5)
for name, z in zip("ABCDEF", vertices):
    ax.text(1.12 * z.real, 1.12 * z.imag, f"${name}$", ha="center", va="center", fontsize=14)
ax.plot([0], [0], "ko", ms=3)
ax.text(0.05, -0.12, "$O$", fontsize=14)
ax.plot([vertices[0].real, vertices[3].real], [0, 0], "k--", lw=1)
ax.set_xlim(-1.4, 1.4)
ax.set_ylim(-1.4, 1.4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
