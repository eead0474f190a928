# Saves pictures to paths all over the machine.
import matplotlib.pyplot as plt

plt.plot([0, 1])
for path in ("/tmp/cf_canary/pwn.png", "../../../../../../tmp/cf_canary/pwn2.png", HOME + "/cf_pwn.png", "/tmp/cf_pwn.pdf", "/dev/shm/cf_pwn.svg", "/cf_pwn.png"):
    try:
        plt.savefig(path)
    except Exception as error:
        print("held:", type(error).__name__)
