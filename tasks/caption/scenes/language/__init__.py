"""Captions of scenes: written in varied English, and read back."""
