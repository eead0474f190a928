import matplotlib.pyplot as plt
import math

fig, ax = plt.subplots(figsize=(5, 5))
ax.arrow(-1, 0, 6.5, 0, head_width=0.15, head_length=0.2, fc="k", ec="k", lw=0.8)
ax.arrow(0, -1, 0, 5.5, head_width=0.15, head_length=0.2, fc="k", ec="k", lw=0.8)
A, B = (4, 0), (0, 3)
ax.plot([A[0], B[0]], [A[1], B[1]], "k-", lw=1.6)
ax.text(-0.35, -0.4, "O", fontsize=13)
ax.text(5.6, -0.4, "x", fontsize=12, style="italic")
ax.text(-0.4, 4.4, "y", fontsize=12, style="italic")
ax.text(3.9, -0.45, "A", fontsize=13)
ax.text(-0.45, 2.9, "B", fontsize=13)
ax.set_xlim(-1.5, 6.5)
ax.set_ylim(-1.5, 5.5)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
