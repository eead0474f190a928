"""What a language model is asked of a statement."""
