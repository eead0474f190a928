import matplotlib.pyplot as plt

# screen coordinates: y grows downwards
pixel = {"A": (60, 340), "B": (420, 340), "C": (300, 80)}
fig, ax = plt.subplots(figsize=(5, 5))
for a, b in ["AB", "BC", "CA"]:
    ax.plot([pixel[a][0], pixel[b][0]], [pixel[a][1], pixel[b][1]], "k-", lw=2)
ax.text(35, 365, "A", fontsize=14)
ax.text(430, 365, "B", fontsize=14)
ax.text(292, 65, "C", fontsize=14)
ax.set_xlim(0, 480)
ax.set_ylim(0, 420)
ax.invert_yaxis()
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
