"""Which words of which caption are exchanged for which: decided over the whole run, before any contrast is made."""
