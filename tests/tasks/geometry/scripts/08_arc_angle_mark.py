import matplotlib.pyplot as plt
from matplotlib.patches import Arc
import numpy as np

A = np.array([0, 0])
B = np.array([6, 0])
C = np.array([6 * np.cos(np.radians(50)), 6 * np.sin(np.radians(50))])

fig, ax = plt.subplots(figsize=(6, 5))
ax.plot([A[0], B[0]], [A[1], B[1]], color='k')
ax.plot([A[0], C[0]], [A[1], C[1]], color='k')
ax.plot([C[0], B[0]], [C[1], B[1]], color='k')
ax.add_patch(Arc(A, 1.6, 1.6, angle=0, theta1=0, theta2=50, color='k'))
ax.text(1.05, 0.42, r'$50^\circ$', fontsize=12)
for name, p, dx, dy in [('A', A, -0.4, -0.2), ('B', B, 0.15, -0.2), ('C', C, 0.0, 0.15)]:
    ax.text(p[0] + dx, p[1] + dy, f'${name}$', fontsize=15)
ax.set_xlim(-1, 7)
ax.set_ylim(-1, 5.5)
ax.set_aspect('equal')
ax.axis('off')
plt.savefig('question.png')
