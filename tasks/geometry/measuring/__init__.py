"""Drawings read back: what a picture shows, from strokes and pixels."""
