"""Lies planted in a copy of a dataset, to see which of them `counterfoil verify` refuses: see `__main__`."""
