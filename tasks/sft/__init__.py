"""Instruction rows from a dataset's tables, and the training of a LLaVA on them (MMGeoLM's stages two and three)."""
