"""Captions: written from facts, read back to facts."""
