"""Near misses of captions by what none of a picture's captions speaks of."""
