# Fills the disk.
written = 0
try:
    for index in range(40):
        with open(f"filler{index}", "wb") as file:
            for _ in range(10):
                written += file.write(bytes(1 << 20))
except OSError as error:
    print("stopped:", error)
report("MB", written >> 20 if written > (140 << 20) else 0)
