import numpy as np
import matplotlib.pyplot as plt

x = np.linspace(-3, 4, 200)
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot(x, 2 * x - 2, 'k-', lw=1.5)
ax.text(2.6, 4.4, '$y = 2x - 2$', fontsize=11, ha='right')
# axes as arrows
ax.annotate('', xy=(4.5, 0), xytext=(-3.5, 0), arrowprops=dict(arrowstyle='->', lw=1))
ax.annotate('', xy=(0, 5.5), xytext=(0, -4.5), arrowprops=dict(arrowstyle='->', lw=1))
ax.text(4.4, -0.5, '$x$', fontsize=12)
ax.text(0.2, 5.2, '$y$', fontsize=12)
ax.text(-0.45, -0.5, '$O$', fontsize=13)
ax.text(1.15, -0.55, '$A$', fontsize=13)
ax.text(-0.55, -2.3, '$B$', fontsize=13)
ax.set_xlim(-4, 5)
ax.set_ylim(-5, 6)
ax.set_aspect('equal')
ax.axis('off')
plt.savefig('question.png')
