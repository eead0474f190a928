# Raises with a message of ten megabytes.
raise ValueError("x" * 10_000_000)
