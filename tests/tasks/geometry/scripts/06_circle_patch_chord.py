import matplotlib.pyplot as plt
import math

r = 3
O = (0, 0)
angle_a, angle_b = math.radians(200), math.radians(320)
A = (r * math.cos(angle_a), r * math.sin(angle_a))
B = (r * math.cos(angle_b), r * math.sin(angle_b))

fig, ax = plt.subplots(figsize=(5, 5))
ax.add_patch(plt.Circle(O, r, fill=False, color='black', linewidth=1.5))
ax.plot([A[0], B[0]], [A[1], B[1]], 'k-')
ax.plot([O[0], A[0]], [O[1], A[1]], 'k-')
ax.plot([O[0], B[0]], [O[1], B[1]], 'k-')
ax.plot(*O, 'ko', markersize=4)
ax.text(0, 0.2, 'O', ha='center', fontsize=14)
ax.text(A[0] - 0.35, A[1] - 0.2, 'A', ha='center', fontsize=14)
ax.text(B[0] + 0.35, B[1] - 0.2, 'B', ha='center', fontsize=14)
ax.set_xlim(-4, 4)
ax.set_ylim(-4, 4)
ax.set_aspect('equal')
ax.axis('off')
plt.savefig('question.png')
