"""The families of the caption domain, one file each."""
