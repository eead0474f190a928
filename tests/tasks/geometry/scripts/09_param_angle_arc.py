import numpy as np
import matplotlib.pyplot as plt


def angle_arc(ax, vertex, p1, p2, radius=0.6, n=30):
    """Draw an arc between the rays vertex->p1 and vertex->p2."""
    a1 = np.arctan2(p1[1] - vertex[1], p1[0] - vertex[0])
    a2 = np.arctan2(p2[1] - vertex[1], p2[0] - vertex[0])
    if a2 < a1:
        a1, a2 = a2, a1
    t = np.linspace(a1, a2, n)
    ax.plot(vertex[0] + radius * np.cos(t), vertex[1] + radius * np.sin(t), 'k', lw=1)
    return (a1 + a2) / 2


X, Y, Z = np.array([0, 0]), np.array([7, 0]), np.array([2, 4])
fig, ax = plt.subplots()
ax.plot(*np.array([X, Y, Z, X]).T, 'k', lw=1.6)
mid = angle_arc(ax, X, Y, Z)
ax.text(1.1 * np.cos(mid), 1.1 * np.sin(mid), '63°', ha='center', va='center')
mid = angle_arc(ax, Y, Z, X, 0.9)
ax.text(7 + 1.5 * np.cos(mid), 1.5 * np.sin(mid), '$x$°', ha='center', va='center')
ax.text(-0.3, -0.35, 'X', fontsize=13)
ax.text(7.1, -0.35, 'Y', fontsize=13)
ax.text(1.9, 4.2, 'Z', fontsize=13)
ax.axis('equal')
ax.axis('off')
plt.savefig('question.png')
