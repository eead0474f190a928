import matplotlib.pyplot as plt
import numpy as np

plt.figure(figsize=(6, 6))
triangle = np.array([[1, 1], [6, 2], [3, 6], [1, 1]])
plt.plot(triangle[:, 0], triangle[:, 1], 'b-', linewidth=2)
plt.plot(triangle[:3, 0], triangle[:3, 1], 'ro')
plt.text(0.6, 0.6, 'A', fontsize=12)
plt.text(6.2, 1.9, 'B', fontsize=12)
plt.text(3.0, 6.25, 'C', fontsize=12)
plt.title('Triangle ABC')
plt.xlabel('x')
plt.ylabel('y')
plt.grid(True, linestyle='--', alpha=0.5)
plt.xlim(0, 7)
plt.ylim(0, 7)
plt.gca().set_aspect('equal')
plt.savefig('question.png')
plt.show()
