import numpy as np
import matplotlib.pyplot as plt

f = lambda x: x**2 / 2
xs = np.linspace(-3.2, 3.2, 300)
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot(xs, f(xs), color="black", lw=1.5)
a, b = -2, 3
A, B = (a, f(a)), (b, f(b))
ax.plot([A[0], B[0]], [A[1], B[1]], "k-", lw=1.2)
ax.plot([-4, 4], [0, 0], "k-", lw=0.8)
ax.plot([0, 0], [-1, 6], "k-", lw=0.8)
ax.plot(*A, "ko", ms=4)
ax.plot(*B, "ko", ms=4)
ax.annotate(f"A({A[0]}, {A[1]:g})", A, xytext=(-62, -6), textcoords="offset points")
ax.annotate(f"B({B[0]}, {B[1]:g})", B, xytext=(4, -10), textcoords="offset points")
ax.annotate("O", (0, 0), xytext=(-14, -14), textcoords="offset points")
ax.text(-3.0, 5.3, r"$y=\frac{1}{2}x^2$", fontsize=11)
ax.set_xlim(-5, 5)
ax.set_ylim(-2, 7)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
