"""Parametric vector art, one function per noun."""
