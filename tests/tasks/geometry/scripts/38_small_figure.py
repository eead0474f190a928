import matplotlib.pyplot as plt

plt.figure(figsize=(3, 3))
plt.plot([0, 3, 3, 0], [0, 0, 2, 0], color="black")
plt.text(-0.1, 0, "$A$", ha="right", va="top")
plt.text(3.1, 0, "$B$", ha="left", va="top")
plt.text(3.1, 2, "$C$", ha="left", va="bottom")
plt.xlim(-0.7, 3.7)
plt.ylim(-0.9, 2.9)
plt.gca().set_aspect("equal")
plt.gca().axis("off")
plt.savefig("question.png")
