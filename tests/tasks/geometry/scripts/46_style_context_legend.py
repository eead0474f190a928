import matplotlib.pyplot as plt

with plt.style.context("default"):
    fig, ax = plt.subplots(figsize=(5.5, 5))
    ax.plot([0, 6], [0, 0], "k-", label="AB")
    ax.plot([6, 2], [0, 5], "k-", label="BC")
    ax.plot([2, 0], [5, 0], "k-", label="CA")
    ax.plot([1, 4], [2.5, 2.5], "k--", label="midline")
    ax.annotate("A", (0, 0), (-15, -8), textcoords="offset pixels")
    ax.annotate("B", (6, 0), (8, -8), textcoords="offset pixels")
    ax.annotate("C", (2, 5), (-3, 8), textcoords="offset pixels")
    ax.annotate("M", (1, 2.5), (-18, 0), textcoords="offset pixels")
    ax.annotate("N", (4, 2.5), (8, 2), textcoords="offset pixels")
    ax.legend(loc="upper right")
    ax.set_xlim(-1, 8)
    ax.set_ylim(-1, 6.5)
    ax.set_aspect("equal")
    ax.axis("off")
    fig.savefig("question.png")
