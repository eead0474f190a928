import matplotlib.pyplot as plt
import numpy as np

pts = {"A": np.array([0.0, 0.0]), "B": np.array([7.0, 0.0]), "C": np.array([4.0, 5.0])}
fig, ax = plt.subplots(figsize=(5, 5), dpi=100)
tri = list(pts.values())
for i in range(3):
    p, q = tri[i], tri[(i + 1) % 3]
    ax.plot([p[0], q[0]], [p[1], q[1]], "k-", lw=1.4)
    mid = (p + q) / 2
    length = np.linalg.norm(q - p)
    angle = np.degrees(np.arctan2(q[1] - p[1], q[0] - p[0]))
    if angle > 90: angle -= 180
    if angle < -90: angle += 180
    ax.text(mid[0], mid[1], f"{length:.1f}", rotation=angle, rotation_mode="anchor", ha="center", va="center",
            bbox=dict(facecolor="white", edgecolor="none", pad=1.5), fontsize=11)
ax.text(-0.35, -0.35, "A", fontsize=14, bbox=dict(boxstyle="round,pad=0.1", fc="white", ec="none"))
ax.text(7.1, -0.35, "B", fontsize=14, bbox=dict(boxstyle="round,pad=0.1", fc="white", ec="none"))
ax.text(3.9, 5.2, "C", fontsize=14, bbox=dict(boxstyle="round,pad=0.1", fc="white", ec="none"))
ax.set_xlim(-1, 8); ax.set_ylim(-1, 6)
ax.set_aspect("equal"); ax.axis("off")
plt.savefig("question.png")
