import numpy as np
import matplotlib.pyplot as plt

theta = np.linspace(0, 2 * np.pi, 400)
R = 2.0
plt.figure(figsize=(5, 5))
plt.plot(R * np.cos(theta), R * np.sin(theta), 'k', linewidth=1.5)

# external point P, tangent points by the power of the point
P = np.array([5.0, 0.0])
phi = np.arccos(R / np.linalg.norm(P))
T1 = R * np.array([np.cos(phi), np.sin(phi)])
T2 = R * np.array([np.cos(phi), -np.sin(phi)])
for T in (T1, T2):
    plt.plot([P[0], T[0]], [P[1], T[1]], 'k', linewidth=1.5)
    plt.plot([0, T[0]], [0, T[1]], 'k', linewidth=1.5)
plt.plot(0, 0, 'k.', markersize=6)
plt.text(-0.35, -0.1, 'O', fontsize=14)
plt.text(5.1, -0.1, 'P', fontsize=14)
plt.text(T1[0] + 0.05, T1[1] + 0.15, 'A', fontsize=14)
plt.text(T2[0] + 0.05, T2[1] - 0.4, 'B', fontsize=14)
plt.axis('equal')
plt.axis('off')
plt.savefig('question.png')
