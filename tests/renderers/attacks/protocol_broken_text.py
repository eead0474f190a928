# Draws and prints text that no file can hold.
import matplotlib.pyplot as plt

print("\udcff\x00\x1b[2J")
plt.text(0.5, 0.5, "ok")
plt.gca().set_title("fine")
plt.savefig("a.png")
raise ValueError("\udcff\x00")
