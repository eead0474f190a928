"""Training encoders on the tables: towers, objectives, packed shards, the loop and its checkpoints."""
