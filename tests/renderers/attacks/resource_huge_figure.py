# Draws a picture of a hundred gigapixels.
import matplotlib.pyplot as plt

plt.figure(figsize=(3000, 3000))
plt.plot([0, 1])
plt.savefig("a.png", dpi=100)
