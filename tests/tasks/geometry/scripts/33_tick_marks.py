import numpy as np
import matplotlib.pyplot as plt


def tick(p, q, n=1, size=0.15, gap=0.12):
    p, q = np.array(p, float), np.array(q, float)
    d = (q - p) / np.linalg.norm(q - p)
    normal = np.array([-d[1], d[0]])
    for k in range(n):
        c = (p + q) / 2 + d * gap * (k - (n - 1) / 2)
        plt.plot(*zip(c - normal * size, c + normal * size), color="k", lw=1)


A, B, C = (0, 0), (4, 0), (2, 5)
plt.figure(figsize=(5, 5))
for p, q in [(A, B), (B, C), (C, A)]:
    plt.plot([p[0], q[0]], [p[1], q[1]], "k-", lw=1.5)
tick(A, C, 2)
tick(B, C, 2)
plt.text(-0.4, -0.3, "A", fontsize=14)
plt.text(4.15, -0.3, "B", fontsize=14)
plt.text(1.9, 5.2, "C", fontsize=14)
plt.axis("equal")
plt.axis("off")
plt.savefig("question.png")
