"""The providers of language models behind one protocol."""
