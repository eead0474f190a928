"""The stage runner and what it stands on."""
