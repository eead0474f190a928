"""Charts as graphs, as code, as what a reader sees."""
