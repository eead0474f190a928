import matplotlib.pyplot as plt
import numpy as np

P = np.array([0.0, 0.0])
Q = np.array([5.0, 0.0])
R = np.array([5.0, 3.0])

plt.figure(figsize=(5, 5))
plt.fill(*zip(P, Q, R), facecolor='none', edgecolor='black', linewidth=2)
plt.text(*P, '$P$ ', ha='right', va='top', fontsize=16)
plt.text(*Q, ' $Q$', ha='left', va='top', fontsize=16)
plt.text(*R, ' $R$', ha='left', va='bottom', fontsize=16)
# right angle at Q
s = 0.3
plt.plot([Q[0] - s, Q[0] - s, Q[0]], [Q[1], Q[1] + s, Q[1] + s], 'k', lw=1)
plt.text(2.5, -0.3, '$5$', ha='center', va='center', fontsize=13)
plt.text(5.3, 1.5, '$3$', ha='center', va='center', fontsize=13)
plt.gca().set_aspect('equal')
plt.axis('off')
plt.tight_layout()
plt.savefig('question.png', bbox_inches='tight', dpi=150)
plt.close()
