"""How near misses are proposed, on the tree of a statement."""
