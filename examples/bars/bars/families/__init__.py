"""One file for each way of making contrasts."""
