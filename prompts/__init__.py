"""Prompt files and their loader. Imports nothing else of the project."""
