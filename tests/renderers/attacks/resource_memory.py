# Takes memory until there is none.
blocks = []
try:
    for _ in range(64):
        blocks.append(b"x" * (64 << 20))
except MemoryError:
    pass
report("GiB", len(blocks) // 16 if len(blocks) >= 32 else 0)
