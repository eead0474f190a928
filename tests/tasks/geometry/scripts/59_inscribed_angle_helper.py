import math
import matplotlib.pyplot as plt
from matplotlib.patches import Arc, Circle


def on_circle(deg, r=4.0):
    t = math.radians(deg)
    return r * math.cos(t), r * math.sin(t)


def label(ax, text, p, direction, d=0.45):
    t = math.radians(direction)
    ax.text(p[0] + d * math.cos(t), p[1] + d * math.sin(t), text, ha="center", va="center", fontsize=14)


def main():
    fig, ax = plt.subplots(figsize=(5, 5))
    ax.add_patch(Circle((0, 0), 4, fill=False, lw=1.5))
    A, B, C = on_circle(90), on_circle(215), on_circle(325)
    O = (0, 0)
    for p, q in ((A, B), (A, C), (O, B), (O, C)):
        ax.plot([p[0], q[0]], [p[1], q[1]], "k-", lw=1.3)
    ax.add_patch(Arc(O, 1.2, 1.2, theta1=215, theta2=325, lw=1))
    ax.text(0, -1.0, "110°", ha="center", va="center", fontsize=11)
    ax.plot(*O, "k.", ms=6)
    label(ax, "O", O, 90)
    label(ax, "A", A, 90)
    label(ax, "B", B, 215)
    label(ax, "C", C, 325)
    ax.set_xlim(-5, 5)
    ax.set_ylim(-5, 5)
    ax.set_aspect("equal")
    ax.axis("off")
    fig.savefig("question.png")


if __name__ == "__main__":
    main()
