import matplotlib.pyplot as plt

labels = ["A", "B", "C", "D", "E"]
xs = [0, 6, 6, 0, 3]
ys = [0, 0, 4, 4, 2]
plt.figure(figsize=(6, 5))
plt.scatter(xs, ys, s=25, c="black", zorder=3)
plt.plot([0, 6], [0, 4], "k")
plt.plot([0, 6], [4, 0], "k")
plt.plot(xs[:4] + [0], ys[:4] + [0], "k")
for i, l in enumerate(labels):
    plt.annotate(l, (xs[i], ys[i]), textcoords="offset points", xytext=(0, 9), ha="center", fontsize=13)
plt.gca().set_aspect("equal", adjustable="datalim")
plt.axis("off")
plt.savefig("question.png")
