import math
import matplotlib.pyplot as plt

A, B, C = (0, 0), (5, 0), (5 * math.cos(math.pi / 3), 5 * math.sin(math.pi / 3))
plt.figure(figsize=(5, 5))
for p, q in ((A, B), (B, C), (C, A)):
    plt.plot([p[0], q[0]], [p[1], q[1]], "k-")
# angle marks as short polylines of 7 points
for v, start in ((A, 0), (B, 120), (C, 240)):
    arc = [(v[0] + 0.6 * math.cos(math.radians(start + 10 * k)), v[1] + 0.6 * math.sin(math.radians(start + 10 * k))) for k in range(7)]
    plt.plot([p[0] for p in arc], [p[1] for p in arc], "k-", lw=1)
plt.text(0.75, 0.35, "60°", fontsize=10)
plt.text(-0.35, -0.3, "A", fontsize=13)
plt.text(5.1, -0.3, "B", fontsize=13)
plt.text(2.4, 4.5, "C", fontsize=13)
plt.axis("equal")
plt.axis("off")
plt.savefig("question.png")
