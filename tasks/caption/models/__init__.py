"""Models that edit pictures, fill masks and judge likeness, by hub id or folder; each is loaded once per worker."""
