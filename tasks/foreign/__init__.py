"""Contrasts that others made: read by their shape, audited, checked, cleaned."""
