import matplotlib.pyplot as plt
import matplotlib.patches as patches
import math

w, h, a = 5, 3, 20
fig, ax = plt.subplots(figsize=(5, 5))
ax.add_patch(patches.Rectangle((1, 1), w, h, angle=a, fill=False, edgecolor="black", linewidth=1.5))
ca, sa = math.cos(math.radians(a)), math.sin(math.radians(a))
corner = lambda u, v: (1 + u * ca - v * sa, 1 + u * sa + v * ca)
for name, (u, v), off in [("P", (0, 0), (-0.3, -0.4)), ("Q", (w, 0), (0.15, -0.3)), ("R", (w, h), (0.1, 0.15)), ("S", (0, h), (-0.45, 0.1))]:
    x, y = corner(u, v)
    ax.text(x + off[0], y + off[1], f"$\\it{{{name}}}$", fontsize=14)
ax.set_xlim(-1.5, 7.5)
ax.set_ylim(-0.5, 7.5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
