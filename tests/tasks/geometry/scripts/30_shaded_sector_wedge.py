import matplotlib.pyplot as plt
from matplotlib.patches import Circle, Wedge
import numpy as np

fig, ax = plt.subplots(figsize=(5, 5))
r = 4
ax.add_patch(Circle((0, 0), r, fill=False, edgecolor='black', lw=1.5))
ax.add_patch(Wedge((0, 0), r, 20, 110, facecolor='0.85', edgecolor='black', lw=1.2))
A = (r * np.cos(np.radians(20)), r * np.sin(np.radians(20)))
B = (r * np.cos(np.radians(110)), r * np.sin(np.radians(110)))
ax.text(A[0] + 0.15, A[1] + 0.1, 'A', fontsize=14)
ax.text(B[0] - 0.3, B[1] + 0.2, 'B', fontsize=14)
ax.text(-0.25, -0.45, 'O', fontsize=14)
ax.set_xlim(-5, 5)
ax.set_ylim(-5, 5)
ax.set_aspect('equal')
ax.axis('off')
plt.savefig('question.png')
