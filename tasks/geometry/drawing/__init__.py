"""Scenes laid out and written as scripts."""
