# Fills the record with one enormous text.
import matplotlib.pyplot as plt

plt.text(0, 0, "x" * 20000)
plt.savefig("a.png")
