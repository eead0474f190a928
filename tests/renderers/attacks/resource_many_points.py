# Fills the record with a million points.
import matplotlib.pyplot as plt
import numpy as np

plt.plot(np.arange(10**6), np.sin(np.arange(10**6)), "k.")
plt.savefig("a.png")
