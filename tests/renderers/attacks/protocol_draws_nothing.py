# Computes and draws nothing.
total = sum(i * i for i in range(1000))
