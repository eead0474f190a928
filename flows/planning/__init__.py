"""Before a run: what its recipe says, what it needs, and what it would make."""
