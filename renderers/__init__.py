"""Untrusted code to pictures. Imports nothing else of the project."""
