import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.rcParams["figure.figsize"] = (5, 5)
plt.rcParams["font.size"] = 13
plt.rcParams["mathtext.fontset"] = "cm"
coords = [("A", -3, 0, "right"), ("B", 3, 0, "left"), ("C", 0, 4, "center")]
plt.plot([c[1] for c in coords] + [-3], [c[2] for c in coords] + [0], "k-")
for n, x, y, ha in coords:
    plt.text(x, y + (0.1 if y else -0.1), f"${n}$", ha=ha, va="bottom" if y else "top")
plt.plot([0, 0], [4, 0], "k:")
plt.text(0.1, -0.1, "$D$", va="top")
plt.axis("scaled")
plt.axis("off")
plt.savefig("figure.pdf.png", dpi=72)
plt.savefig("question.png", dpi=100)
plt.show()
