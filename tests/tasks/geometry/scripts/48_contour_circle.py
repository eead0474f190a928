import numpy as np
import matplotlib.pyplot as plt

x = np.linspace(-4, 4, 401)
y = np.linspace(-4, 4, 401)
X, Y = np.meshgrid(x, y)
fig, ax = plt.subplots(figsize=(5, 5))
ax.contour(X, Y, X**2 + Y**2, levels=[9], colors="k")
ax.plot([-3, 3], [0, 0], "k-")
ax.plot([-3, 1, 3], [0, np.sqrt(8), 0], "k-")
ax.text(-3.45, -0.15, "A", fontsize=13)
ax.text(3.15, -0.15, "B", fontsize=13)
ax.text(1.05, 3.0, "C", fontsize=13)
ax.plot(0, 0, "k.")
ax.text(-0.1, -0.5, "O", fontsize=13)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
