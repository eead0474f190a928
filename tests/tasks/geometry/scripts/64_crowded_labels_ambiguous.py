import matplotlib.pyplot as plt

# the letter C is put far away from the triangle, by mistake
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([1, 4, 2, 1], [1, 1, 3, 1], "k-")
ax.text(0.8, 0.7, "A")
ax.text(4.1, 0.7, "B")
ax.text(8.5, 9, "C")
ax.set_xlim(0, 10)
ax.set_ylim(0, 10)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
