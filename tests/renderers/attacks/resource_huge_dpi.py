# Makes the picture large when it is saved.
import matplotlib.pyplot as plt

plt.plot([0, 1])
try:
    plt.savefig("a.png", dpi=20000)
except Exception:
    pass
