"""Negatives that are found, not made: the nearest rows of a corpus, chosen and proved."""
