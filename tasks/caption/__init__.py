"""Captioned pictures: words chosen by concreteness and replaced, swapped or masked; pictures edited to match."""
