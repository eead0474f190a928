"""Where charts come from."""
