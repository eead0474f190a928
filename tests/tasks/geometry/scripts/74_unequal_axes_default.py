import matplotlib.pyplot as plt

# no equal aspect: what counts is what is seen
plt.figure(figsize=(6, 4))
x = [0, 10, 10, 0, 0]
y = [0, 0, 4, 4, 0]
plt.plot(x, y, "k-")
plt.plot([0, 10], [0, 4], "k-")
for i, n in enumerate("ABCD"):
    plt.annotate(n, (x[i], y[i]), xytext=(-14 if x[i] == 0 else 6, -14 if y[i] == 0 else 6), textcoords="offset points", fontsize=13)
plt.text(6.6, 3.6, r"$\triangle ABC$", fontsize=11)
plt.xlim(-2, 12)
plt.ylim(-2, 6)
plt.axis("off")
plt.savefig("question.png")
