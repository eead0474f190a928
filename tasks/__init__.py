"""What a run does: plain functions. Nothing here imports Prefect; `flows` does, where a server is wanted."""
