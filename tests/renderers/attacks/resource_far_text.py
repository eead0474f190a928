# Makes the tight box huge with one text far away.
import matplotlib.pyplot as plt

plt.text(1e5, 1e5, "far")
plt.savefig("a.png", bbox_inches="tight")
