"""A model that sees is asked how pictures and captions agree."""
