from sympy import Point, Triangle, sqrt
import matplotlib.pyplot as plt

A, B, C = Point(0, 0), Point(6, 0), Point(1, 4)
t = Triangle(A, B, C)
circle = t.circumcircle
O, R = circle.center, float(circle.radius)
fig, ax = plt.subplots(figsize=(5, 5))
for side in t.sides:
    (x1, y1), (x2, y2) = [(float(p.x), float(p.y)) for p in side.points]
    ax.plot([x1, x2], [y1, y2], "k-")
ax.add_artist(plt.Circle((float(O.x), float(O.y)), R, fill=False, ec="k"))
ax.plot(float(O.x), float(O.y), "ko", ms=3)
for name, p, (dx, dy) in (("A", A, (-0.5, -0.4)), ("B", B, (0.15, -0.4)), ("C", C, (-0.4, 0.25)), ("O", O, (0.12, 0.12))):
    ax.text(float(p.x) + dx, float(p.y) + dy, f"${name}$", fontsize=14)
ax.set_xlim(-1.5, 7.5)
ax.set_ylim(-3, 6)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
