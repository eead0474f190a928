"""Flows that learn from a dataset and score what was learnt."""
