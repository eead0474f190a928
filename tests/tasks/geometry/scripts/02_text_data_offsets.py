import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Square ABCD with diagonal AC
A = (0, 0)
B = (4, 0)
C = (4, 4)
D = (0, 4)

plt.figure(figsize=(5, 5))
plt.plot([A[0], B[0], C[0], D[0], A[0]], [A[1], B[1], C[1], D[1], A[1]], 'k-', lw=2)
plt.plot([A[0], C[0]], [A[1], C[1]], 'k--', lw=1)
plt.text(A[0] - 0.3, A[1] - 0.3, 'A', fontsize=14)
plt.text(B[0] + 0.1, B[1] - 0.3, 'B', fontsize=14)
plt.text(C[0] + 0.1, C[1] + 0.1, 'C', fontsize=14)
plt.text(D[0] - 0.3, D[1] + 0.1, 'D', fontsize=14)
plt.text(2, -0.35, '8', fontsize=12, ha='center')
plt.axis('equal')
plt.axis('off')
plt.savefig('question.png')
