"""Where captioned pictures come from."""
