"""Two pictures in one, with their captions joined; a word exchanged across the two is false of both (CLIC)."""
