"""Questions that a model answers in words: read from files, asked with and without pictures, and scored."""
