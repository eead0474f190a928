import matplotlib.pyplot as plt
import math

fig, ax = plt.subplots(figsize=(5, 5))
# two parallel lines cut by a transversal; the lines run on beyond the points
ax.plot([-4, 4], [1.5, 1.5], "k")
ax.plot([-4, 4], [-1.5, -1.5], "k")
ang = math.radians(60)
E = (1.5 / math.tan(ang), 1.5)
F = (-1.5 / math.tan(ang), -1.5)
ax.plot([-3 / math.tan(ang), 3 / math.tan(ang)], [-3, 3], "k")
ax.text(-4.4, 1.4, "A"); ax.text(4.15, 1.4, "B")
ax.text(-4.4, -1.6, "C"); ax.text(4.15, -1.6, "D")
ax.text(E[0] - 0.35, E[1] + 0.15, "E")
ax.text(F[0] + 0.15, F[1] - 0.45, "F")
ax.text(3 / math.tan(ang) + 0.1, 3, "G"); ax.text(-3 / math.tan(ang) - 0.4, -3.1, "H")
ax.text(E[0] + 0.35, E[1] + 0.2, "60°", fontsize=9)
ax.set_xlim(-5, 5); ax.set_ylim(-4, 4)
ax.set_aspect("equal"); ax.axis("off")
plt.savefig("question.png", dpi=100)
