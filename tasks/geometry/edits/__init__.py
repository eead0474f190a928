"""Edits of captions: what may be changed (MMCLIP Fig. 8 and 11), and how the changed words are put in place."""
