"""Captions said in other words: what a caption claims, however it is put, and the rules that put it otherwise."""
