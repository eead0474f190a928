import sympy as sp
from sympy.geometry import Point2D, Triangle
import numpy as np
import matplotlib.pyplot as plt

tri = Triangle(Point2D(0, 0), Point2D(8, 0), Point2D(0, 6))
I = tri.incenter
r = float(tri.inradius)
verts = np.array([[float(v.x), float(v.y)] for v in tri.vertices])
fig = plt.figure(figsize=(5, 5))
ax = plt.gca()
ax.add_patch(plt.Polygon(verts, fill=None, edgecolor="k"))
t = np.linspace(0, 2 * np.pi, 100)
ax.plot(float(I.x) + r * np.cos(t), float(I.y) + r * np.sin(t), "k-", lw=1)
for v, n in zip(verts, ["A", "B", "C"]):
    d = (v - np.array([float(I.x), float(I.y)]))
    d = d / np.linalg.norm(d) * 0.5
    plt.text(v[0] + d[0], v[1] + d[1], n, ha="center", va="center", fontsize=13)
plt.text(float(I.x) + 0.15, float(I.y) + 0.1, "I", fontsize=13)
plt.plot([float(I.x)], [float(I.y)], "k.", ms=5)
plt.axis("equal"); plt.axis("off")
plt.savefig("question.png")
