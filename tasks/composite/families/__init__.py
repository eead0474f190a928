"""The families of composites: an exchange across the captions, places exchanged, and captions that are true."""
