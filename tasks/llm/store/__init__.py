"""The response store: what was asked and answered, kept."""
