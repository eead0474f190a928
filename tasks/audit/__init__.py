"""A dataset checked after it was made."""
