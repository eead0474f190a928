import numpy as np
import matplotlib.pyplot as plt


def side_label(ax, p, q, text, offset=0.3):
    p, q = np.array(p, float), np.array(q, float)
    mid = (p + q) / 2
    d = q - p
    n = np.array([-d[1], d[0]]) / np.hypot(*d)
    ang = np.degrees(np.arctan2(d[1], d[0]))
    ang = ang - 180 if ang > 90 else ang + 180 if ang < -90 else ang
    ax.text(*(mid + offset * n), text, rotation=ang, ha="center", va="center", fontsize=12)


pts = [(0, 0), (8, 0), (6, 4), (2, 4)]
fig, ax = plt.subplots(figsize=(6, 4))
ax.add_patch(plt.Polygon(pts, closed=True, fill=False, lw=1.5))
for i, text in enumerate(["8 cm", r"$2\sqrt{5}$ cm", "4 cm", r"$2\sqrt{5}$ cm"]):
    side_label(ax, pts[(i + 1) % 4], pts[i], text)
for n, (x, y), (dx, dy) in zip("WXYZ", pts, [(-0.3, -0.3), (0.3, -0.3), (0.25, 0.3), (-0.25, 0.3)]):
    ax.text(x + dx, y + dy, n, ha="center", va="center", fontsize=14)
ax.set_xlim(-1, 9)
ax.set_ylim(-1.2, 5)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png", bbox_inches="tight", pad_inches=0.1)
