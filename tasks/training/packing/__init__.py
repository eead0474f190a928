"""Anchors beside their contrasts as shuffled shards at the training resolution: made once, read in every epoch."""
